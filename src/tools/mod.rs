//! Tools: what a model can call, and what happens when it does.
//!
//! - [`Tool`]: a spec and what running it does, in one type
//! - [`Registry`]: checks a call against its tool's schema, runs it, keeps the result within bounds
//! - [`Catalog`]: the tools that were offered, by name
//! - [`ToolFailure`]: an error that a model can act on
//! - [`probes`]: the side-effect-free tools of the suite
//! - [`import_tools`]: tools as files of other programs declare them
//! - `mcp_name`: names for tools of MCP servers
//! - `text_matching`, `text_of_format`: sample texts for schemas
//!
//! Nothing here does I/O, reads a clock or draws random numbers: what must not be guessed is made by
//! [`Nonces`], from a seed that the caller gives.

mod catalog;
mod failure;
mod import;
mod mcp_name;
mod nonce;
pub mod probes;
mod registry;
mod sample;
mod truncate;
mod validate;

use std::future::Future;
use std::pin::Pin;

use serde_json::Value;

pub use catalog::Catalog;
pub use failure::{ErrorCode, Retry, ToolFailure};
pub use import::{BadTools, import_tools};

pub use nonce::Nonces;
pub use registry::{Hook, Registry, RegistryError};
pub(crate) use sample::{Choices, text_matching, text_of_format};
use truncate::truncate;
pub(crate) use validate::ArgumentSchema;
pub use validate::BadSchema;

use crate::ir::ToolSpec;

/// The result of a running tool.
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = Result<Value, ToolFailure>> + Send + 'a>>;

/// Whether a tool changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It looks: calls may run at the same time.
    ReadOnly,
    /// It changes something: each call runs alone.
    Mutating,
}

/// A tool: what a model is told about it, and what it does.
///
/// Implemented by the tools of [`probes`] and by programs that give a model their own tools. `run` is
/// called with arguments that satisfy the spec's schema. An `Err` is for the model to read and act
/// on; there is no other kind of failure, so an implementation must not panic.
pub trait Tool: Send + Sync {
    /// What a model is told.
    fn spec(&self) -> ToolSpec;

    /// Whether calls of it may run beside others.
    fn effect(&self) -> Effect {
        Effect::ReadOnly
    }

    /// What a call gives.
    fn run<'a>(&'a self, input: &'a Value) -> ToolFuture<'a>;
}
