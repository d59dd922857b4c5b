//! The unified representation of a tool conversation, whichever provider it is held with.
//!
//! Every dialect decodes into these types and encodes from them; nothing downstream sees a
//! provider's JSON. This module depends on no other.
//!
//! - `tool`: specs, calls, results
//! - `reasoning`: provider state that must be replayed verbatim
//! - `message`, `request`, `reply`: a conversation and its two ends
//! - `defect`: what a lenient decoder tolerated
//! - `digest`: how stored things are named

mod defect;
mod digest;
mod message;
mod reasoning;
mod reply;
mod request;
mod tool;

pub use defect::{Defect, Defects};
pub use digest::{Digest, NotADigest};
pub use message::{Message, Part, Role};
pub use reasoning::{ReasoningField, ReasoningState};
pub use reply::{Reply, Stop, StopKind, Usage};
pub use request::{Request, ToolChoice};
pub use tool::{BrokenCall, CallFormat, CallId, Layer, ToolCall, ToolResult, ToolSpec};

/// A JSON object that keeps the order of its keys.
pub type Object = serde_json::Map<String, serde_json::Value>;
