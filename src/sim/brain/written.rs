//! Calls as text: how a call looks that a server leaves unparsed.
//!
//! One template per form, as the models' own chat templates have them, and the way back: a model
//! recognises in its history what it wrote itself.

use serde_json::{Value, json};

use super::{PlannedCall, invent};
use crate::ir::{Object, ToolSpec};
use crate::sim::model::TextForm;

/// The calls in this form.
pub(super) fn write(form: TextForm, planned: &[PlannedCall]) -> String {
    let each = |write: fn(&PlannedCall) -> String| planned.iter().map(write).collect::<Vec<_>>();
    match form {
        TextForm::None => String::new(),
        TextForm::Qwen3Coder => each(qwen3_coder).join("\n"),
        TextForm::Hermes => each(hermes).join("\n"),
        TextForm::JsonFence => each(json_fence).join("\n\n"),
        TextForm::Glm45 => each(glm45).join("\n"),
        TextForm::MinimaxM2 => {
            wrap_calls("<minimax:tool_call>\n", &each(minimax_m2), "\n</minimax:tool_call>")
        }
        TextForm::DeepseekV31 => {
            wrap_calls("<｜tool▁calls▁begin｜>", &each(deepseek_v31), "<｜tool▁calls▁end｜>")
        }
        TextForm::DeepseekV4 => {
            wrap_calls("<｜DSML｜tool_calls>\n", &each(deepseek_v4), "\n</｜DSML｜tool_calls>")
        }
        TextForm::KimiK2 => {
            let calls = planned.iter().enumerate().map(|(index, call)| kimi_k2(index, call));
            let calls: String = calls.collect();
            format!("<|tool_calls_section_begin|>{calls}<|tool_calls_section_end|>")
        }
        TextForm::Mistral => {
            let list: Vec<Value> = planned.iter().map(|call| object(call, "arguments")).collect();
            format!("[TOOL_CALLS]{}", Value::from(list))
        }
        TextForm::Llama3Json => {
            let calls = planned.iter().map(|call| object(call, "parameters").to_string());
            calls.collect::<Vec<_>>().join("; ")
        }
    }
}

fn wrap_calls(opener: &str, calls: &[String], closer: &str) -> String {
    format!("{opener}{}{closer}", calls.join("\n"))
}

fn object(call: &PlannedCall, key: &str) -> Value {
    json!({"name": call.name, key: call.input})
}

/// The parameters of a call with their values as tagged formats write them.
fn parameters(call: &PlannedCall) -> impl Iterator<Item = (&String, String)> {
    let map = call.input.as_object();
    map.into_iter().flatten().map(|(key, value)| (key, super::errors::text(value)))
}

fn qwen3_coder(call: &PlannedCall) -> String {
    let lines: Vec<String> = parameters(call)
        .map(|(key, value)| format!("<parameter={key}>\n{value}\n</parameter>\n"))
        .collect();
    format!("<tool_call>\n<function={}>\n{}</function>\n</tool_call>", call.name, lines.concat())
}

fn hermes(call: &PlannedCall) -> String {
    format!("<tool_call>\n{}\n</tool_call>", object(call, "arguments"))
}

fn json_fence(call: &PlannedCall) -> String {
    format!("```json\n{}\n```", object(call, "arguments"))
}

fn glm45(call: &PlannedCall) -> String {
    let pairs: Vec<String> = parameters(call)
        .map(|(key, value)| format!("<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n"))
        .collect();
    format!("<tool_call>{}\n{}</tool_call>", call.name, pairs.concat())
}

fn minimax_m2(call: &PlannedCall) -> String {
    let lines: Vec<String> = parameters(call)
        .map(|(key, value)| format!("<parameter name=\"{key}\">{value}</parameter>\n"))
        .collect();
    format!("<invoke name=\"{}\">\n{}</invoke>", call.name, lines.concat())
}

fn deepseek_v31(call: &PlannedCall) -> String {
    format!("<｜tool▁call▁begin｜>{}<｜tool▁sep｜>{}<｜tool▁call▁end｜>", call.name, call.input)
}

fn deepseek_v4(call: &PlannedCall) -> String {
    let map = call.input.as_object().into_iter().flatten();
    let lines: Vec<String> = map
        .map(|(key, value)| {
            let text = super::errors::text(value);
            let is_string = value.is_string();
            format!("<｜DSML｜parameter name=\"{key}\" string=\"{is_string}\">{text}</｜DSML｜parameter>\n")
        })
        .collect();
    format!("<｜DSML｜invoke name=\"{}\">\n{}</｜DSML｜invoke>", call.name, lines.concat())
}

fn kimi_k2(index: usize, call: &PlannedCall) -> String {
    format!(
        "<|tool_call_begin|>functions.{}:{index}<|tool_call_argument_begin|>{}<|tool_call_end|>",
        call.name, call.input
    )
}

/// The calls that this model wrote in this text.
pub(super) fn read(form: TextForm, text: &str, tools: &[ToolSpec]) -> Vec<PlannedCall> {
    match form {
        TextForm::None => Vec::new(),
        TextForm::Hermes | TextForm::JsonFence | TextForm::Mistral | TextForm::Llama3Json => {
            objects(text)
        }
        TextForm::DeepseekV31 => read_headed(text, "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>"),
        TextForm::KimiK2 => {
            read_headed(text, "<|tool_call_begin|>", "<|tool_call_argument_begin|>")
        }
        TextForm::Qwen3Coder => read_tagged(text, tools, &TAGS_QWEN),
        TextForm::Glm45 => read_tagged(text, tools, &TAGS_GLM),
        TextForm::MinimaxM2 => read_tagged(text, tools, &TAGS_MINIMAX),
        TextForm::DeepseekV4 => read_tagged(text, tools, &TAGS_DSML),
    }
}

/// JSON objects with a name and arguments, alone or in lists.
fn objects(text: &str) -> Vec<PlannedCall> {
    let values = super::taught::values(text).into_iter().flat_map(|value| match value {
        Value::Array(items) => items,
        other => vec![other],
    });
    let planned = values.filter_map(|value| {
        let input = value.get("arguments").or_else(|| value.get("parameters"))?.clone();
        Some(PlannedCall { name: value.get("name")?.as_str()?.to_owned(), input })
    });
    planned.collect()
}

/// A name between two marks, then a JSON object.
fn read_headed(text: &str, opener: &str, separator: &str) -> Vec<PlannedCall> {
    let planned = text.split(opener).skip(1).filter_map(|call| {
        let (name, rest) = call.split_once(separator)?;
        let name = name.trim_start_matches("functions.").split(':').next()?;
        let input = super::taught::values(rest).into_iter().next()?;
        Some(PlannedCall { name: name.to_owned(), input })
    });
    planned.collect()
}

/// The marks of a tagged form: before a call's name and after it, before a parameter's name, after
/// it, and after the value.
struct Tags {
    name: (&'static str, &'static [char]),
    key: (&'static str, &'static str),
    value_end: &'static str,
}

const TAGS_QWEN: Tags =
    Tags { name: ("<function=", &['>']), key: ("<parameter=", ">\n"), value_end: "\n</parameter>" };
const TAGS_GLM: Tags = Tags {
    name: ("<tool_call>", &['\n']),
    key: ("<arg_key>", "</arg_key>\n<arg_value>"),
    value_end: "</arg_value>",
};
const TAGS_MINIMAX: Tags = Tags {
    name: ("<invoke name=\"", &['"']),
    key: ("<parameter name=\"", "\">"),
    value_end: "</parameter>",
};
const TAGS_DSML: Tags = Tags {
    name: ("<｜DSML｜invoke name=\"", &['"']),
    key: ("<｜DSML｜parameter name=\"", ">"),
    value_end: "</｜DSML｜parameter>",
};

fn read_tagged(text: &str, tools: &[ToolSpec], tags: &Tags) -> Vec<PlannedCall> {
    let (opener, closers) = tags.name;
    let planned = text.split(opener).skip(1).filter_map(|call| {
        let (name, rest) = call.split_at(call.find(closers)?);
        let tool = tools.iter().find(|tool| tool.name == name);
        let input: Object = rest
            .split(tags.key.0)
            .skip(1)
            .filter_map(|parameter| {
                let (key, rest) = parameter.split_once(tags.key.1)?;
                let key = key.split('"').next()?;
                let (value, _) = rest.split_once(tags.value_end)?;
                Some((key.to_owned(), typed(value, key, tool)))
            })
            .collect();
        Some(PlannedCall { name: name.to_owned(), input: Value::Object(input) })
    });
    planned.collect()
}

/// Text where the schema says text, else the JSON that it is.
fn typed(value: &str, key: &str, tool: Option<&ToolSpec>) -> Value {
    let root = tool.map(|tool| &tool.input_schema);
    let property = root.and_then(|root| root.get("properties")?.get(key));
    let types = root.zip(property).map(|(root, own)| invent::types(own, root)).unwrap_or_default();
    if types.iter().any(|word| word == "string") {
        return Value::from(value);
    }
    serde_json::from_str(value).unwrap_or_else(|_| Value::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_written_as_its_template_does() {
        let planned = [PlannedCall { name: "add".to_owned(), input: json!({"a": 1, "to": "x"}) }];
        let cases = [
            (
                TextForm::Qwen3Coder,
                "<tool_call>\n<function=add>\n<parameter=a>\n1\n</parameter>\n<parameter=to>\nx\n</parameter>\n</function>\n</tool_call>",
            ),
            (
                TextForm::Hermes,
                "<tool_call>\n{\"name\":\"add\",\"arguments\":{\"a\":1,\"to\":\"x\"}}\n</tool_call>",
            ),
            (
                TextForm::JsonFence,
                "```json\n{\"name\":\"add\",\"arguments\":{\"a\":1,\"to\":\"x\"}}\n```",
            ),
            (
                TextForm::Glm45,
                "<tool_call>add\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n<arg_key>to</arg_key>\n<arg_value>x</arg_value>\n</tool_call>",
            ),
            (
                TextForm::MinimaxM2,
                "<minimax:tool_call>\n<invoke name=\"add\">\n<parameter name=\"a\">1</parameter>\n<parameter name=\"to\">x</parameter>\n</invoke>\n</minimax:tool_call>",
            ),
            (
                TextForm::DeepseekV31,
                "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>add<｜tool▁sep｜>{\"a\":1,\"to\":\"x\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
            ),
            (
                TextForm::DeepseekV4,
                "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"add\">\n<｜DSML｜parameter name=\"a\" string=\"false\">1</｜DSML｜parameter>\n<｜DSML｜parameter name=\"to\" string=\"true\">x</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
            ),
            (
                TextForm::KimiK2,
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.add:0<|tool_call_argument_begin|>{\"a\":1,\"to\":\"x\"}<|tool_call_end|><|tool_calls_section_end|>",
            ),
            (
                TextForm::Mistral,
                "[TOOL_CALLS][{\"name\":\"add\",\"arguments\":{\"a\":1,\"to\":\"x\"}}]",
            ),
            (TextForm::Llama3Json, "{\"name\":\"add\",\"parameters\":{\"a\":1,\"to\":\"x\"}}"),
        ];
        for (form, text) in cases {
            assert_eq!(write(form, &planned), text, "{form:?}");
        }
    }

    #[test]
    fn what_is_written_is_recognised() {
        let tool = ToolSpec {
            name: "add".to_owned(),
            description: String::new(),
            input_schema: json!({"type": "object", "properties": {"a": {"type": "integer"},
                "to": {"type": "string"}, "at": {"type": "object"}}}),
            strict: None,
        };
        let planned = [
            PlannedCall {
                name: "add".to_owned(),
                input: json!({"a": 1, "to": "7", "at": {"x": [true]}}),
            },
            PlannedCall { name: "add".to_owned(), input: json!({}) },
        ];
        for form in [
            TextForm::Qwen3Coder,
            TextForm::Hermes,
            TextForm::JsonFence,
            TextForm::Glm45,
            TextForm::MinimaxM2,
            TextForm::DeepseekV31,
            TextForm::DeepseekV4,
            TextForm::KimiK2,
            TextForm::Mistral,
            TextForm::Llama3Json,
        ] {
            let text = write(form, &planned);
            assert_eq!(read(form, &text, std::slice::from_ref(&tool)), planned, "{form:?} {text}");
        }
    }
}
