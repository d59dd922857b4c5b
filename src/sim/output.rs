//! Output checks: providers that refuse a bad call of their own model.
//!
//! Groq checks calls against the declared tools and answers a bad one with 400, the model's words
//! beside the complaint. The model failed, not the request.

use serde_json::{Value, json};

use super::RulesId;
use crate::ir::{Reply, Request, ToolCall};

/// The body of the refusal, where this provider checks its model's calls and one is bad.
pub(super) fn refusal(reply: &Reply, request: &Request, rules: RulesId) -> Option<Value> {
    if rules != RulesId::Groq {
        return None;
    }
    let problem = reply.calls().find_map(|call| problem(call, request))?;
    let generation: Vec<Value> =
        reply.calls().map(|call| json!({"name": call.name, "parameters": call.input})).collect();
    Some(json!({"error": {
        "message": format!("tool call validation failed: {problem}"),
        "type": "invalid_request_error",
        "code": "tool_use_failed",
        "failed_generation": Value::from(generation).to_string(),
    }}))
}

fn problem(call: &ToolCall, request: &Request) -> Option<String> {
    let name = &call.name;
    let Some(tool) = request.tools.iter().find(|tool| tool.name == *name) else {
        return Some(format!("attempted to call tool '{name}' which was not in request.tools"));
    };
    // What is not a schema cannot be violated.
    let validator = jsonschema::validator_for(&tool.input_schema).ok()?;
    let errors: Vec<String> = validator
        .iter_errors(&call.input)
        .map(|error| format!("`{}`: {error}", error.instance_path()))
        .collect();
    (!errors.is_empty()).then(|| {
        format!("parameters for tool {name} did not match schema: errors: [{}]", errors.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{CallFormat, CallId, Part, Stop, StopKind, ToolSpec};

    fn judged(rules: RulesId, name: &str, input: Value) -> Option<Value> {
        let call = ToolCall::new(CallId::new("1"), name, input, CallFormat::OpenAi);
        let reply = Reply::new(vec![Part::Call(call)], Stop::unlabelled(StopKind::ToolUse));
        let tool = ToolSpec {
            name: "add".to_owned(),
            description: String::new(),
            input_schema: json!({"type": "object", "properties": {"a": {"type": "integer"}}}),
            strict: None,
        };
        refusal(&reply, &Request { tools: vec![tool], ..Request::default() }, rules)
    }

    #[test]
    fn a_bad_call_is_refused_with_what_the_model_wrote() {
        let body = judged(RulesId::Groq, "add", json!({"a": 1.5})).unwrap();
        assert_eq!(body["error"]["code"], "tool_use_failed");
        assert_eq!(
            body["error"]["failed_generation"],
            r#"[{"name":"add","parameters":{"a":1.5}}]"#
        );
        let message = body["error"]["message"].as_str().unwrap();
        assert!(message.contains("parameters for tool add did not match schema: errors: [`/a`"));
    }

    #[test]
    fn a_tool_that_was_not_offered_is_refused() {
        let body = judged(RulesId::Groq, "subtract", json!({})).unwrap();
        let message = body["error"]["message"].as_str().unwrap();
        assert!(
            message.ends_with("call tool 'subtract' which was not in request.tools"),
            "{message}"
        );
    }

    #[test]
    fn good_calls_and_servers_that_do_not_look_pass() {
        assert_eq!(judged(RulesId::Groq, "add", json!({"a": 1})), None);
        assert_eq!(judged(RulesId::OpenAiChat, "add", json!({"a": 1.5})), None);
    }
}
