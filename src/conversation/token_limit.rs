//! Token limit: what is left of a reply that it ended.
//!
//! Half a call is not a call, and a reply that was still thinking is not an answer. Neither shows what
//! the model would have done, so neither may count against it. Servers that hide the limit behind another
//! stop reason are found out by the tokens they count.

use super::{Answer, Reading};
use crate::dialect::ApiError;
use crate::ir::{Defect, Object, Part, Reply, StopKind};

/// Why nothing is concluded from what a reply lacks that the limit ended.
pub(crate) const CUT_BY_LIMIT: &str =
    "the token limit ended the reply; --max-tokens gives it more room";

/// Notes on a reply that its output tokens reach what the request allowed, where its stop reason does
/// not say so.
pub(super) fn mark_masked(answer: &mut Answer, allowed: Option<u64>) {
    let Answer::Reply(reply) = answer else { return };
    let Some(used) = reply.usage.output.filter(|_| !is_at_limit(reply)) else { return };
    if allowed.is_some_and(|allowed| used >= allowed) {
        reply.defects.record(Defect::LimitMasked);
    }
}

/// Words by which a refusal tells that it is about the token limit, in lower case.
const LIMIT_WORDS: [&str; 6] = [
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxoutputtokens",
    "num_predict",
    "output tokens",
];

/// A smaller number is not a limit that a reply fits in.
const LEAST_LIMIT: u64 = 64;

/// The most tokens that an endpoint allows, where it refuses a request for the limit that was sent:
/// `max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens`.
pub(super) fn allowed_instead(sent: u64, refusal: &ApiError) -> Option<u64> {
    let words = refusal.message.to_lowercase();
    let place = refusal.param.as_deref().unwrap_or_default().to_lowercase();
    if !LIMIT_WORDS.iter().any(|word| words.contains(word) || place.contains(word)) {
        return None;
    }
    let numbers = words.split(|letter: char| !letter.is_ascii_digit());
    let numbers = numbers.filter_map(|digits| digits.parse().ok());
    numbers.filter(|number| (LEAST_LIMIT..sent).contains(number)).max()
}

/// Why such a reply is not judged.
pub(super) const ENDED_EARLY: &str =
    "the token limit ended the reply before a call or an answer was complete";

/// Takes the call that the limit cut off a reply, and says whether there was one. Sent back, it
/// would be refused by servers that read the arguments of their own history.
pub(super) fn take_cut_call(reply: &mut Reply) -> bool {
    let is_cut = is_at_limit(reply)
        && match reply.parts.last() {
            Some(Part::BrokenCall(_)) => true,
            // What some servers make of arguments that did not arrive.
            Some(Part::Call(call)) => call.input.as_object().is_some_and(Object::is_empty),
            _ => false,
        };
    if is_cut {
        reply.parts.pop();
    }
    is_cut
}

/// Whether nothing can be concluded from a reply, because it was ended before it said anything.
pub(super) fn ended_early(reply: &Reply, reading: &Reading, call_was_cut: bool) -> bool {
    is_at_limit(reply)
        && reading.calls.is_empty()
        && (call_was_cut || reading.ends_in_call || reading.text.trim().is_empty())
}

/// Whether the limit ended a reply, said or not.
pub(super) fn is_at_limit(reply: &Reply) -> bool {
    matches!(reply.stop.kind, StopKind::MaxTokens | StopKind::ContextExceeded)
        || reply.defects.contains(Defect::LimitMasked)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::read;
    use super::*;
    use crate::ir::{BrokenCall, CallFormat, CallId, Stop, ToolCall, ToolSpec};

    fn reply(parts: Vec<Part>, kind: StopKind) -> Reply {
        Reply::new(parts, Stop::unlabelled(kind))
    }

    fn call(input: serde_json::Value) -> Part {
        let (id, raw) = (CallId::new("0"), serde_json::Value::Null);
        Part::Call(ToolCall { id, name: "add".into(), input, format: CallFormat::OpenAi, raw })
    }

    fn half() -> Part {
        Part::BrokenCall(BrokenCall {
            id: CallId::new("1"),
            name: "add".into(),
            arguments: "{\"a\": 1, \"b".into(),
            problem: "not JSON".into(),
        })
    }

    fn judged(parts: Vec<Part>, kind: StopKind) -> (bool, usize) {
        let mut reply = reply(parts, kind);
        let cut = take_cut_call(&mut reply);
        let spec = ToolSpec::new("add", "", json!({"type": "object"}));
        let reading = read(&reply, &[spec]);
        (ended_early(&reply, &reading, cut), reply.parts.len())
    }

    #[test]
    fn a_call_that_the_limit_cut_is_taken_off_and_whole_ones_stay() {
        let whole = || call(json!({"a": 1}));
        assert_eq!(judged(vec![whole(), half()], StopKind::MaxTokens), (false, 1));
        assert_eq!(judged(vec![whole(), call(json!({}))], StopKind::MaxTokens), (false, 1));
        assert_eq!(judged(vec![half()], StopKind::MaxTokens), (true, 0));
        assert_eq!(judged(vec![whole(), half()], StopKind::ToolUse), (false, 2));
    }

    #[test]
    fn a_refusal_of_the_limit_tells_the_one_to_use() {
        let allowed = |sent, message: &str| {
            let body = json!({"error": {"message": message}}).to_string();
            allowed_instead(sent, &ApiError::from_response(400, Vec::new(), &body))
        };
        let rows = [
            (
                8192,
                "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for claude-3-opus-20240229",
                Some(4096),
            ),
            (
                8192,
                "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
                Some(4096),
            ),
            (2048, "Range of max_tokens should be [1, 1500]", Some(1500)),
            (2048, "Unsupported parameter: 'max_tokens'", None),
            (2048, "Invalid 'tools': array too long. Expected 128, but got 129 instead.", None),
            (2048, "max_tokens must be at least 1", None),
        ];
        for (sent, message, expected) in rows {
            assert_eq!(allowed(sent, message), expected, "{message}");
        }
    }

    #[test]
    fn a_reply_as_long_as_allowed_is_cut_whatever_its_stop_reason() {
        let masked = |used: Option<u64>, kind| {
            let mut reply = reply(vec![Part::Text("The".to_owned())], kind);
            reply.usage.output = used;
            let mut answer = Answer::Reply(Box::new(reply));
            mark_masked(&mut answer, Some(64));
            (
                answer.is_cut_by_limit(),
                answer.reply().unwrap().defects.contains(Defect::LimitMasked),
            )
        };
        assert_eq!(masked(Some(64), StopKind::EndTurn), (true, true));
        assert_eq!(masked(Some(64), StopKind::MaxTokens), (true, false));
        assert_eq!(masked(Some(63), StopKind::EndTurn), (false, false));
        assert_eq!(masked(None, StopKind::EndTurn), (false, false));
    }

    #[test]
    fn babble_is_an_answer_and_half_a_call_or_nothing_is_none() {
        let text = |text: &str| vec![Part::Text(text.to_owned())];
        let at_limit = |parts| judged(parts, StopKind::MaxTokens).0;
        assert!(!at_limit(text("The tool adds. The tool adds. The tool")));
        assert!(at_limit(text("<tool_call>\n{\"name\": \"add\", \"argum")));
        assert!(at_limit(Vec::new()));
        assert!(!judged(Vec::new(), StopKind::EndTurn).0);
    }
}
