//! Stream quirks: what a server changes in a stream.

use serde_json::{Value, json};

use super::event::Event;
use super::{WireQuirk, block_stream, chat_stream, item_stream};
use crate::dialect::DialectId;
use crate::wire::Frame;

/// Misspells an encoded stream, one quirk after the other.
pub(crate) fn distort_frames(
    frames: Vec<Frame>,
    dialect: DialectId,
    quirks: &[WireQuirk],
) -> Vec<Frame> {
    if quirks.is_empty() {
        return frames;
    }
    let events: Vec<Event> = frames.into_iter().map(Event::of).collect();
    let distorted = quirks.iter().fold(events, |events, quirk| distort(events, dialect, quirk));
    distorted.into_iter().map(Event::into_frame).collect()
}

fn distort(events: Vec<Event>, dialect: DialectId, quirk: &WireQuirk) -> Vec<Event> {
    match quirk {
        WireQuirk::Comment(text) => add_comment(events, text),
        WireQuirk::Truncated => truncate_events(events),
        WireQuirk::TerminatorMissing => drop_terminator(events),
        WireQuirk::ErrorInStream(message) => fail_midway(events, dialect, message),
        quirk => match dialect {
            DialectId::OpenAiChat => chat_stream::distort(events, quirk),
            DialectId::AnthropicMessages => block_stream::distort(events, quirk),
            DialectId::OpenAiResponses => item_stream::distort(events, quirk),
            DialectId::Gemini | DialectId::Ollama => {
                let mut events = events;
                events
                    .iter_mut()
                    .filter_map(Event::value_mut)
                    .for_each(|v| super::body::distort_message(v, quirk));
                events
            }
        },
    }
}

fn add_comment(mut events: Vec<Event>, text: &str) -> Vec<Event> {
    let comment = || Event::Other(Frame::Comment(format!(" {text}")));
    events.insert(events.len().saturating_sub(1), comment());
    events.insert(0, comment());
    events
}

/// Ends two thirds through, and before anything that says how the reply ended.
fn truncate_events(mut events: Vec<Event>) -> Vec<Event> {
    let end = events.iter().position(is_ending).unwrap_or(events.len());
    events.truncate(end.min(events.len() * 2 / 3).max(1));
    events
}

/// Whether the event says how the reply ended.
fn is_ending(event: &Event) -> bool {
    let Some(value) = event.value() else { return false };
    let ends_choice = |choice: &Value| choice.get("finish_reason").is_some_and(|f| !f.is_null());
    let ends_candidate = |candidate: &Value| candidate.get("finishReason").is_some();
    let list = |key: &str| value.get(key).and_then(Value::as_array).into_iter().flatten();
    list("choices").any(ends_choice)
        || list("candidates").any(ends_candidate)
        || value.get("done") == Some(&Value::Bool(true))
        || matches!(
            event.kind(),
            Some("message_delta" | "response.completed" | "response.incomplete")
        )
}

/// Leaves out the sentinel after the ending; the ending itself stays.
fn drop_terminator(mut events: Vec<Event>) -> Vec<Event> {
    let is_sentinel = |event: &Event| match event {
        Event::Other(Frame::Event { data, .. }) => data == "[DONE]",
        Event::Other(Frame::Comment(_)) => false,
        Event::Json { .. } => event.kind() == Some("message_stop"),
    };
    events.retain(|event| !is_sentinel(event));
    events
}

fn fail_midway(events: Vec<Event>, dialect: DialectId, message: &str) -> Vec<Event> {
    let mut events = truncate_events(events);
    events.push(match dialect {
        DialectId::AnthropicMessages => Event::Json {
            event: Some("error".to_owned()),
            value: json!({"type": "error", "error": {"details": null, "type": "overloaded_error", "message": message}}),
        },
        DialectId::OpenAiResponses => Event::Json {
            event: Some("error".to_owned()),
            value: json!({"type": "error", "sequence_number": events.len(), "code": "server_error", "message": message, "param": null}),
        },
        DialectId::Gemini => Event::json(json!({"error": {"code": 503, "message": message, "status": "UNAVAILABLE"}})),
        DialectId::Ollama => Event::json(json!({"error": message})),
        DialectId::OpenAiChat => {
            Event::json(json!({"error": {"message": message, "type": "server_error", "param": null, "code": 502}}))
        }
    });
    events
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{DeltaLength, Stamp};
    use crate::ir::{Part, Reply, Stop, StopKind};

    #[test]
    fn an_error_in_place_of_the_end_is_an_error_in_every_dialect() {
        let quirk = WireQuirk::ErrorInStream("overloaded".to_owned());
        let parts = vec![Part::Text("A text that takes several deltas.".to_owned())];
        let reply = Reply::new(parts, Stop::unlabelled(StopKind::EndTurn));
        let stamp = Stamp { created: 1_790_000_000, usage: true };
        for dialect in DialectId::ALL {
            let codec = dialect.codec();
            let pieces = DeltaLength(std::num::NonZeroUsize::MIN);
            let frames = codec.encode_stream(&reply, &stamp, pieces);
            let mut decoder = codec.stream_decoder();
            for frame in distort_frames(frames, dialect, std::slice::from_ref(&quirk)) {
                decoder.push(&frame);
            }
            assert_eq!(decoder.finish().unwrap_err().message, "overloaded", "{dialect}");
        }
    }
}
