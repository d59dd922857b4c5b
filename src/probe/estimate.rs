//! Estimates: what will asking these probes cost, in requests and tokens?
//!
//! Requests are counted: `most` is a bound, waits and retries of a troubled endpoint aside. Tokens
//! are guessed from the length of what is asked and of what is asked for; a model that thinks writes
//! more.

use std::iter::Sum;
use std::ops::{Add, Mul};

use serde_json::Value;

use super::offer::Offer;
use super::suite::CallAsk;
use super::{Probe, Seed, Wanted, ask_for};
use crate::profile::{Mode, ThinkingSwitch};

/// Characters of one token, roughly, in English and in JSON.
const CHARACTERS: u64 = 4;

/// Tokens of a prompt beside its words and tools.
const PROMPT: u64 = 8;

/// Tokens of a call beside its arguments.
const CALL: u64 = 8;

/// Tokens of a result beside its filler.
const RESULT: u64 = 20;

/// Tokens of an answer in words.
const ANSWER: u64 = 20;

/// Tokens of a tool that nobody asks for.
const BYSTANDER: u64 = 50;

/// Tokens of the control that is asked after a refusal.
const CONTROL: u64 = 200;

/// On how many rungs a probe is begun at most: with native tools, with the protocol that is likely to
/// work, and with the one that does.
const BEGINNINGS: u64 = 3;

/// What asking costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub(crate) struct Load {
    /// Without retries.
    pub requests: u64,
    /// Tokens, in and out.
    pub tokens: u64,
}

/// What asking costs if all goes well, and at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub(crate) struct Estimate {
    /// Tools work as the dialect has them, errors are corrected at once, there is no reasoning to send
    /// back, and every other malformed history is refused, which costs no tokens.
    pub likely: Load,
    /// Every rung is climbed, everything is asked again there, and nothing is corrected.
    pub most: Load,
}

/// The cost of asking these probes of one endpoint, with so many trials of each case.
/// Tool choices are asked for in every mode of thinking that can be switched.
pub(crate) fn estimate(
    probes: &[&Probe],
    trials: u32,
    thinking: Option<&ThinkingSwitch>,
    mode: Mode,
) -> Estimate {
    let trials = u64::from(trials);
    let of_probe = |probe: &&Probe| {
        let costing = Costing { probe, probes, thinking, mode, trials, is_twin: false };
        let Estimate { likely, most } = probe.question.estimate(&costing);
        // What repeats other probes counts its trials itself.
        let times = if probe.twins().is_empty() { trials } else { 1 };
        let (likely, most) = (likely * times, most * times);
        // A trial that holds a refusal asks the control once more.
        let controls = Load { requests: likely.requests, tokens: likely.requests * CONTROL };
        let most = most + controls;
        // The ladder counts its rungs itself.
        let beginnings = if probe.climbs() { 1 } else { BEGINNINGS };
        Estimate { likely, most: most * beginnings }
    };
    probes.iter().map(of_probe).fold(Estimate::default(), Add::add)
}

/// A probe whose cost is estimated, and how it is asked.
#[derive(Clone, Copy)]
pub(crate) struct Costing<'a> {
    pub(crate) probe: &'a Probe,
    pub(crate) probes: &'a [&'a Probe],
    pub(crate) thinking: Option<&'a ThinkingSwitch>,
    pub(crate) mode: Mode,
    /// How often each case is asked.
    pub(crate) trials: u64,
    /// Whether it is asked as the streamed twin of another.
    pub(crate) is_twin: bool,
}

impl Costing<'_> {
    /// The conversation that asks for these calls and then for something more.
    pub(crate) fn talk(&self, calls: Vec<&CallAsk>, then: &str) -> Talk {
        let seed = Seed::new(0);
        let calls: Vec<Wanted> = calls.into_iter().map(|call| call.fill(&seed)).collect();
        let offer = Offer::new(self.probe, calls.iter().map(|call| call.tool.as_str()));
        let reply = calls.iter().map(|call| CALL + length(&call.arguments)).sum();
        let prompt = prompt(&offer, &format!("{}\n\n{then}", ask_for(&calls)));
        Talk { prompt, reply, result: RESULT * count(calls.len()) }
    }

    /// The conversation that asks for an answer in words.
    pub(crate) fn question(offer: &Offer<'_>, words: &str) -> Talk {
        Talk { prompt: prompt(offer, words), reply: ANSWER, result: 0 }
    }
}

/// The tokens of these words with these tools.
fn prompt(offer: &Offer<'_>, words: &str) -> u64 {
    let tools = offer.tools(&Seed::new(0)).map_or(0, |tools| {
        let length_of = |value: Result<Value, _>| value.map_or(0, |value| length(&value));
        tools.specs().map(|spec| length_of(serde_json::to_value(spec))).sum()
    });
    PROMPT + tools + count(words.len()) / CHARACTERS
}

/// A conversation: how long its parts are, in tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Talk {
    prompt: u64,
    reply: u64,
    result: u64,
}

impl Talk {
    /// With so many tools on offer that nobody asks for.
    pub(crate) fn with_bystanders(self, tools: u32) -> Self {
        Self { prompt: self.prompt + u64::from(tools) * BYSTANDER, ..self }
    }

    /// With so many characters of filler in each result.
    pub(crate) fn with_filler(self, characters: u32) -> Self {
        Self { result: self.result + u64::from(characters) / CHARACTERS, ..self }
    }

    /// So many requests, each after the first with a result in its history.
    pub(crate) fn turns(self, requests: u64) -> Load {
        let first = self.prompt + self.reply;
        let later = first + self.result + ANSWER;
        Load { requests, tokens: first + later * requests.saturating_sub(1) }
    }
}

fn length(value: &Value) -> u64 {
    count(value.to_string().len()) / CHARACTERS
}

pub(crate) fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

impl Add for Load {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            requests: self.requests.saturating_add(other.requests),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }
}

impl Sum for Load {
    fn sum<I: Iterator<Item = Self>>(loads: I) -> Self {
        loads.fold(Self::default(), Add::add)
    }
}

impl Mul<u64> for Load {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self {
            requests: self.requests.saturating_mul(times),
            tokens: self.tokens.saturating_mul(times),
        }
    }
}

impl Estimate {
    /// A cost that is known.
    pub(crate) fn exactly(load: Load) -> Self {
        Self { likely: load, most: load }
    }
}

impl Add for Estimate {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { likely: self.likely + other.likely, most: self.most + other.most }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::{Suite, SuiteName};

    fn of(name: SuiteName, trials: u32) -> Estimate {
        in_mode(name, trials, Mode::Both)
    }

    fn in_mode(name: SuiteName, trials: u32, mode: Mode) -> Estimate {
        let suite = Suite::embedded().unwrap();
        let probes: Vec<&Probe> = suite.select(name).filter(|it| it.is_asked(mode)).collect();
        estimate(&probes, trials, None, mode)
    }

    #[test]
    fn the_light_suite_is_three_requests_a_trial_if_all_goes_well() {
        assert_eq!(of(SuiteName::Light, 1).likely.requests, 3);
        assert_eq!(of(SuiteName::Light, 5).likely.requests, 15);
    }

    #[test]
    fn streamed_twins_cost_less_than_half_on_top_and_streams_alone_nothing() {
        let [plain, stream, both] = [Mode::Plain, Mode::Stream, Mode::Both]
            .map(|mode| in_mode(SuiteName::Standard, 3, mode).likely.requests);
        assert_eq!(plain, stream);
        assert!(plain < both && both * 2 < plain * 3, "{both} in place of {plain}");
    }

    #[test]
    fn larger_suites_cost_more_and_the_bound_is_never_below_the_guess() {
        let all = [SuiteName::Light, SuiteName::Standard, SuiteName::Full].map(|name| of(name, 3));
        assert!(all.is_sorted_by_key(|it| (it.likely.requests, it.likely.tokens)));
        for Estimate { likely, most } in all {
            assert!(likely.requests < most.requests && likely.tokens < most.tokens);
        }
    }
}
