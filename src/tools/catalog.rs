//! Offered tools, looked up by name, with their schemas.

use std::sync::OnceLock;

use serde_json::Value;

use super::ArgumentSchema;
use crate::ir::{Object, ToolSpec};

/// The offered tools, ready for look-ups by name.
#[derive(Debug, Default)]
pub struct Catalog {
    tools: Vec<ToolSpec>,
    /// Their schemas, compiled when first needed; `None` where one is not a JSON Schema.
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

    /// The offered names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }

    /// What is wrong with the arguments of an offered tool, as `ArgumentSchema` says it.
    pub fn complaints(&self, tool: &str, input: &Value) -> Vec<String> {
        let compile = |tool: &ToolSpec| ArgumentSchema::new(&tool.input_schema).ok();
        let compiled = self.compiled.get_or_init(|| self.tools.iter().map(compile).collect());
        let schema = self.position(tool).and_then(|position| compiled.get(position)?.as_ref());
        schema.map(|schema| schema.complaints(input)).unwrap_or_default()
    }

    /// The one tool that takes all of these arguments.
    pub fn taking(&self, input: &Object) -> Option<&str> {
        let takes_all = |name: &&str| {
            let declared = self.parameters(name);
            input.keys().all(|key| declared.contains(&key.as_str()))
        };
        let mut fitting = self.names().filter(takes_all);
        let first = fitting.next().filter(|_| !input.is_empty())?;
        fitting.next().is_none().then_some(first)
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.tools.iter().position(|tool| tool.name == name)
    }
}
