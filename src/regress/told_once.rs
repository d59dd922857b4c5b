//! One breakage is one row: which of an adapter's effects are told under another.
//!
//! - A verdict that changed while its requests were changed on their way, and its replies were not, is
//!   told under the row of the request: that is its cause. Where the replies were changed too, both are
//!   told.
//! - A verdict that changed while reasoning or its seals are all that changed in its replies is told under
//!   the row of that.
//! - Any other change of replies that a verdict rests on is told under that verdict.

use super::passage::{PassageView, RequestAspect};
use super::{AdapterEffect, Change, FieldChange};

const REQUESTS: &str = "seen.requests.*.verdict";
const REPLIES: &str = "seen.replies.*.verdict";

/// The replies' aspects that verdicts of probes rest on, or that follow from one of the calls.
const IN_VERDICTS: [&str; 7] = [
    "seen.replies.calls.verdict",
    "seen.replies.arguments.verdict",
    "seen.replies.text.verdict",
    "seen.replies.stop-reason.verdict",
    "seen.replies.lost.verdict",
    "seen.replies.call-ids.verdict",
    "seen.replies.defects.verdict",
];

/// The replies' aspects that a detail which clients no longer see stands for, or a defect.
const IN_DETAILS: [&str; 2] = ["seen.replies.fields.verdict", "seen.replies.defects.verdict"];

/// The verdict that rests on reasoning.
const REASONING: &str = "seen.replies.reasoning.verdict";
const OF_REASONING: [&str; 4] = [
    "reasoningReplay.*",
    "requiresReasoningReplay",
    "results.reasoningReplay.**",
    "results.singleTool.**",
];
/// The defects that a change of what clients see names better.
const NAMED_BETTER: [(&str, &str); 3] = [
    ("usage-missing", "seen.details.usage.verdict"),
    ("finish-missing", "seen.details.stop-reason.verdict"),
    ("stop-with-calls", "seen.replies.stop-reason.verdict"),
];

/// What every reader of event streams passes over, as the standard of them says.
const HARMLESS: &str = "sse-comment";

/// The rows by which reasoning or its seals are not to be seen, and the demand for them.
const HIDDEN_REASONING: [&str; 2] =
    ["seen.details.reasoning.verdict", "seen.details.reasoning-seal.verdict"];
const DEMANDED: &str = "requiresReasoningReplay";

/// The rows by which reasoning or its seals were changed.
const CHANGED_REASONING: [&str; 4] = [
    "seen.details.reasoning.verdict",
    "seen.details.reasoning-seal.verdict",
    "seen.replies.reasoning.verdict",
    "seen.replies.reasoning-seal.verdict",
];

/// The verdicts that rest on whole replies: what is wrong with those is told under them.
const OF_WHOLE_REPLIES: [&str; 2] = ["supportsPlainToolUse", "results.singleTool.status"];

/// What the ids of calls look like, and the defect that there are none.
const LOOKS_OF_IDS: [&str; 3] = ["seen.callIds", "seen.callIdLength", "seen.callIdCharacters.*"];
const NO_IDS: &str = "id-missing";

/// The changes with each breakage told once.
pub(super) fn tell_once(changes: Vec<Change>, passages: &PassageView) -> Vec<Change> {
    let is = |change: &Change, pattern: &str| change.at.field.matches(pattern);
    let changes = made_up_ids(hidden_reasoning_first(defects_named_better(changes)));
    let changes = changed_reasoning_first(changes, passages);
    let (mut requests, others): (Vec<_>, Vec<_>) =
        changes.into_iter().partition(|change| is(change, REQUESTS));
    let (replies, verdicts): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|change| is(change, REPLIES));
    let mut told = Vec::new();
    for verdict in verdicts {
        match cause_of(&verdict, &mut requests, passages) {
            Some(cause) => put_under(cause, verdict),
            None => told.push(verdict),
        }
    }
    let mut told = defects_once(told);
    for reply in replies {
        let holder = told.iter_mut().find(|verdict| tells(verdict, &reply));
        match holder {
            Some(verdict) => {
                verdict.also.push(reply.at);
                verdict.also.extend(reply.also);
            }
            None => told.push(reply),
        }
    }
    requests.extend(told);
    requests
}

/// A defect that another change names better is told under that, and a harmless one not at all.
fn defects_named_better(changes: Vec<Change>) -> Vec<Change> {
    let is_defect = |change: &Change| {
        let field = &change.at.field;
        let new = change.effect != Some(AdapterEffect::Fixes);
        new && (field.matches("results.**.defects.*") || field.matches("seen.defects.*"))
    };
    let (defects, mut told): (Vec<_>, Vec<_>) = changes.into_iter().partition(is_defect);
    for defect in defects {
        let code = defect.at.field.last().unwrap_or_default().to_owned();
        let better = NAMED_BETTER.iter().find(|(known, _)| *known == code);
        let holder = better
            .and_then(|(_, field)| told.iter_mut().find(|change| change.at.field.matches(field)));
        match holder {
            Some(holder) => put_under(holder, defect),
            None if code == HARMLESS => {}
            None => told.push(defect),
        }
    }
    told
}

/// Where a model demands its reasoning back and nobody sees it, everything that fails without it
/// follows from that.
fn hidden_reasoning_first(changes: Vec<Change>) -> Vec<Change> {
    let hides_demanded = |change: &Change| {
        let demand = |at: &FieldChange| at.field.matches(DEMANDED) && at.old == true;
        HIDDEN_REASONING.iter().any(|pattern| change.at.field.matches(pattern))
            && change.also.iter().any(demand)
    };
    let (mut hidden, others): (Vec<_>, Vec<_>) = changes.into_iter().partition(hides_demanded);
    let Some(cause) = hidden.first_mut() else { return others };
    let (effects, mut told): (Vec<_>, Vec<_>) = others.into_iter().partition(|it| {
        it.at.field.matches("results.**") && it.effect <= Some(AdapterEffect::LeavesOpen)
    });
    for effect in effects {
        put_under(cause, effect);
    }
    told.extend(hidden);
    told
}

/// What fails where nothing but the reasoning was changed follows from that.
fn changed_reasoning_first(changes: Vec<Change>, passages: &PassageView) -> Vec<Change> {
    let is_changed = |change: &Change, pattern: &str| change.at.field.matches(pattern);
    let place = CHANGED_REASONING
        .iter()
        .find_map(|pattern| changes.iter().position(|change| is_changed(change, pattern)));
    let Some(place) = place else { return changes };
    let mut others = changes;
    let mut cause = others.remove(place);
    let (effects, mut told): (Vec<_>, Vec<_>) = others.into_iter().partition(|it| {
        !it.at.field.matches("seen.**")
            && it.effect != Some(AdapterEffect::Fixes)
            && passages.lost_only_reasoning(&it.evidence.new)
    });
    for effect in effects {
        put_under(&mut cause, effect);
    }
    told.push(cause);
    told
}

/// Where calls have no ids, those that stand in their place look as they like.
fn made_up_ids(changes: Vec<Change>) -> Vec<Change> {
    let looks = |change: &Change| LOOKS_OF_IDS.iter().any(|it| change.at.field.matches(it));
    let lacks = |change: &&mut Change| named_defects(change).any(|code| code == NO_IDS);
    let (looks, mut told): (Vec<_>, Vec<_>) = changes.into_iter().partition(looks);
    for change in looks {
        match told.iter_mut().find(lacks) {
            Some(defect) => put_under(defect, change),
            None => told.push(change),
        }
    }
    told
}

/// The defects that a change is about, in its own place or among what it tells besides.
fn named_defects(change: &Change) -> impl Iterator<Item = &str> {
    let all = std::iter::once(&change.at).chain(&change.also);
    let defects = all.filter(|at| {
        at.field.matches("results.**.defects.*") || at.field.matches("seen.defects.*")
    });
    defects.filter_map(|at| at.field.last())
}

/// A defect of whole replies that a probe found too is told where the probe found it, or under the verdict
/// that rests on them.
fn defects_once(changes: Vec<Change>) -> Vec<Change> {
    let is_new = |change: &Change| change.effect != Some(AdapterEffect::Fixes);
    let (seen, mut told): (Vec<_>, Vec<_>) = changes
        .into_iter()
        .partition(|change| change.at.field.matches("seen.defects.*") && is_new(change));
    for change in seen {
        let code = change.at.field.last().unwrap_or_default();
        let holds = |other: &Change| {
            named_defects(other).any(|known| known == code)
                || OF_WHOLE_REPLIES.iter().any(|pattern| other.at.field.matches(pattern))
        };
        match told.iter_mut().find(|other| is_new(other) && holds(other)) {
            Some(probe) => probe.also.push(change.at),
            None => told.push(change),
        }
    }
    told
}

/// The gravest change of the requests that a verdict rests on. What works through the adapter and not
/// directly stays a row of its own.
fn cause_of<'a>(
    verdict: &Change,
    requests: &'a mut [Change],
    passages: &PassageView,
) -> Option<&'a mut Change> {
    if verdict.effect == Some(AdapterEffect::Fixes) {
        return None;
    }
    let causes = passages.request_causes(&verdict.evidence.new);
    let is_cause = |change: &Change| aspect(change).is_some_and(|it| causes.contains(&it));
    let candidates = requests.iter_mut().filter(|change| is_cause(change));
    candidates.reduce(|best, other| if other.severity > best.severity { other } else { best })
}

fn aspect(change: &Change) -> Option<RequestAspect> {
    let path = change.at.field.to_string();
    serde_json::from_value(path.split('.').nth(2)?.into()).ok()
}

/// The row of the cause weighs as much as what follows from it.
fn put_under(cause: &mut Change, effect: Change) {
    let Change { at, also, severity, effect: adapter, class, .. } = effect;
    cause.severity = cause.severity.max(severity);
    if adapter < cause.effect {
        (cause.effect, cause.class) = (adapter, class);
    }
    cause.also.extend(std::iter::once(at).chain(also));
}

fn tells(verdict: &Change, reply: &Change) -> bool {
    let at = |pattern: &str| verdict.at.field.matches(pattern);
    let shows = |at: &FieldChange, patterns: &[&str]| {
        patterns.iter().any(|pattern| at.field.matches(pattern))
    };
    let is_verdict =
        !at("seen.**") || at("seen.defects.*") || at("seen.details.masked-arguments.*");
    (shows(&reply.at, &IN_VERDICTS) && is_verdict)
        || (shows(&reply.at, &IN_DETAILS)
            && (at("seen.details.*.verdict") || named_defects(verdict).next().is_some()))
        || (shows(&reply.at, &[REASONING]) && OF_REASONING.iter().any(|pattern| at(pattern)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{DialectId, Route};
    use crate::ir::{Digest, Part, ReasoningField, ReasoningState, Reply, Stop, StopKind};
    use crate::profile::ReplyMode;
    use crate::regress::fixtures::change;
    use crate::regress::passage::{BodyShape, Passage, ReplySaid, SeenReply, SeenRequest};
    use serde_json::json;

    fn request(system: &str) -> SeenRequest {
        let dialect = DialectId::OpenAiChat;
        let body = json!({"model": "m", "messages": [{"role": "system", "content": system},
            {"role": "user", "content": "Hello"}]});
        let request = dialect.codec().decode_request(&body, &Route::default()).unwrap();
        SeenRequest { dialect, body, request, betas: std::collections::BTreeSet::new() }
    }

    fn reply_of(text: &str) -> SeenReply {
        let reply =
            Reply::new(vec![Part::Text(text.to_owned())], Stop::new(StopKind::EndTurn, "stop"));
        let said = ReplySaid::Reply(Box::new(reply));
        SeenReply {
            dialect: DialectId::OpenAiChat,
            status: 200,
            headers: Vec::new(),
            mode: ReplyMode::Plain,
            shape: BodyShape::default(),
            said,
        }
    }

    /// The codes that are told of a lost loop, where the reply came with this text.
    fn told(came: &str) -> Vec<String> {
        let client = Digest::of("client");
        let passages = PassageView::of(&[Passage {
            requests: (request("Be brief."), request("")),
            replies: (reply_of("Good day."), reply_of(came)),
            client: client.clone(),
            upstream: Digest::of("upstream"),
        }]);
        let mut verdict = change("closed-loop-lost");
        (verdict.evidence.new, verdict.effect) = (vec![client], Some(AdapterEffect::Breaks));
        let cause = change("request-system-changed");
        codes_of(&tell_once(vec![verdict, cause], &passages))
    }

    #[test]
    fn a_verdict_is_told_under_the_request_unless_its_reply_was_changed_too() {
        assert_eq!(told("Good day."), ["request-system-changed"]);
        assert_eq!(told("Good"), ["request-system-changed", "closed-loop-lost"]);
    }

    #[test]
    fn a_verdict_without_an_exchange_of_its_own_is_told_under_the_request_that_was_changed() {
        let passage = |name: &str, arrived: &str| Passage {
            requests: (request("Be brief."), request(arrived)),
            replies: (reply_of("Good day."), reply_of("Good day.")),
            client: Digest::of(name),
            upstream: Digest::of(name),
        };
        let passages = PassageView::of(&[passage("first", "Be brief."), passage("second", "")]);
        let told = |evidence: &[&str]| {
            let mut verdict = change("closed-loop-lost");
            verdict.evidence.new = evidence.iter().map(Digest::of).collect();
            verdict.effect = Some(AdapterEffect::Breaks);
            codes_of(&tell_once(vec![verdict, change("request-system-changed")], &passages))
        };
        assert_eq!(told(&["first", "never sent"]), ["request-system-changed"]);
        assert_eq!(told(&["first"]), ["request-system-changed", "closed-loop-lost"]);
    }

    #[test]
    fn a_changed_reply_is_told_under_the_verdict_that_rests_on_it() {
        let passages = PassageView::default();
        let told = |codes: &[&str]| -> Vec<String> {
            let told = tell_once(codes.iter().map(|code| change(code)).collect(), &passages);
            codes_of(&told)
        };
        assert_eq!(told(&["parallel-lost", "reply-calls-changed"]), ["parallel-lost"]);
        assert_eq!(told(&["reply-calls-changed"]), ["reply-calls-changed"]);
        let apart = ["fingerprint-hidden", "reply-calls-changed"];
        assert_eq!(told(&apart), apart);
    }

    fn codes_of(changes: &[Change]) -> Vec<String> {
        changes.iter().map(|it| it.code.to_string()).collect()
    }

    #[test]
    fn what_fails_without_the_reasoning_that_was_lost_is_told_under_it() {
        let thought = |thought: &str| {
            let state = ReasoningState::new(ReasoningField::ReasoningContent, json!(thought));
            let parts = vec![Part::Reasoning(state), Part::Text("Good day.".to_owned())];
            let reply = Reply::new(parts, Stop::new(StopKind::EndTurn, "stop"));
            SeenReply { said: ReplySaid::Reply(Box::new(reply)), ..reply_of("") }
        };
        let told = |came: SeenReply| {
            let client = Digest::of("client");
            let passages = PassageView::of(&[Passage {
                requests: (request("Be brief."), request("Be brief.")),
                replies: (thought("Let me see."), came),
                client: client.clone(),
                upstream: Digest::of("upstream"),
            }]);
            let mut verdict = change("closed-loop-lost");
            (verdict.evidence.new, verdict.effect) = (vec![client], Some(AdapterEffect::Breaks));
            codes_of(&tell_once(vec![verdict, change("reply-reasoning-changed")], &passages))
        };
        assert_eq!(told(thought("Let me")), ["reply-reasoning-changed"]);
        assert_eq!(told(reply_of("Good")), ["closed-loop-lost", "reply-reasoning-changed"]);
    }

    #[test]
    fn a_defect_is_told_under_the_verdict_that_names_it_or_rests_on_whole_replies() {
        let passages = PassageView::default();
        let told = |changes: Vec<Change>| codes_of(&tell_once(changes, &passages));
        let defect = || change("reply-defect-new");
        let mut named = change("closed-loop-lost");
        assert_eq!(told(vec![named.clone(), defect()]).len(), 2);
        named.also.push(defect().at);
        assert_eq!(told(vec![named, defect()]), ["closed-loop-lost"]);
        assert_eq!(told(vec![change("plain-tools-lost"), defect()]), ["plain-tools-lost"]);
    }

    #[test]
    fn lost_fields_are_told_under_the_detail_that_they_hold() {
        let both = |one: &str| vec![change(one), change("reply-fields-lost")];
        let told = |one: &str| codes_of(&tell_once(both(one), &PassageView::default()));
        assert_eq!(told("usage-hidden"), ["usage-hidden"]);
        assert_eq!(told("reply-defect-new"), ["reply-defect-new"]);
        assert_eq!(told("reply-model-changed").len(), 2);
    }
}
