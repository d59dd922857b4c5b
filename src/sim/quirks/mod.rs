//! Quirks: the ways in which a simulated model or its server misbehaves.
//!
//! Quirks are data that model files compose; none of them knows a model's name or a probe. They sit
//! at three layers, so that a verdict can be checked for blaming the right one:
//!
//! - `ModelQuirk`: what the model says, carried out by the brain and by `misbehave`
//! - `WireQuirk`: how the server spells a reply, carried out by `distort_body` and
//!   `distort_frames` on what the dialect's encoder wrote
//! - `HttpQuirk`: how the server behaves as an HTTP peer, carried out by the server

mod arguments;
mod block_stream;
mod body;
mod chat_body;
mod chat_stream;
mod event;
mod frames;
mod http;
mod interleave;
mod item_stream;
mod misbehave;
mod model;
mod schema;
mod wire;

pub(crate) use body::distort_body;
pub(crate) use frames::distort_frames;
pub(crate) use http::HttpQuirk;
pub(super) use misbehave::{active, misbehave};
pub(crate) use model::{ModelQuirk, SchemaFeature};
pub(crate) use wire::WireQuirk;
