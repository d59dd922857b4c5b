//! Which tool choices are honoured, ignored or refused, with thinking on and off?

use futures_util::future::join_all;

use super::bench::{Bench, Offer, Trial, wanted};
use super::call_cases::{CaseTrials, missed};
use super::suite::OneCall;
use super::{Probe, Seed, ask_for};
use crate::conversation::{Delivery, Said};
use crate::ir::{Layer, Object, ToolChoice};
use crate::profile::CaseVerdict;
use crate::verdict::{Finding, Observation};

/// Words that no tool is needed for.
const IDLE: &str = "Say hello.";

/// A tool that stands beside the one under test.
const BYSTANDER: &str = "probe_ping";

/// Asks under every choice, in every mode of thinking that can be switched.
pub(super) async fn ask(bench: &Bench, probe: &Probe, ask: &OneCall) -> CaseTrials {
    let cases = modes(bench).into_iter().flat_map(|(mode, extra)| {
        choices(&ask.call.tool).map(|(id, choice)| (format!("{id}{mode}"), choice, extra.clone()))
    });
    join_all(cases.map(|(id, choice, extra)| async move {
        let seeds = bench.seeds(&probe.id, &id);
        let trials = seeds.iter().map(|seed| trial(bench, probe, ask, seed, &choice, &extra));
        (id.clone(), join_all(trials).await)
    }))
    .await
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

fn modes(bench: &Bench) -> Vec<(&'static str, Object)> {
    let mut modes = vec![("", Object::new())];
    if let Some(switch) = &bench.thinking {
        modes.push((", thinking on", switch.on.clone()));
        modes.push((", thinking off", switch.off.clone()));
    }
    modes
}

async fn trial(
    bench: &Bench,
    probe: &Probe,
    ask: &OneCall,
    seed: &Seed,
    choice: &ToolChoice,
    extra: &Object,
) -> Trial<CaseVerdict> {
    if bench.delivery != Delivery::Native {
        return Trial::skipped("tools are taught in the prompt", CaseVerdict::Skipped);
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
    conversation.request().extra.clone_from(extra);
    let said = conversation.turn().await;
    let (facts, observation) = judge(&said, choice);
    Trial::of(&conversation, observation, facts)
}

fn judge(said: &Said, choice: &ToolChoice) -> (CaseVerdict, Observation) {
    missed(&said.answer).unwrap_or_else(|| match ignored(said, choice) {
        None => (CaseVerdict::AcceptedValid, Finding::pass("honoured").into()),
        Some(reason) => (CaseVerdict::Ignored, Observation::Negative(reason)),
    })
}

/// In words, how a reply does not do what the choice demands.
fn ignored(said: &Said, choice: &ToolChoice) -> Option<String> {
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
