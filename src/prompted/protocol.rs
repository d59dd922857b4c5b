//! Text protocols for tool calls: the prompt that teaches one, calls and results written in it.
//!
//! A protocol is a pair of markers and the words that explain them. The tools stand in the prompt as
//! JSON, one per line, so that any reader can find them there.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ir::{ToolCall, ToolResult, ToolSpec};

/// A text protocol that a system prompt can teach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// `<tool_call>{"name", "arguments"}</tool_call>`, answered in `<tool_response>`.
    ToolCall,
    /// `<tool_use>{"id", "name", "input"}</tool_use>`, answered in `<tool_result>`.
    ToolUse,
    /// A `~~~tool_call` fence, answered in `~~~tool_result`.
    TildeFence,
}

impl Protocol {
    /// All of them, in the order in which they are worth trying.
    pub const ALL: [Self; 3] = [Self::ToolCall, Self::ToolUse, Self::TildeFence];

    /// The name in `prompted:<name>` and in probe files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ToolCall => "tool-call",
            Self::ToolUse => "tool-use",
            Self::TildeFence => "tilde-fence",
        }
    }

    /// The system prompt that teaches the protocol and lists the tools.
    pub fn teach(self, tools: &[ToolSpec]) -> String {
        let lines: Vec<String> = tools.iter().map(|tool| declaration(tool).to_string()).collect();
        format!(
            "You can call tools. These are the tools, each with the JSON Schema of its arguments:\n\
             <tools>\n{}\n</tools>\n\nTo call a tool, write exactly this, with nothing after it:\n\n\
             {}\n\nSeveral calls are several such blocks. The results come in the next message. \
             Do not write a result yourself.",
            lines.join("\n"),
            self.example(),
        )
    }

    /// What the model has to write.
    fn example(self) -> &'static str {
        match self {
            Self::ToolCall => {
                "<tool_call>\n{\"name\": \"<tool>\", \"arguments\": {<arguments>}}\n</tool_call>"
            }
            Self::ToolUse => {
                "<tool_use>\n{\"id\": \"<a new id>\", \"name\": \"<tool>\", \"input\": {<arguments>}}\n\
                 </tool_use>"
            }
            Self::TildeFence => {
                "~~~tool_call\n{\"name\": \"<tool>\", \"arguments\": {<arguments>}}\n~~~"
            }
        }
    }

    /// The text format that reads its calls.
    pub fn family(self) -> &'static str {
        match self {
            Self::ToolCall => "hermes",
            Self::ToolUse => "claude-tool-use",
            Self::TildeFence => "exathena",
        }
    }

    /// A call as the assistant wrote it, to be replayed.
    pub fn call(self, call: &ToolCall) -> String {
        let ToolCall { id, name, input, .. } = call;
        match self {
            Self::ToolCall => {
                let body = json!({"name": name, "arguments": input});
                format!("<tool_call>\n{body}\n</tool_call>")
            }
            Self::ToolUse => {
                let body = json!({"id": id, "name": name, "input": input});
                format!("<tool_use>\n{body}\n</tool_use>")
            }
            Self::TildeFence => {
                let body = json!({"id": id, "name": name, "arguments": input});
                format!("~~~tool_call\n{body}\n~~~")
            }
        }
    }

    /// The results as the next message of the user.
    pub fn results(self, results: &[ToolResult]) -> String {
        results.iter().map(|result| self.result(result)).collect::<Vec<_>>().join("\n")
    }

    fn result(self, result: &ToolResult) -> String {
        let body = match self {
            Self::ToolCall | Self::TildeFence => json!({
                "name": result.name, "content": result.content, "is_error": result.is_error,
            }),
            Self::ToolUse => json!({
                "tool_use_id": result.tool_call_id, "content": result.content,
                "is_error": result.is_error,
            }),
        };
        let [opener, closer] = self.result_markers();
        format!("{opener}\n{body}\n{closer}")
    }

    /// Whether a message holds results, as [`Self::results`] writes them in any protocol.
    pub fn holds_results(text: &str) -> bool {
        Self::ALL.into_iter().any(|protocol| {
            let [opener, _] = protocol.result_markers();
            text.starts_with(opener)
        })
    }

    /// The results in a text, as [`Self::results`] writes them in any protocol: where each stands, and its body.
    pub fn read_results(text: &str) -> Vec<(Range<usize>, Value)> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some((range, body)) = text.get(at..).and_then(next_result) {
            let range = at + range.start..at + range.end;
            at = range.end;
            found.push((range, body));
        }
        found
    }

    fn result_markers(self) -> [&'static str; 2] {
        match self {
            Self::ToolCall => ["<tool_response>", "</tool_response>"],
            Self::ToolUse => ["<tool_result>", "</tool_result>"],
            Self::TildeFence => ["~~~tool_result", "~~~"],
        }
    }
}

/// The first result in a text.
fn next_result(text: &str) -> Option<(Range<usize>, Value)> {
    let found = Protocol::ALL.into_iter().filter_map(|protocol| {
        let [opener, closer] = protocol.result_markers();
        text.match_indices(&format!("{opener}\n")).find_map(|(start, opener)| {
            let (body, _) = text.get(start + opener.len()..)?.split_once(&format!("\n{closer}"))?;
            let end = start + opener.len() + body.len() + 1 + closer.len();
            Some((start..end, serde_json::from_str(body).ok()?))
        })
    });
    found.min_by_key(|(range, _)| range.start)
}

fn declaration(tool: &ToolSpec) -> Value {
    json!({
        "name": tool.name, "description": tool.description, "input_schema": tool.input_schema,
    })
}

#[cfg(test)]
mod tests {
    use super::super::samples::{call, tool};
    use super::*;
    use crate::textcall::{Catalog, Options, parse};

    #[test]
    fn every_protocol_reads_back_the_call_it_replays() {
        for protocol in [Protocol::ToolCall, Protocol::ToolUse, Protocol::TildeFence] {
            let text = protocol.call(&call());
            let parsed = parse(&text, &Catalog::new(&[tool()]), Options::default());
            let found = parsed.calls().next().unwrap();
            assert_eq!((found.family, &found.input), (protocol.family(), &call().input));
        }
    }

    #[test]
    fn the_prompt_holds_each_tool_as_a_line_of_json() {
        for protocol in [Protocol::ToolCall, Protocol::ToolUse, Protocol::TildeFence] {
            let prompt = protocol.teach(&[tool()]);
            let line = prompt.lines().find(|line| line.starts_with('{')).unwrap();
            let described: Value = serde_json::from_str(line).unwrap();
            assert_eq!(described["input_schema"], tool().input_schema);
        }
    }
}
