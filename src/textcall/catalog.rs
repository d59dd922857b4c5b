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
    tools: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    name: String,
    schema: Value,
    compiled: OnceLock<Option<ArgumentSchema>>,
}

impl Catalog {
    /// Takes the tools as they were offered to the model.
    pub fn new(tools: &[ToolSpec]) -> Self {
        let entry = |tool: &ToolSpec| Entry {
            name: tool.name.clone(),
            schema: tool.input_schema.clone(),
            compiled: OnceLock::new(),
        };
        Self { tools: tools.iter().map(entry).collect() }
    }

    /// Whether no tools were offered, or none are known.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Whether a tool of this name was offered.
    pub fn offers(&self, name: &str) -> bool {
        self.entry(name).is_some()
    }

    /// The argument schema of a tool.
    pub fn schema(&self, tool: &str) -> Option<&Value> {
        self.entry(tool).map(|entry| &entry.schema)
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
        let Some(entry) = self.entry(name) else {
            let names: Vec<_> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
            let message = format!("unknown tool '{name}'; call one of: {}", names.join(", "));
            return vec![(ProblemCode::UnknownTool, message)];
        };
        let schema = entry.compiled.get_or_init(|| ArgumentSchema::new(&entry.schema).ok());
        let complaints = schema.iter().flat_map(|schema| schema.complaints(input));
        complaints.map(|complaint| (ProblemCode::SchemaViolation, complaint)).collect()
    }

    /// The longest offered name that stands at a place.
    pub(crate) fn name_at(&self, view: &View<'_>, at: usize) -> Read<Option<&str>> {
        let mut longest = "";
        for Entry { name, .. } in &self.tools {
            if name.len() > longest.len() && view.has(at, name)? {
                longest = name;
            }
        }
        Ok(Some(longest).filter(|name| !name.is_empty()))
    }

    /// The one tool whose parameters fit these arguments best.
    pub(crate) fn infer(&self, input: &Object) -> Option<&str> {
        let takes_all = |entry: &&Entry| {
            let declared = self.parameters(&entry.name);
            input.keys().all(|key| declared.contains(&key.as_str()))
        };
        let mut fitting = self.tools.iter().filter(takes_all);
        let first = fitting.next().filter(|_| !input.is_empty())?;
        fitting.next().is_none().then_some(first.name.as_str())
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}
