//! What will asking these probes cost?
//!
//! Requests are counted: `most` is a bound, waits and retries of a troubled endpoint aside. Tokens
//! are guessed from the length of what is asked and of what is asked for; a model that thinks writes
//! more.

use std::ops::{Add, AddAssign, Mul};

use serde_json::Value;

use super::bench::{Offer, wanted};
use super::reasoning_variants::Change;
use super::suite::{Ask, CallAsk};
use super::{Probe, Seed, Wanted, ask_for, error_repair, history, no_call, tool_choice};
use crate::profile::ThinkingSwitch;

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

/// On how many rungs a probe is begun at most: with native tools, with the protocol that is likely to
/// work, and with the one that does.
const BEGINNINGS: u64 = 3;

/// A stream that ends before its reply does is asked for once more.
const STREAM_ATTEMPTS: u64 = 2;

/// What asking costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Load {
    /// Requests.
    pub requests: u64,
    /// Tokens, in and out.
    pub tokens: u64,
}

/// What asking costs if all goes well, and at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Estimate {
    /// Tools work as the dialect has them, errors are corrected at once, there is no reasoning to send
    /// back, and every other malformed history is refused, which costs no tokens.
    pub likely: Load,
    /// Every rung is climbed, everything is asked again there, and nothing is corrected.
    pub most: Load,
}

/// The cost of asking these probes of one endpoint, with so many trials of each case.
/// Tool choices are asked for in every mode of thinking that can be switched.
pub fn estimate(probes: &[&Probe], trials: u32, thinking: Option<&ThinkingSwitch>) -> Estimate {
    let trials = u64::from(trials);
    let mut sum = Estimate::default();
    for probe in probes {
        let (likely, most) = match &probe.file.ask {
            Ask::Streaming(ask) => {
                let twins = probes.iter().filter(|twin| ask.twins.contains(&twin.id));
                let streamed = twins.map(|twin| streamed(twin)).fold(Load::default(), Add::add);
                (streamed, streamed * (BEGINNINGS * STREAM_ATTEMPTS))
            }
            Ask::BasicFormat(ask) => {
                let once = talk(probe, std::slice::from_ref(&ask.call), "").turns(1);
                // The native rung is asked once more before another one counts. The control that asks
                // for a word without tools is no trial, but smaller than one.
                let rungs = 2 + count(ask.protocols.len());
                (once, once * (rungs + 1))
            }
            ask => {
                let (likely, most) = plain(probe, ask, thinking);
                (likely, most * BEGINNINGS)
            }
        };
        sum.likely += likely * trials;
        sum.most += most * trials;
    }
    sum
}

/// One trial of a probe that neither climbs nor streams: as asked, and at most.
fn plain(probe: &Probe, ask: &Ask, thinking: Option<&ThinkingSwitch>) -> (Load, Load) {
    match ask {
        Ask::Call(cases) => {
            let cases = cases.iter().map(|case| {
                let mut talk = talk(probe, std::slice::from_ref(&case.call), "");
                talk.prompt += u64::from(case.among) * BYSTANDER;
                talk.turns(1)
            });
            twice(cases.fold(Load::default(), Add::add))
        }
        Ask::ClosedLoop(ask) => {
            let mut talk = talk(probe, std::slice::from_ref(&ask.call), &ask.then);
            talk.result += u64::from(ask.filler) / CHARACTERS;
            // A follow-up that is refused for its reasoning is asked again without it.
            (talk.turns(2), talk.turns(3))
        }
        Ask::Parallel(ask) => twice(talk(probe, &ask.calls, &ask.then).turns(1) * 2),
        Ask::ErrorRepair(ask) => {
            let talk = talk(probe, std::slice::from_ref(&ask.call), &ask.then);
            (talk.turns(2), talk.turns(1 + 2 * count(error_repair::CORRECTIONS)))
        }
        Ask::ReasoningReplay(ask) => {
            let talk = talk(probe, std::slice::from_ref(&ask.call), &ask.then);
            (talk.turns(1), talk.turns(1 + count(Change::ALL.len())))
        }
        Ask::History(ask) => {
            let talk = talk(probe, &ask.calls, &ask.then);
            let shapes = count(history::SHAPES);
            // Without reasoning, there is none to trim.
            let likely = Load { requests: shapes, ..talk.turns(1 + shapes / 2) };
            // Histories that are refused for their reasoning are all sent again without it.
            (likely, talk.turns(1 + 2 * shapes))
        }
        Ask::ToolChoice(ask) => {
            let talk = talk(probe, std::slice::from_ref(&ask.call), "");
            twice(talk.turns(1) * count(tool_choice::CHOICES) * tool_choice::modes_of(thinking))
        }
        Ask::NoCall(ask) => {
            let offer = Offer { probe, names: &no_call::TOOLS, among: 0, filler: 0 };
            twice(Talk::new(&offer, &ask.question, ANSWER, 0).turns(1))
        }
        Ask::BasicFormat(_) | Ask::Streaming(_) => twice(Load::default()),
    }
}

fn twice(load: Load) -> (Load, Load) {
    (load, load)
}

/// One trial of a probe's streamed twin.
fn streamed(probe: &Probe) -> Load {
    match &probe.file.ask {
        Ask::BasicFormat(ask) => talk(probe, std::slice::from_ref(&ask.call), "").turns(1),
        // Switching parallel calls off is not part of the twin.
        Ask::Parallel(ask) => talk(probe, &ask.calls, "").turns(1),
        ask => plain(probe, ask, None).1,
    }
}

/// A conversation: how long its parts are, in tokens.
#[derive(Debug, Clone, Copy)]
struct Talk {
    prompt: u64,
    reply: u64,
    result: u64,
}

/// The conversation that asks for these calls and then for something more.
fn talk(probe: &Probe, calls: &[CallAsk], then: &str) -> Talk {
    let seed = Seed::new(0);
    let calls: Vec<Wanted> = calls.iter().map(|call| wanted(call, &seed)).collect();
    let names: Vec<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
    let offer = Offer { probe, names: &names, among: 0, filler: 0 };
    let reply = calls.iter().map(|call| CALL + length(&call.arguments)).sum();
    let result = RESULT * count(calls.len());
    Talk::new(&offer, &format!("{}\n\n{then}", ask_for(&calls)), reply, result)
}

impl Talk {
    fn new(offer: &Offer<'_>, words: &str, reply: u64, result: u64) -> Self {
        let tools = offer.tools(&Seed::new(0)).map_or(0, |tools| {
            let length_of = |value: Result<Value, _>| value.map_or(0, |value| length(&value));
            tools.specs().map(|spec| length_of(serde_json::to_value(spec))).sum()
        });
        let prompt = PROMPT + tools + count(words.len()) / CHARACTERS;
        Self { prompt, reply, result }
    }

    /// So many requests, each after the first with a result in its history.
    fn turns(self, requests: u64) -> Load {
        let first = self.prompt + self.reply;
        let later = first + self.result + ANSWER;
        Load { requests, tokens: first + later * requests.saturating_sub(1) }
    }
}

fn length(value: &Value) -> u64 {
    count(value.to_string().len()) / CHARACTERS
}

fn count(number: usize) -> u64 {
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

impl AddAssign for Load {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
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
        let suite = Suite::embedded().unwrap();
        let probes: Vec<&Probe> = suite.select(name).collect();
        estimate(&probes, trials, None)
    }

    #[test]
    fn the_light_suite_is_three_requests_a_trial_if_all_goes_well() {
        assert_eq!(of(SuiteName::Light, 1).likely.requests, 3);
        assert_eq!(of(SuiteName::Light, 5).likely.requests, 15);
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
