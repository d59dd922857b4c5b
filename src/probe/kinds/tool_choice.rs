//! `[ask.tool-choice]`: which tool choices are honoured, ignored or refused, with thinking on and off?
//!
//! A refusal with thinking switched is due to the choice only where the same switch is accepted with
//! the choice left open.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Asking, Bench, CallAsk, Case, Costing, Estimate, Known, Load, Offer, OneCall, ProbeKind, Seed,
    SettledCase, Trial, ask_for, hold_together, list_cases, mark_displaced, missing_case_reply,
};
use crate::conversation::Turn;
use crate::ir::{Layer, Object, Part, ToolChoice};
use crate::profile::{CaseVerdict, Finding, Observation, ProbeResult, ThinkingSwitch};
use crate::prompted::ToolDelivery;
use crate::tools::RegistryError;

/// Words that no tool is needed for.
const IDLE: &str = "Say hello.";

/// A tool that stands beside the one under test.
const BYSTANDER: &str = "probe_ping";

/// Tool choice, with thinking on and off.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ToolChoices(OneCall);

impl ProbeKind for ToolChoices {
    const NAME: &'static str = "tool-choice";
    type Facts = CaseVerdict;

    fn calls(&self) -> Vec<&CallAsk> {
        vec![&self.0.call]
    }

    async fn ask(&self, asking: Asking<'_>) -> Vec<Case<CaseVerdict>> {
        let modes = modes(asking.bench.thinking.as_ref());
        let asked = modes.iter().map(|mode| self.ask_in_mode(asking, mode));
        hold_together(asked).await.into_iter().flatten().collect()
    }

    fn revise(cases: &mut [Case<CaseVerdict>], known: &Known) {
        mark_displaced(cases, known);
    }

    fn result(probe: &str, cases: &[SettledCase<CaseVerdict>]) -> ProbeResult {
        ProbeResult::Cases(list_cases(probe, cases))
    }

    fn estimate(&self, costing: &Costing<'_>) -> Estimate {
        let once = costing.talk(self.calls(), "").turns(1);
        let of_mode = |_| choices("").map(|_| once).into_iter().sum::<Load>();
        Estimate::exactly(modes(costing.thinking).iter().map(of_mode).sum())
    }
}

impl ToolChoices {
    async fn ask_in_mode(&self, asking: Asking<'_>, mode: &ThinkingMode) -> Vec<Case<CaseVerdict>> {
        let cases = choices(&self.0.call.tool).map(|(id, choice)| async move {
            let id = format!("{id}{}", mode.suffix);
            asking.hold(&id, |seed| self.trial(asking, seed, &choice, mode)).await
        });
        compare_with_auto(hold_together(cases).await)
    }

    async fn trial(
        &self,
        asking: Asking<'_>,
        seed: Seed,
        choice: &ToolChoice,
        mode: &ThinkingMode,
    ) -> Result<Trial<CaseVerdict>, RegistryError> {
        // Choices are asked about with the tools in their field, whether or not the model calls by itself.
        let bench = &Bench { delivery: ToolDelivery::Native, ..asking.bench.clone() };
        let skip =
            |why: &str| Ok(Trial::unheld(Finding::Skipped(why.to_owned()), CaseVerdict::Skipped));
        if !asking.bench.delivery.is_declared() {
            return skip("tools are taught in the prompt");
        }
        if !bench.client.dialect().has_tool_choice() && *choice != ToolChoice::Auto {
            return skip("this dialect has no tool choice");
        }
        let wanted = self.0.call.fill(&seed);
        let tools = Offer::new(asking.probe, [wanted.tool.as_str(), BYSTANDER]).tools(&seed)?;
        let words = match choice {
            ToolChoice::Required | ToolChoice::Named(_) => IDLE.to_owned(),
            _ => ask_for(std::slice::from_ref(&wanted)),
        };
        let mut conversation = Asking { bench, ..asking }.conversation(&tools, &words);
        conversation.request().tool_choice = Some(choice.clone());
        conversation.request().extra.clone_from(&mode.extra);
        let turn = conversation.turn().await;
        let (facts, shown) = judge(&turn, choice);
        let mut trial = Trial::of(&conversation, shown, facts);
        if *choice == ToolChoice::None {
            // The verdict is not about a call, wherever one stands.
            trial.layer = None;
        }
        Ok(trial)
    }
}

/// Takes the verdict from what fails under a choice where the open choice fails as well.
fn compare_with_auto(mut cases: Vec<Case<CaseVerdict>>) -> Vec<Case<CaseVerdict>> {
    let Some((auto, others)) = cases.split_first_mut() else { return cases };
    for (trial, control) in
        others.iter_mut().flat_map(|case| case.trials.iter_mut().zip(&auto.trials))
    {
        if let (Observation::Negative(reason), false) = (&trial.shown, control.is_pass()) {
            let why = format!("no verdict without its control ({}): {reason}", auto.id);
            trial.shown = Finding::Skipped(why).into();
            trial.facts = CaseVerdict::Skipped;
        }
    }
    cases
}

fn choices(tool: &str) -> [(&'static str, ToolChoice); 4] {
    [
        ("auto", ToolChoice::Auto),
        ("required", ToolChoice::Required),
        ("named", ToolChoice::Named(tool.to_owned())),
        ("none", ToolChoice::None),
    ]
}

/// A mode of thinking.
struct ThinkingMode {
    /// What it adds to the names of cases.
    suffix: &'static str,
    /// What it adds to requests.
    extra: Object,
}

fn modes(thinking: Option<&ThinkingSwitch>) -> Vec<ThinkingMode> {
    let mut modes = vec![ThinkingMode { suffix: "", extra: Object::new() }];
    if let Some(switch) = thinking {
        modes.push(ThinkingMode { suffix: ", thinking on", extra: switch.on.clone() });
        modes.push(ThinkingMode { suffix: ", thinking off", extra: switch.off.clone() });
    }
    modes
}

fn judge(turn: &Turn, choice: &ToolChoice) -> (CaseVerdict, Observation) {
    missing_case_reply(&turn.answer).unwrap_or_else(|| match describe_disregard(turn, choice) {
        None => (CaseVerdict::AcceptedValid, Finding::pass(describe_honoured(turn)).into()),
        Some(reason) => (CaseVerdict::Ignored, Observation::Negative(reason)),
    })
}

/// In words, that a choice was honoured, and whether the model was seen to think.
fn describe_honoured(turn: &Turn) -> &'static str {
    let is_reasoning = |part: &Part| matches!(part, Part::Reasoning(_));
    match turn.reply() {
        Some(reply) if reply.parts.iter().any(is_reasoning) => "honoured, with reasoning",
        _ => "honoured",
    }
}

/// In words, how a reply does not do what the choice demands.
fn describe_disregard(turn: &Turn, choice: &ToolChoice) -> Option<String> {
    let first = turn.reading.calls.first();
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
        ToolChoice::None => (turn.reading.layer == Some(Layer::Structured))
            .then(|| "accepted, and a call came".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(id: &str, verdict: CaseVerdict, observation: Observation) -> Case<CaseVerdict> {
        let trial = Trial::unheld(Finding::Skipped(String::new()), verdict);
        Case { id: id.to_owned(), trials: vec![Trial { shown: observation, ..trial }] }
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
            compare_with_auto(cases).pop().unwrap().trials.pop().unwrap().facts
        };
        assert_eq!(facts(Finding::pass("honoured").into()), CaseVerdict::Rejected);
        assert_eq!(facts(refused()), CaseVerdict::Skipped);
        assert_eq!(facts(Finding::Inconclusive("HTTP 503".into()).into()), CaseVerdict::Skipped);
    }
}
