//! Must the reasoning that came with a call be sent back, and what happens if it is not?

use std::collections::BTreeMap;

use futures_util::future::join_all;

use super::bench::{Bench, Offer, Trial, blocked, variant, wanted};
use super::calls::no_call;
use super::outcome::settled;
use super::reasoning_variants::Change;
use super::suite::OneCall;
use super::{Probe, Seed, ask_for};
use crate::conversation::{Conversation, EvidencedAnswer, Turn};
use crate::ir::{Message, Part, ReasoningField, Request};
use crate::profile::{Finding, Replay, ReplayMode, Taken, Variant};

/// What one trial told of replaying.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    mode: Option<ReplayMode>,
    field: Option<ReasoningField>,
    variants: BTreeMap<String, Variant>,
}

impl Facts {
    /// Nothing but a mode.
    pub(super) fn of_mode(mode: Option<ReplayMode>) -> Self {
        Self { mode, ..Self::default() }
    }
}

/// Asks for a call and goes on with its reasoning sent back in five ways.
pub(super) async fn trials(bench: &Bench, probe: &Probe, ask: &OneCall) -> Vec<Trial<Facts>> {
    join_all(bench.seeds(&probe.id, "").iter().map(|seed| trial(bench, probe, ask, seed))).await
}

/// The result: the gravest mode that a trial showed, since an adapter must be ready for it.
pub(super) fn settle(probe: &str, trials: Vec<Trial<Facts>>) -> Replay {
    let gravity = |mode: ReplayMode| match mode {
        ReplayMode::Absent => 0,
        ReplayMode::Ignored => 1,
        ReplayMode::Accepted => 2,
        ReplayMode::Rejected => 3,
        ReplayMode::Required => 4,
    };
    let facts = trials
        .iter()
        .map(|trial| &trial.facts)
        .max_by_key(|facts| facts.mode.map(gravity))
        .cloned()
        .unwrap_or_default();
    let unneeded = Finding::Skipped("settled within the trial".to_owned());
    let (outcome, _) = settled(probe, trials, &unneeded, "the faithful replay");
    Replay { outcome, mode: facts.mode, field: facts.field, variants: facts.variants }
}

async fn trial(bench: &Bench, probe: &Probe, ask: &OneCall, seed: &Seed) -> Trial<Facts> {
    let wanted = wanted(&ask.call, seed);
    let tools = match (Offer { probe, names: &[&wanted.tool], among: 0, filler: 0 }).tools(seed) {
        Ok(tools) => tools,
        Err(error) => return Trial::skipped(error.to_string(), Facts::default()),
    };
    let words = format!("{}\n\n{}", ask_for(std::slice::from_ref(&wanted)), ask.then);
    let mut conversation = bench.conversation(&tools, &words);
    let said = conversation.turn().await;
    let field = said.reply().and_then(|reply| first_field(&reply.parts));
    if let Some((finding, mode)) = nothing_to_replay(&said, field) {
        return Trial::of(&conversation, finding, Facts::of_mode(mode));
    }
    conversation.run_tools(&said).await;
    let turns = replayed(bench, &mut conversation).await;
    let variants: BTreeMap<Change, Variant> =
        turns.iter().map(|(change, turn)| (*change, variant(&turn.answer))).collect();
    let before = said.reply().and_then(|reply| reply.usage.input);
    let (finding, mode) = judge(&variants, before);
    // Without a verdict on the two that are each other's control, the others have none either.
    let is_known =
        |change: Change| mode.is_some() || matches!(change, Change::Faithful | Change::Omitted);
    let variants = variants
        .into_iter()
        .filter(|(change, _)| is_known(*change))
        .map(|(change, it)| (change.as_str().to_owned(), it));
    let facts = Facts { mode, field, variants: variants.collect() };
    let mut trial = Trial::of(&conversation, finding, facts);
    trial.evidence.extend(turns.into_iter().map(|(_, turn)| turn.evidence));
    trial
}

fn first_field(parts: &[Part]) -> Option<ReasoningField> {
    parts.iter().find_map(|part| match part {
        Part::Reasoning(state) => Some(state.field),
        _ => None,
    })
}

/// Why there is nothing to send back, where there is not.
fn nothing_to_replay(
    said: &Turn,
    field: Option<ReasoningField>,
) -> Option<(Finding, Option<ReplayMode>)> {
    if let Some(finding) = blocked(&said.answer, "no reply with reasoning") {
        return Some((finding, None));
    }
    match (field, said.reading.calls.is_empty()) {
        (None, _) => {
            let why = "the reply carries no reasoning state".to_owned();
            Some((Finding::Skipped(why), Some(ReplayMode::Absent)))
        }
        (Some(_), true) => Some((
            Finding::Skipped(format!("no call to go on from: {}", no_call(&said.reading))),
            None,
        )),
        (Some(_), false) => None,
    }
}

/// The next turn, asked with each change at the same time.
async fn replayed(
    bench: &Bench,
    conversation: &mut Conversation<'_>,
) -> Vec<(Change, EvidencedAnswer)> {
    let request = conversation.request().clone();
    let asks = Change::ALL.into_iter().filter_map(|change| {
        let changed = with(&request, change);
        // A change that changes nothing asks the same question again.
        (change == Change::Faithful || changed != request).then_some((change, changed))
    });
    join_all(
        asks.map(|(change, request)| async move { (change, bench.client.ask(&request).await) }),
    )
    .await
}

fn with(request: &Request, change: Change) -> Request {
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
