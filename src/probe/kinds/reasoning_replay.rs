//! `[ask.reasoning-replay]`: must the reasoning that came with a call be sent back?
//!
//! The follow-up is sent with the reasoning as it came, and with it changed in each way of
//! [`Change`]; which of them are refused gives the mode.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Asking, Blocked, CallAsk, Case, Change, Costing, Estimate, Offer, OneCall, ProbeKind, Seed,
    SettledCase, Trial, count, describe_missing_call, hold_together, missing_start, outcome,
    variant,
};
use crate::conversation::{Conversation, EvidencedAnswer, Turn};
use crate::ir::{Message, Part, ReasoningField, Request};
use crate::profile::{Finding, ProbeResult, Replay, ReplayMode, Taken, Variant};
use crate::telemetry::TurnEvent;
use crate::tools::RegistryError;

/// The follow-up with its reasoning replayed faithfully and not.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ReasoningReplay(OneCall);

/// What one trial told of replaying.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    mode: Option<ReplayMode>,
    field: Option<ReasoningField>,
    variants: BTreeMap<String, Variant>,
}

impl Facts {
    fn of_mode(mode: Option<ReplayMode>) -> Self {
        Self { mode, ..Self::default() }
    }
}

impl ProbeKind for ReasoningReplay {
    const NAME: &'static str = "reasoning-replay";
    type Facts = Facts;

    fn calls(&self) -> Vec<&CallAsk> {
        vec![&self.0.call]
    }

    async fn ask(&self, asking: Asking<'_>) -> Vec<Case<Facts>> {
        vec![asking.hold("", |seed| self.trial(asking, seed)).await]
    }

    /// A model that makes no calls has nothing to send back.
    fn block(&self, why: &Blocked) -> Vec<Case<Facts>> {
        let facts = Facts::of_mode(why.never_calls.then_some(ReplayMode::Absent));
        vec![Case { id: String::new(), trials: vec![Trial::unheld(why.finding.clone(), facts)] }]
    }

    /// The gravest mode that a trial showed, since an adapter must be ready for it.
    fn result(probe: &str, cases: &[SettledCase<Facts>]) -> ProbeResult {
        let gravity = |mode: ReplayMode| match mode {
            ReplayMode::Absent => 0,
            ReplayMode::Ignored => 1,
            ReplayMode::Accepted => 2,
            ReplayMode::Rejected => 3,
            ReplayMode::Required => 4,
        };
        let facts = cases.iter().flat_map(|case| &case.trials).map(|trial| &trial.facts);
        let gravest = facts.max_by_key(|facts| facts.mode.map(gravity)).cloned();
        let Facts { mode, field, variants } = gravest.unwrap_or_default();
        ProbeResult::Replay(Replay { outcome: outcome(probe, cases), mode, field, variants })
    }

    fn turns(&self) -> u32 {
        3
    }

    fn estimate(&self, costing: &Costing<'_>) -> Estimate {
        let talk = costing.talk(self.calls(), &self.0.then);
        Estimate { likely: talk.turns(1), most: talk.turns(1 + count(Change::ALL.len())) }
    }
}

impl ReasoningReplay {
    /// Settles itself: the faithful replay and the omission are each other's control.
    async fn trial(&self, asking: Asking<'_>, seed: Seed) -> Result<Trial<Facts>, RegistryError> {
        let wanted = self.0.call.fill(&seed);
        let tools = Offer::new(asking.probe, [wanted.tool.as_str()]).tools(&seed)?;
        let mut conversation = asking.conversation(&tools, &self.0.words(&wanted));
        let turn = conversation.turn().await;
        let field = turn.reply().and_then(|reply| first_field(&reply.parts));
        if let Some((finding, mode)) = nothing_to_replay(&turn, field) {
            return Ok(Trial::of(&conversation, finding, Facts::of_mode(mode)));
        }
        conversation.run_tools(&turn).await;
        let answers = ask_variants(asking, &mut conversation).await;
        let variants: BTreeMap<Change, Variant> =
            answers.iter().map(|(change, it)| (*change, variant(&it.answer))).collect();
        let before = turn.reply().and_then(|reply| reply.usage.input);
        let (finding, mode) = judge(&variants, before);
        let all_refused = variants.values().all(|variant| variant.taken == Taken::Rejected);
        // Without a verdict on the two that are each other's control, the others have none either.
        let is_known =
            |change: Change| mode.is_some() || matches!(change, Change::Faithful | Change::Omitted);
        let variants = variants
            .into_iter()
            .filter(|(change, _)| is_known(*change))
            .map(|(change, it)| (change.as_str().to_owned(), it));
        let facts = Facts { mode, field, variants: variants.collect() };
        let mut trial = Trial::of(&conversation, finding, facts);
        if all_refused {
            trial.telemetry.push(TurnEvent { closure_errors: 1, ..TurnEvent::default() });
        }
        trial.add_answers(answers.iter().map(|(_, it)| it));
        Ok(trial)
    }
}

fn first_field(parts: &[Part]) -> Option<ReasoningField> {
    parts.iter().find_map(|part| match part {
        Part::Reasoning(state) => Some(state.field),
        _ => None,
    })
}

/// Why there is nothing to send back, where there is not.
fn nothing_to_replay(
    turn: &Turn,
    field: Option<ReasoningField>,
) -> Option<(Finding, Option<ReplayMode>)> {
    if let Some(finding) = missing_start(&turn.answer, "no reply with reasoning") {
        return Some((finding, None));
    }
    match (field, turn.reading.calls.is_empty()) {
        (None, _) => {
            let why = "the reply carries no reasoning state".to_owned();
            Some((Finding::Skipped(why), Some(ReplayMode::Absent)))
        }
        (Some(_), true) => Some((
            Finding::Skipped(format!(
                "no call to go on from: {}",
                describe_missing_call(&turn.reading)
            )),
            None,
        )),
        (Some(_), false) => None,
    }
}

/// The next turn, asked with each change at the same time.
async fn ask_variants(
    asking: Asking<'_>,
    conversation: &mut Conversation<'_>,
) -> Vec<(Change, EvidencedAnswer)> {
    let request = conversation.request().clone();
    let asks = Change::ALL.into_iter().filter_map(|change| {
        let changed = change_request(&request, change);
        // A change that changes nothing asks the same question again.
        (change == Change::Faithful || changed != request).then_some((change, changed))
    });
    hold_together(
        asks.map(
            |(change, request)| async move { (change, asking.bench.client.ask(&request).await) },
        ),
    )
    .await
}

fn change_request(request: &Request, change: Change) -> Request {
    let messages = request
        .messages
        .iter()
        .map(|message| Message { role: message.role, parts: change.apply(&message.parts) });
    Request { messages: messages.collect(), ..request.clone() }
}

/// The mode, which takes both the faithful replay and the omission to tell. `before` is what the
/// prompt came to when neither the call nor its result was in it: a count that has not grown since
/// is made up, and shows nothing.
fn judge(
    variants: &BTreeMap<Change, Variant>,
    before: Option<u64>,
) -> (Finding, Option<ReplayMode>) {
    let (Some(faithful), Some(omitted)) =
        (variants.get(&Change::Faithful), variants.get(&Change::Omitted))
    else {
        return (Finding::Skipped("nothing to compare".to_owned()), None);
    };
    let said = |variant: &Variant| variant.said.clone().unwrap_or_default();
    match (faithful.taken, omitted.taken) {
        (Taken::Accepted, Taken::Rejected) => (
            Finding::pass(format!("omitting it is refused: {}", said(omitted))),
            Some(ReplayMode::Required),
        ),
        (Taken::Rejected, Taken::Accepted) => (
            Finding::pass(format!("including it is refused: {}", said(faithful))),
            Some(ReplayMode::Rejected),
        ),
        (Taken::Accepted, Taken::Accepted) => match (faithful.prompt_tokens, omitted.prompt_tokens)
        {
            (Some(with), Some(without))
                if with == without && before.is_some_and(|before| with > before) =>
            {
                let words =
                    "accepted, but the prompt is no longer for it: it never reached the model";
                (Finding::pass(words), Some(ReplayMode::Ignored))
            }
            _ => (Finding::pass("accepted with it and without it"), Some(ReplayMode::Accepted)),
        },
        (Taken::Rejected, Taken::Rejected) => {
            let words = format!("the follow-up is refused in any case: {}", said(faithful));
            (Finding::Skipped(words), None)
        }
        _ => {
            let words =
                if faithful.taken == Taken::Inconclusive { said(faithful) } else { said(omitted) };
            (Finding::Inconclusive(words), None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(taken: Taken, prompt_tokens: Option<u64>) -> Variant {
        Variant { taken, said: Some("no".into()), prompt_tokens }
    }

    fn mode(faithful: Variant, omitted: Variant) -> Option<ReplayMode> {
        let variants = BTreeMap::from([(Change::Faithful, faithful), (Change::Omitted, omitted)]);
        judge(&variants, Some(100)).1
    }

    #[test]
    fn the_mode_follows_from_the_faithful_replay_and_the_omission() {
        use Taken::{Accepted, Inconclusive, Rejected};
        let cases = [
            (Accepted, Rejected, Some(ReplayMode::Required)),
            (Rejected, Accepted, Some(ReplayMode::Rejected)),
            (Accepted, Accepted, Some(ReplayMode::Accepted)),
            (Rejected, Rejected, None),
            (Inconclusive, Rejected, None),
            (Accepted, Inconclusive, None),
        ];
        for (faithful, omitted, expected) in cases {
            assert_eq!(mode(taken(faithful, None), taken(omitted, None)), expected);
        }
    }

    #[test]
    fn equal_prompt_tokens_show_that_it_was_dropped() {
        let accepted = |tokens| taken(Taken::Accepted, Some(tokens));
        assert_eq!(mode(accepted(120), accepted(120)), Some(ReplayMode::Ignored));
        assert_eq!(mode(accepted(150), accepted(120)), Some(ReplayMode::Accepted));
    }

    #[test]
    fn a_count_that_never_grows_shows_nothing() {
        let accepted = |tokens| taken(Taken::Accepted, Some(tokens));
        for made_up in [0, 100] {
            assert_eq!(mode(accepted(made_up), accepted(made_up)), Some(ReplayMode::Accepted));
        }
    }
}
