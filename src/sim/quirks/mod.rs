//! In which ways can a simulated model misbehave?
//!
//! Quirks are data that model files compose; none of them knows a model's name or a probe. They sit
//! at three layers, so that a verdict can be checked for blaming the right one:
//!
//! - [`ModelQuirk`]: what the model says, applied by the brain to the reply it makes
//! - [`WireQuirk`]: how the server spells a reply, applied to encoded bodies and frames
//! - [`HttpQuirk`]: how the server behaves as an HTTP peer, carried out by the server

mod http;
mod model;
mod wire;

pub use http::HttpQuirk;
pub use model::{ModelQuirk, SchemaFeature};
pub use wire::WireQuirk;

use serde_json::Value;

use crate::dialect::DialectId;
use crate::wire::Frame;

/// Misspells an encoded body.
pub fn distort_body(body: Value, _dialect: DialectId, _quirks: &[WireQuirk]) -> Value {
    body
}

/// Misspells an encoded stream.
pub fn distort_frames(
    frames: Vec<Frame>,
    _dialect: DialectId,
    _quirks: &[WireQuirk],
) -> Vec<Frame> {
    frames
}
