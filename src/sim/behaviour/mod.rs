//! Behaviour: each model misbehaves as its file says, and in no other way.
//!
//! Every model of the fleet holds the same conversations as the well-behaved one of its dialect. At
//! the level of meaning, the conversations in which the two differ must be those that the model's
//! quirks are about. On the wire, what a lenient decoder notes must be what the file declares, and
//! the stream must say the same as the plain body exactly where the file says that it does.
//!
//! - `conversations`: what is said to every model
//! - `meaning`: what models say
//! - `wire`: how their servers spell it
//! - `text`: conversations that are held as text

mod conversations;
mod meaning;
mod text;
mod wire;

use std::sync::LazyLock;

use serde_json::Value;

use super::{Draw, Fleet, ModelFile, brain};
use crate::ir::{CallId, Part, Reply, Request, StopKind, ToolCall};

fn fleet() -> &'static Fleet {
    static FLEET: LazyLock<Fleet> = LazyLock::new(|| Fleet::embedded().unwrap());
    &FLEET
}

fn answer(model: &ModelFile, request: &Request) -> Reply {
    brain::answer(request, model, &Draw::of(request))
}

/// What a reply means: its visible parts without ids, and how it ended.
fn meaning(reply: &Reply) -> (Vec<Part>, StopKind) {
    let visible = reply.parts.iter().filter(|part| !matches!(part, Part::Reasoning(_))).cloned();
    let parts = visible.map(|part| match part {
        Part::Call(call) => Part::Call(ToolCall { id: CallId::new(""), raw: Value::Null, ..call }),
        other => other,
    });
    (parts.collect(), reply.stop.kind)
}
