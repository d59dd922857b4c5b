//! Which tools were offered, and what do their schemas say?

use std::sync::OnceLock;

use serde_json::Value;

use super::parsed::ProblemCode;
use super::view::{Read, View};
use crate::ir::{Object, ToolSpec};
use crate::tools::ArgumentSchema;

/// The offered tools, ready for look-ups by name.
#[derive(Debug, Default)]
pub struct Catalog {
    tools: Vec<ToolSpec>,
    /// Their schemas, compiled when first needed; one that is none cannot be violated.
    compiled: OnceLock<Vec<Option<ArgumentSchema>>>,
}

impl Catalog {
    /// Takes the tools as they were offered to the model.
    pub fn new(tools: &[ToolSpec]) -> Self {
        Self { tools: tools.to_vec(), compiled: OnceLock::new() }
    }

    /// Whether no tools were offered, or none are known.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Whether a tool of this name was offered.
    pub fn offers(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// The argument schema of a tool.
    pub fn schema(&self, tool: &str) -> Option<&Value> {
        self.tools.get(self.position(tool)?).map(|tool| &tool.input_schema)
    }

    /// The names of a tool's parameters, in their declared order.
    pub fn parameters(&self, tool: &str) -> Vec<&str> {
        let properties = self.schema(tool).and_then(|schema| schema.get("properties")?.as_object());
        properties.into_iter().flat_map(Object::keys).map(String::as_str).collect()
    }

    /// What is wrong with a call, by the declared tools. Without tools nothing is known to be.
    pub fn violations(&self, name: &str, input: &Value) -> Vec<(ProblemCode, String)> {
        if self.is_empty() {
            return Vec::new();
        }
        let Some(position) = self.position(name) else {
            let names: Vec<_> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
            let message = format!("unknown tool '{name}'; call one of: {}", names.join(", "));
            return vec![(ProblemCode::UnknownTool, message)];
        };
        let compile = |tool: &ToolSpec| ArgumentSchema::new(&tool.input_schema).ok();
        let compiled = self.compiled.get_or_init(|| self.tools.iter().map(compile).collect());
        let complaints = compiled.get(position).into_iter().flatten();
        let complaints = complaints.flat_map(|schema| schema.complaints(input));
        complaints.map(|complaint| (ProblemCode::SchemaViolation, complaint)).collect()
    }

    /// The longest offered name that stands at a place.
    pub(crate) fn name_at(&self, view: &View<'_>, at: usize) -> Read<Option<&str>> {
        let mut longest = "";
        for ToolSpec { name, .. } in &self.tools {
            if name.len() > longest.len() && view.has(at, name)? {
                longest = name;
            }
        }
        Ok(Some(longest).filter(|name| !name.is_empty()))
    }

    /// The one tool that takes all of these arguments.
    pub(crate) fn infer(&self, input: &Object) -> Option<&str> {
        let takes_all = |tool: &&ToolSpec| {
            let declared = self.parameters(&tool.name);
            input.keys().all(|key| declared.contains(&key.as_str()))
        };
        let mut fitting = self.tools.iter().filter(takes_all);
        let first = fitting.next().filter(|_| !input.is_empty())?;
        fitting.next().is_none().then_some(first.name.as_str())
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.tools.iter().position(|tool| tool.name == name)
    }
}
