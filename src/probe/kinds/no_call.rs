//! `[ask.no-call]`: is a question that needs no tool answered without one?

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Asking, Case, Costing, Estimate, Known, Offer, ProbeKind, Seed, SettledCase, Trial, list_cases,
    mark_displaced, missing_case_reply,
};
use crate::conversation::Turn;
use crate::profile::{CaseVerdict, Finding, Observation, ProbeResult};
use crate::tools::RegistryError;

/// The tools that are on offer.
const TOOLS: [&str; 2] = ["probe_echo", "probe_add"];

/// A question that needs no tool.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoCall {
    /// What to ask; the tools are on offer.
    question: String,
}

impl ProbeKind for NoCall {
    const NAME: &'static str = "no-call";
    type Facts = CaseVerdict;

    async fn ask(&self, asking: Asking<'_>) -> Vec<Case<CaseVerdict>> {
        let case = asking.hold("", |seed| self.trial(asking, seed)).await;
        vec![Case { id: "answered".to_owned(), ..case }]
    }

    fn revise(cases: &mut [Case<CaseVerdict>], known: &Known) {
        mark_displaced(cases, known);
    }

    fn result(probe: &str, cases: &[SettledCase<CaseVerdict>]) -> ProbeResult {
        ProbeResult::Cases(list_cases(probe, cases))
    }

    fn estimate(&self, costing: &Costing<'_>) -> Estimate {
        let offer = Offer::new(costing.probe, TOOLS);
        Estimate::exactly(Costing::question(&offer, &self.question).turns(1))
    }
}

impl NoCall {
    async fn trial(
        &self,
        asking: Asking<'_>,
        seed: Seed,
    ) -> Result<Trial<CaseVerdict>, RegistryError> {
        let tools = Offer::new(asking.probe, TOOLS).tools(&seed)?;
        let mut conversation = asking.conversation(&tools, &self.question);
        let turn = conversation.turn().await;
        let (facts, shown) = missing_case_reply(&turn.answer).unwrap_or_else(|| judge(&turn));
        Ok(Trial::of(&conversation, shown, facts))
    }
}

fn judge(turn: &Turn) -> (CaseVerdict, Observation) {
    let reading = &turn.reading;
    let reason = match (reading.calls.first(), reading.broken.first()) {
        (Some(call), _) => format!("called '{}', which was not needed", call.name),
        (None, Some(problem)) => format!("tried to call, which was not needed: {problem}"),
        (None, None) if reading.text.trim().is_empty() => "an empty answer".to_owned(),
        (None, None) => {
            return (CaseVerdict::AcceptedValid, Finding::pass("answered in words").into());
        }
    };
    (CaseVerdict::AcceptedInvalid, Observation::Negative(reason))
}
