//! `[ask.closed-loop]`: is a result consumed, under the id that the endpoint issued?

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Asking, CallAsk, Case, Costing, Estimate, Fit, Offer, ProbeKind, Seed, SettledCase, Trial,
    answer_text, ask_for, best_fit, describe_answer, describe_missing_call, holds, missing_start,
    outcome, receipt,
};
use crate::conversation::{Miss, Turn};
use crate::ir::ToolResult;
use crate::profile::{Finding, Loop, ProbeResult};
use crate::tools::RegistryError;

/// Prompt tokens that the call and its result added.
type Delta = Option<i64>;

/// A call, its result, and an answer that only the result makes possible.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClosedLoop {
    /// The call to ask for.
    call: CallAsk,
    /// What to do with the result.
    then: String,
    /// Characters of filler in the result, before and after what matters.
    #[serde(default)]
    filler: u32,
}

impl ProbeKind for ClosedLoop {
    const NAME: &'static str = "closed-loop";
    type Facts = Delta;

    fn calls(&self) -> Vec<&CallAsk> {
        vec![&self.call]
    }

    async fn ask(&self, asking: Asking<'_>) -> Vec<Case<Delta>> {
        vec![asking.hold("", |seed| self.trial(asking, seed)).await]
    }

    fn result(probe: &str, cases: &[SettledCase<Delta>]) -> ProbeResult {
        let mut trials = cases.iter().flat_map(|case| &case.trials);
        let prompt_token_delta = trials.find_map(|trial| trial.facts);
        ProbeResult::Loop(Loop { outcome: outcome(probe, cases), prompt_token_delta })
    }

    fn turns(&self) -> u32 {
        2
    }

    fn estimate(&self, costing: &Costing<'_>) -> Estimate {
        let talk = costing.talk(self.calls(), &self.then).with_filler(self.filler);
        // A follow-up that is refused for its reasoning is asked again without it.
        Estimate { likely: talk.turns(2), most: talk.turns(3) }
    }
}

impl ClosedLoop {
    /// Settles itself: its own call is the control of every failure.
    async fn trial(&self, asking: Asking<'_>, seed: Seed) -> Result<Trial<Delta>, RegistryError> {
        let wanted = self.call.fill(&seed);
        let offer =
            Offer { filler: self.filler, ..Offer::new(asking.probe, [wanted.tool.as_str()]) };
        let tools = offer.tools(&seed)?;
        let words = format!("{}\n\n{}", ask_for(std::slice::from_ref(&wanted)), self.then);
        let mut conversation = asking.conversation(&tools, &words);
        let called = conversation.turn().await;
        let fit = best_fit(&called.reading, &wanted, &tools).map(|(_, fit)| fit);
        let is_exact = fit == Some(Fit::Exact);
        let first = missing_start(&called.answer, "no call to answer").unwrap_or_else(|| {
            Finding::Skipped(match fit {
                Some(Fit::Exact | Fit::Valid) => return Finding::pass("a call to answer"),
                Some(Fit::Invalid(problem)) => format!("no valid call to answer: {problem}"),
                Some(Fit::OtherTool(name)) => format!("no call to answer but one of '{name}'"),
                None => format!("no call to answer: {}", describe_missing_call(&called.reading)),
            })
        });
        if !matches!(first, Finding::Pass(_)) {
            return Ok(Trial::of(&conversation, first, None));
        }
        let results = conversation.run_tools(&called).await;
        let answered = conversation.turn().await;
        let finding = judge(&answered, &results, &first);
        let trial = Trial::of(&conversation, finding, token_delta(&called, &answered));
        Ok(Trial { is_exact, ..trial })
    }
}

fn judge(answered: &Turn, results: &[ToolResult], called: &Finding) -> Finding {
    let fail = |reason: String| Finding::fail_against(reason, called, "the call itself");
    let reply = match (answered.answer.miss(), answered.reply()) {
        (Some(Miss::Open(words)), _) => return Finding::Inconclusive(words),
        (Some(Miss::Clear(words)), _) => {
            return fail(format!("the result is not answered: {words}"));
        }
        (None, None) => return Finding::Skipped("no answer".to_owned()),
        (None, Some(reply)) => reply,
    };
    let receipts: Vec<&str> = results.iter().filter_map(receipt).collect();
    if receipts.iter().any(|receipt| holds(&answer_text(answered, reply), receipt)) {
        return Finding::pass("the answer holds what only the result could tell");
    }
    fail(describe_answer(answered, &receipts, &reply.reasoning_text()))
}

fn token_delta(called: &Turn, answered: &Turn) -> Delta {
    let input = |turn: &Turn| i64::try_from(turn.reply()?.usage.input?).ok();
    Some(input(answered)? - input(called)?)
}
