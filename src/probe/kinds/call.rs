//! `[[ask.call]]`: is a call made as asked, case by case?

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Asking, CallAsk, Case, Costing, Estimate, Fit, Known, Load, Offer, ProbeKind, Seed,
    SettledCase, Trial, ask_for, best_fit, describe_missing_call, hold_together, list_cases,
    mark_displaced, missing_case_reply,
};
use crate::conversation::excerpt;
use crate::profile::{CaseVerdict, Finding, Observation, ProbeResult};
use crate::tools::RegistryError;

/// One call per case, judged by its arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct CallCases(pub(crate) Vec<CallCase>);

/// One call to ask for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallCase {
    /// The case's name in results.
    pub(crate) id: String,
    /// The call to ask for.
    pub(crate) call: CallAsk,
    /// What counts as right.
    #[serde(default)]
    pub(crate) judge: CallJudge,
    /// How many other tools stand beside the one asked for.
    #[serde(default)]
    pub(crate) among: u32,
}

/// What counts as a right call.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CallJudge {
    /// The arguments satisfy the tool's schema.
    #[default]
    Valid,
    /// The arguments are exactly those asked for.
    Exact,
}

impl ProbeKind for CallCases {
    const NAME: &'static str = "call";
    type Facts = CaseVerdict;

    fn calls(&self) -> Vec<&CallAsk> {
        self.0.iter().map(|case| &case.call).collect()
    }

    async fn ask(&self, asking: Asking<'_>) -> Vec<Case<CaseVerdict>> {
        let cases = self.0.iter();
        hold_together(cases.map(|case| asking.hold(&case.id, |seed| case.trial(asking, seed))))
            .await
    }

    fn revise(cases: &mut [Case<CaseVerdict>], known: &Known) {
        mark_displaced(cases, known);
    }

    fn result(probe: &str, cases: &[SettledCase<CaseVerdict>]) -> ProbeResult {
        ProbeResult::Cases(list_cases(probe, cases))
    }

    fn estimate(&self, costing: &Costing<'_>) -> Estimate {
        let of_case = |case: &CallCase| {
            costing.talk(vec![&case.call], "").with_bystanders(case.among).turns(1)
        };
        Estimate::exactly(self.0.iter().map(of_case).sum::<Load>())
    }

    fn keep_case(&mut self, case: &str) {
        self.0.retain(|it| it.id == case);
    }
}

impl CallCase {
    async fn trial(
        &self,
        asking: Asking<'_>,
        seed: Seed,
    ) -> Result<Trial<CaseVerdict>, RegistryError> {
        let wanted = self.call.fill(&seed);
        let offer = Offer { among: self.among, ..Offer::new(asking.probe, [wanted.tool.as_str()]) };
        let tools = offer.tools(&seed)?;
        let words = ask_for(std::slice::from_ref(&wanted));
        let mut conversation = asking.conversation(&tools, &words);
        let turn = conversation.turn().await;
        let (facts, shown) = missing_case_reply(&turn.answer).unwrap_or_else(|| {
            match best_fit(&turn.reading, &wanted, &tools) {
                None => {
                    let reason = describe_missing_call(&turn.reading);
                    (CaseVerdict::NoCall, Observation::Negative(reason))
                }
                Some((call, fit)) => judge(self.judge, &fit, &call.input.to_string()),
            }
        });
        Ok(Trial::of(&conversation, shown, facts))
    }
}

fn judge(judge: CallJudge, fit: &Fit, input: &str) -> (CaseVerdict, Observation) {
    let reason = match (judge, fit) {
        (_, Fit::Exact) | (CallJudge::Valid, Fit::Valid) => {
            return (CaseVerdict::AcceptedValid, Finding::pass("as asked").into());
        }
        (CallJudge::Exact, Fit::Valid) => {
            format!("other values than asked for: {}", excerpt(input, 120))
        }
        (_, Fit::Invalid(problem)) => problem.clone(),
        (_, Fit::OtherTool(name)) => format!("a call of '{name}', which was not asked for"),
    };
    (CaseVerdict::AcceptedInvalid, Observation::Negative(reason))
}
