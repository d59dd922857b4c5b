//! Bounds of a decoded reply: a reply beyond one gives no finding and is not kept.

use serde_json::Value;

use super::Answer;
use crate::ir::{Part, Reply};
use crate::transport::{Oversize, SizeLimits, TransportError};

/// The answer, unless its reply is beyond a bound: then the words say which.
pub(super) fn within(answer: Answer, limits: &SizeLimits) -> Answer {
    let checked = match &answer {
        Answer::Reply(reply) | Answer::CutShort(reply) => check(reply, limits),
        Answer::Refused(_) | Answer::OutputRejected(_) | Answer::Nothing(_) => Ok(()),
    };
    match checked {
        Ok(()) => answer,
        Err(error) => Answer::Nothing(error.to_string()),
    }
}

/// Whether asking again would bring the same: a size does not pass by itself.
pub(super) fn is_too_large(words: &str) -> bool {
    words.starts_with("too-large: ")
}

fn check(reply: &Reply, limits: &SizeLimits) -> Result<(), TransportError> {
    let is_call = |part: &&Part| matches!(part, Part::Call(_) | Part::BrokenCall(_));
    limits.check(Oversize::Calls, reply.parts.iter().filter(is_call).count())?;
    limits.check(Oversize::Parts, reply.parts.len())?;
    let words = [&reply.id, &reply.model_echo, &reply.fingerprint, &reply.stop.label];
    for word in words.into_iter().flatten() {
        limits.check(Oversize::Id, word.len())?;
    }
    for part in &reply.parts {
        let (name, id, arguments) = match part {
            Part::Call(call) => (&call.name, &call.id, size(&call.input)),
            Part::BrokenCall(call) => (&call.name, &call.id, call.arguments.len()),
            Part::Text(_) | Part::Reasoning(_) | Part::Result(_) => continue,
        };
        limits.check(Oversize::Name, name.len())?;
        limits.check(Oversize::Id, id.as_str().len())?;
        limits.check(Oversize::Arguments, arguments)?;
    }
    limits.check(Oversize::Reply, bytes_of(&reply.parts))
}

/// About as many bytes as these parts have as text.
pub(super) fn bytes_of(parts: &[Part]) -> usize {
    let bytes = |part: &Part| match part {
        Part::Text(text) => text.len(),
        Part::Reasoning(state) => size(&state.value),
        Part::Call(call) => call.name.len() + call.id.as_str().len() + size(&call.input),
        Part::BrokenCall(call) => call.name.len() + call.id.as_str().len() + call.arguments.len(),
        Part::Result(result) => size(&result.content),
    };
    parts.iter().map(bytes).sum()
}

/// About as many bytes as a value has as text.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| size(item) + 1).sum::<usize>() + 2,
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| key.len() + size(value) + 4).sum::<usize>() + 2
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ir::{CallFormat, CallId, Stop, StopKind, ToolCall};

    fn call(name: &str, id: &str, argument: &str) -> Part {
        let input = json!({ "a": argument });
        let (id, name) = (CallId::new(id), name.to_owned());
        Part::Call(ToolCall::new(id, name, input, CallFormat::OpenAi))
    }

    #[test]
    fn each_part_of_a_reply_has_a_bound_that_is_named() {
        let long = "x".repeat(300 << 10);
        let texts = |count| vec![Part::Text("x".to_owned()); count];
        for (parts, bound) in [
            (vec![call("f", "1", "x"); 300], "calls"),
            (texts(2000), "parts"),
            (vec![call(&long, "1", "x")], "name"),
            (vec![call("f", &long, "x")], "id"),
            (vec![call("f", "1", &long)], "arguments"),
            (vec![Part::Text(long.clone()), Part::Text(long.clone())], "reply"),
        ] {
            let reply = Reply::new(parts, Stop::unlabelled(StopKind::EndTurn));
            let answer = within(Answer::Reply(Box::new(reply)), &SizeLimits::default());
            let Answer::Nothing(words) = answer else { panic!("{bound}: {answer:?}") };
            assert!(is_too_large(&words) && words.contains(&format!("{bound}=N")), "{words}");
        }
    }

    #[test]
    fn an_ordinary_reply_is_left_alone() {
        let parts = vec![Part::Text("x".repeat(100_000)), call("f", "1", "x")];
        let reply = Reply::new(parts, Stop::unlabelled(StopKind::EndTurn));
        let answer = Answer::Reply(Box::new(reply));
        assert_eq!(within(answer.clone(), &SizeLimits::default()), answer);
    }
}
