//! Which tool choices are honoured, ignored or refused, with thinking on and off?
//!
//! What is refused with thinking switched is the choice's doing only where the same switch is taken
//! with the choice left open.

use futures_util::future::join_all;

use super::bench::{Bench, Offer, Trial, wanted};
use super::call_cases::{CaseTrials, missed};
use super::suite::OneCall;
use super::{Probe, Seed, ask_for};
use crate::conversation::Turn;
use crate::dialect::DialectId;
use crate::ir::{Layer, Object, Part, ToolChoice};
use crate::profile::{CaseVerdict, Finding, Observation, ThinkingSwitch};
use crate::prompted::ToolDelivery;

/// Words that no tool is needed for.
const IDLE: &str = "Say hello.";

/// A tool that stands beside the one under test.
const BYSTANDER: &str = "probe_ping";

/// Asks under every choice, in every mode of thinking that can be switched.
pub(super) async fn ask(bench: &Bench, probe: &Probe, ask: &OneCall) -> CaseTrials {
    let modes = modes(bench);
    let asked = modes.iter().map(|mode| in_mode(bench, probe, ask, mode));
    join_all(asked).await.into_iter().flatten().collect()
}

async fn in_mode(bench: &Bench, probe: &Probe, ask: &OneCall, mode: &Mode) -> CaseTrials {
    let cases = choices(&ask.call.tool).map(|(id, choice)| async move {
        let id = format!("{id}{}", mode.suffix);
        let seeds = bench.seeds(&probe.id, &id);
        let trials = seeds.iter().map(|seed| trial(bench, probe, ask, seed, &choice, mode));
        (id.clone(), join_all(trials).await)
    });
    against_auto(join_all(cases).await)
}

/// Takes the verdict from what fails under a choice where the open choice fails as well.
fn against_auto(mut cases: CaseTrials) -> CaseTrials {
    let Some(((auto, controls), others)) = cases.split_first_mut() else { return cases };
    for (trial, control) in
        others.iter_mut().flat_map(|(_, trials)| trials.iter_mut().zip(&*controls))
    {
        let works = matches!(control.observation, Observation::Settled(Finding::Pass(_)));
        if let (Observation::Negative(reason), false) = (&trial.observation, works) {
            let why = format!("no verdict without its control ({auto}): {reason}");
            trial.observation = Finding::Skipped(why).into();
            trial.facts = CaseVerdict::Skipped;
        }
    }
    cases
}

/// How many choices there are.
pub(super) const CHOICES: usize = 4;

fn choices(tool: &str) -> [(&'static str, ToolChoice); CHOICES] {
    [
        ("auto", ToolChoice::Auto),
        ("required", ToolChoice::Required),
        ("named", ToolChoice::Named(tool.to_owned())),
        ("none", ToolChoice::None),
    ]
}

/// A mode of thinking.
struct Mode {
    /// What it adds to the names of cases.
    suffix: &'static str,
    /// What it adds to requests.
    extra: Object,
}

/// In how many modes of thinking every choice is asked for.
pub(super) fn modes_of(thinking: Option<&ThinkingSwitch>) -> u64 {
    if thinking.is_some() { 3 } else { 1 }
}

fn modes(bench: &Bench) -> Vec<Mode> {
    let mut modes = vec![Mode { suffix: "", extra: Object::new() }];
    if let Some(switch) = &bench.thinking {
        modes.push(Mode { suffix: ", thinking on", extra: switch.on.clone() });
        modes.push(Mode { suffix: ", thinking off", extra: switch.off.clone() });
    }
    modes
}

async fn trial(
    bench: &Bench,
    probe: &Probe,
    ask: &OneCall,
    seed: &Seed,
    choice: &ToolChoice,
    mode: &Mode,
) -> Trial<CaseVerdict> {
    if bench.delivery != ToolDelivery::Native {
        return Trial::skipped("tools are taught in the prompt", CaseVerdict::Skipped);
    }
    if bench.client.dialect() == DialectId::Ollama && *choice != ToolChoice::Auto {
        return Trial::skipped("this dialect has no tool choice", CaseVerdict::Skipped);
    }
    let wanted = wanted(&ask.call, seed);
    let offer = Offer { probe, names: &[&wanted.tool, BYSTANDER], among: 0, filler: 0 };
    let tools = match offer.tools(seed) {
        Ok(tools) => tools,
        Err(error) => return Trial::skipped(error.to_string(), CaseVerdict::Skipped),
    };
    let words = match choice {
        ToolChoice::Required | ToolChoice::Named(_) => IDLE.to_owned(),
        _ => ask_for(std::slice::from_ref(&wanted)),
    };
    let mut conversation = bench.conversation(&tools, &words);
    conversation.request().tool_choice = Some(choice.clone());
    conversation.request().extra.clone_from(&mode.extra);
    let said = conversation.turn().await;
    let (facts, observation) = judge(&said, choice);
    let mut trial = Trial::of(&conversation, observation, facts);
    if *choice == ToolChoice::None {
        // Wherever it stands: it is not the call that counts here.
        trial.layer = None;
    }
    trial
}

fn judge(said: &Turn, choice: &ToolChoice) -> (CaseVerdict, Observation) {
    missed(&said.answer).unwrap_or_else(|| match ignored(said, choice) {
        None => (CaseVerdict::AcceptedValid, Finding::pass(honoured(said)).into()),
        Some(reason) => (CaseVerdict::Ignored, Observation::Negative(reason)),
    })
}

/// In words, that a choice was honoured, and whether the model was seen to think.
fn honoured(said: &Turn) -> &'static str {
    let is_reasoning = |part: &Part| matches!(part, Part::Reasoning(_));
    match said.reply() {
        Some(reply) if reply.parts.iter().any(is_reasoning) => "honoured, with reasoning",
        _ => "honoured",
    }
}

/// In words, how a reply does not do what the choice demands.
fn ignored(said: &Turn, choice: &ToolChoice) -> Option<String> {
    let first = said.reading.calls.first();
    match choice {
        ToolChoice::Auto | ToolChoice::Required | ToolChoice::Allowed { .. } => {
            first.is_none().then(|| "accepted, and no call came".to_owned())
        }
        ToolChoice::Named(name) => match first {
            Some(call) if call.name == *name => None,
            Some(call) => Some(format!("accepted, and '{}' was called instead", call.name)),
            None => Some("accepted, and no call came".to_owned()),
        },
        // Text that looks like a call is not one that the server made.
        ToolChoice::None => (said.reading.layer == Some(Layer::Structured))
            .then(|| "accepted, and a call came".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(
        id: &str,
        verdict: CaseVerdict,
        observation: Observation,
    ) -> (String, Vec<Trial<CaseVerdict>>) {
        let mut trial = Trial::skipped("", verdict);
        trial.observation = observation;
        (id.to_owned(), vec![trial])
    }

    fn refused() -> Observation {
        Observation::Negative("refused: no".to_owned())
    }

    #[test]
    fn a_choice_is_to_blame_only_where_the_open_choice_works() {
        let facts = |auto: Observation| {
            let cases = vec![
                case("auto, thinking on", CaseVerdict::AcceptedValid, auto),
                case("required, thinking on", CaseVerdict::Rejected, refused()),
            ];
            against_auto(cases).pop().unwrap().1.pop().unwrap().facts
        };
        assert_eq!(facts(Finding::pass("honoured").into()), CaseVerdict::Rejected);
        assert_eq!(facts(refused()), CaseVerdict::Skipped);
        assert_eq!(facts(Finding::Inconclusive("HTTP 503".into()).into()), CaseVerdict::Skipped);
    }
}
