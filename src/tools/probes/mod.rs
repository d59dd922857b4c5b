//! Probe tools: the side-effect-free tools of the suite.
//!
//! One file per tool. A set belongs to one conversation, because `probe_fail_once` remembers what
//! it was called with.

mod probe_add;
mod probe_echo;
mod probe_fail_once;
mod probe_nested;
mod probe_ping;

use serde_json::Value;

use probe_add::ProbeAdd;
pub use probe_echo::ProbeEcho;
use probe_fail_once::ProbeFailOnce;
use probe_nested::ProbeNested;
use probe_ping::ProbePing;

use super::{Nonces, Registry, RegistryError, Tool, ToolFailure, ToolFuture};

/// All of them, fresh, with receipts from these nonces.
pub fn all(nonces: &Nonces) -> Vec<Box<dyn Tool>> {
    vec![
        Box::new(ProbeEcho),
        Box::new(ProbeAdd::new(nonces.clone())),
        Box::new(ProbeFailOnce::new(nonces.clone())),
        Box::new(ProbePing::new(nonces.clone())),
        Box::new(ProbeNested),
    ]
}

/// A registry of all of them.
pub fn registry(nonces: &Nonces) -> Result<Registry, RegistryError> {
    let mut registry = Registry::default();
    all(nonces).into_iter().try_for_each(|tool| registry.register(tool))?;
    Ok(registry)
}

/// The future of a tool that does not wait for anything.
fn ready(outcome: Result<Value, ToolFailure>) -> ToolFuture<'static> {
    Box::pin(std::future::ready(outcome))
}
