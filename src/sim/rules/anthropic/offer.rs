//! Anthropic checks: tools, tool choice and thinking budget.

use serde_json::Value;

use crate::sim::rules::RequestFacts;
use crate::sim::rules::complaint::Source::{Invented, Seen};
use crate::sim::rules::complaint::{Complaint, Violation};
use crate::sim::rules::raw::{has, is_name, list, repeated, text};

const MOST_NAME: usize = 128;
const NAME_PATTERN: Complaint = Complaint::bad(
    Seen("home-assistant/core#147760"),
    "tools.{n}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
);
const NAME_LENGTH: Complaint = Complaint::bad(
    Seen("anthropics/claude-code#96152"),
    "tools.{n}.custom.name: String should have at most 128 characters",
);
const NAME_TWICE: Complaint =
    Complaint::bad(Seen("danny-avila/LibreChat#13162"), "tools: Tool names must be unique.");
const NO_SCHEMA: Complaint =
    Complaint::bad(Invented, "tools.{n}.custom.input_schema: Field required");
const NO_SCHEMA_TYPE: Complaint =
    Complaint::bad(Invented, "tools.{n}.custom.input_schema.type: Field required");

pub(super) fn check_tools(body: &Value) -> Result<(), Violation> {
    let tools = list(body, "tools");
    for (n, tool) in tools.iter().enumerate() {
        let name = text(tool, "name");
        if name.chars().count() > MOST_NAME {
            return Err(NAME_LENGTH.at(n));
        }
        if !is_name(name, MOST_NAME, "_-") {
            return Err(NAME_PATTERN.at(n));
        }
        let custom = matches!(text(tool, "type"), "" | "custom");
        match tool.get("input_schema").filter(|schema| !schema.is_null()) {
            None if custom => return Err(NO_SCHEMA.at(n)),
            Some(schema) if !has(schema, "type") => return Err(NO_SCHEMA_TYPE.at(n)),
            _ => {}
        }
    }
    match repeated(tools.iter().map(|tool| text(tool, "name"))) {
        Some(_) => Err(NAME_TWICE.about(&[])),
        None => Ok(()),
    }
}

const CHOICE_NOT_OBJECT: Complaint = Complaint::bad(
    Invented,
    "tool_choice: Input should be a valid dictionary or object to extract fields from",
);
const CHOICE_UNKNOWN: Complaint = Complaint::bad(
    Invented,
    "tool_choice: Input tag '{word}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'",
);
const CHOICE_WITHOUT_TOOLS: Complaint =
    Complaint::bad(Invented, "tool_choice may only be specified while providing tools");
const NO_SUCH_TOOL: Complaint =
    Complaint::bad(Invented, "Tool '{word}' not found in provided tools");

pub(super) fn check_choice(body: &Value) -> Result<(), Violation> {
    let Some(choice) = body.get("tool_choice").filter(|choice| !choice.is_null()) else {
        return Ok(());
    };
    if !choice.is_object() {
        return Err(CHOICE_NOT_OBJECT.about(&[]));
    }
    let tools = list(body, "tools");
    let name = text(choice, "name");
    match text(choice, "type") {
        "auto" | "any" | "tool" if tools.is_empty() => Err(CHOICE_WITHOUT_TOOLS.about(&[])),
        "tool" if !tools.iter().any(|tool| text(tool, "name") == name) => {
            Err(NO_SUCH_TOOL.about(&[("word", name)]))
        }
        "auto" | "any" | "none" | "tool" => Ok(()),
        word => Err(CHOICE_UNKNOWN.about(&[("word", word)])),
    }
}

const LEAST_BUDGET: u64 = 1024;
const BUDGET: Complaint = Complaint::bad(
    Seen("themaximalist/llm.js#30"),
    "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
);
const BUDGET_BEYOND: Complaint = Complaint::bad(
    Seen("liuw1535/antigravity2api-nodejs#150"),
    "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size",
);

pub(super) fn check_thinking_budget(body: &Value) -> Result<(), Violation> {
    let Some(thinking) = body.get("thinking").filter(|t| text(t, "type") == "enabled") else {
        return Ok(());
    };
    let budget = thinking.get("budget_tokens").and_then(Value::as_u64).unwrap_or(0);
    let most = body.get("max_tokens").and_then(Value::as_u64).unwrap_or(u64::MAX);
    if budget < LEAST_BUDGET {
        Err(BUDGET.about(&[]))
    } else if most <= budget {
        Err(BUDGET_BEYOND.about(&[]))
    } else {
        Ok(())
    }
}

const FORCED: Complaint = Complaint::bad(
    Seen("mastra-ai/mastra#7507"),
    "Thinking may not be enabled when tool_choice forces tool use.",
);

pub(super) fn check_forced_while_thinking(
    body: &Value,
    facts: RequestFacts<'_>,
) -> Result<(), Violation> {
    let choice = body.get("tool_choice").map(|choice| text(choice, "type"));
    match choice {
        Some("any" | "tool") if facts.thinking => Err(FORCED.about(&[])),
        _ => Ok(()),
    }
}
