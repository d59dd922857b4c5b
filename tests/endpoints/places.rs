//! The five dialects: where each is served, and a healthy server of it.

use crate::mind::Says;
use crate::server::{Asked, Script};
use crate::{chat, others};

/// A dialect's path, and a healthy server of it.
pub(crate) type Place = (&'static str, fn(&Asked) -> Script);

pub(crate) const PLACES: [Place; 5] = [
    ("/v1/chat/completions", |asked| chat::speak(asked, healthy)),
    ("/v1/messages", |asked| others::messages(asked, healthy)),
    ("/v1/responses", |asked| others::items(asked, healthy)),
    ("/v1beta/models/m:generateContent", |asked| others::parts(asked, healthy)),
    ("/api/chat", |asked| others::lines(asked, healthy)),
];

/// A server that changes what the model says before it answers.
type Speaker = fn(&Asked, fn(Says) -> Says) -> Script;

/// One such server for each of [`PLACES`].
pub(crate) const SPEAKERS: [Speaker; 5] =
    [chat::speak, others::messages, others::items, others::parts, others::lines];

/// What every result is called in the histories of the dialects, in the order of [`PLACES`].
pub(crate) const RESULTS: [&str; 5] = [
    r#""role":"tool""#,
    r#""type":"tool_result""#,
    r#""type":"function_call_output""#,
    r#""functionResponse":"#,
    r#""role":"tool""#,
];

/// Says what the model says.
pub(crate) fn healthy(says: Says) -> Says {
    says
}

/// Whether a stream is asked for, in any dialect.
pub(crate) fn is_streamed(asked: &Asked) -> bool {
    chat::is_streamed(asked) || asked.path.ends_with(":streamGenerateContent")
}
