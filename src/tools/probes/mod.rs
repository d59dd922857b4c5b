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

/// Makes a tool with receipts from these nonces.
type Make = fn(&Nonces) -> Box<dyn Tool>;

/// The tools by name.
const TOOLS: [(&str, Make); 5] = [
    ("probe_echo", |_| Box::new(ProbeEcho)),
    ("probe_add", |nonces| Box::new(ProbeAdd::new(nonces.clone()))),
    ("probe_fail_once", |nonces| Box::new(ProbeFailOnce::new(nonces.clone()))),
    ("probe_ping", |nonces| Box::new(ProbePing::new(nonces.clone()))),
    ("probe_nested", |_| Box::new(ProbeNested)),
];

/// All of them, fresh, with receipts from these nonces.
pub fn all(nonces: &Nonces) -> Vec<Box<dyn Tool>> {
    named(nonces, |_| true)
}

/// Those whose names are wanted.
pub(crate) fn named(nonces: &Nonces, is_wanted: impl Fn(&str) -> bool) -> Vec<Box<dyn Tool>> {
    let wanted = TOOLS.iter().filter(|(name, _)| is_wanted(name));
    wanted.map(|(_, make)| make(nonces)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_the_name_it_is_looked_up_by() {
        let nonces = Nonces::seeded("any");
        for (name, make) in TOOLS {
            assert_eq!(make(&nonces).spec().name, name);
        }
    }
}
