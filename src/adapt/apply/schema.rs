//! Simpler schemas: keywords told in words instead, types beside which text is allowed.

use serde_json::{Value, json};

use crate::ir::{Object, ToolSpec};

/// References inside references are followed so far.
const MAX_DEPTH: usize = 16;

/// The tool as it is offered to a model that does not keep to these keywords and types. They are
/// named as the cases of the schema probe are.
pub(super) fn simplify(tool: &ToolSpec, drop: &[String], widen: &[String]) -> ToolSpec {
    let simplifier = Simplifier { root: &tool.input_schema, drop, widen };
    let mut input_schema = simplifier.simplify(&tool.input_schema, 0);
    if simplifier.drops("$ref")
        && let Some(map) = input_schema.as_object_mut()
    {
        map.shift_remove("$defs");
        map.shift_remove("definitions");
    }
    ToolSpec { input_schema, ..tool.clone() }
}

struct Simplifier<'a> {
    root: &'a Value,
    drop: &'a [String],
    widen: &'a [String],
}

impl Simplifier<'_> {
    fn drops(&self, case: &str) -> bool {
        self.drop.iter().any(|dropped| dropped == case)
    }

    fn simplify(&self, schema: &Value, depth: usize) -> Value {
        let target = self.inline_reference(schema).filter(|_| depth < MAX_DEPTH);
        if let Some(target) = target {
            return self.simplify(target, depth + 1);
        }
        let Some(map) = schema.as_object() else { return schema.clone() };
        let mut out = Object::new();
        let mut told = Vec::new();
        for (key, value) in map {
            match key.as_str() {
                _ if self.drops(case_of(key)) => told.push(format!("{key}: {value}")),
                "type" => {
                    out.insert(key.clone(), self.widen_type(value, depth));
                }
                "properties" | "$defs" | "definitions" => {
                    out.insert(key.clone(), self.each(value, depth));
                }
                "items" | "additionalProperties" | "not" => {
                    out.insert(key.clone(), self.simplify(value, depth + 1));
                }
                "anyOf" | "oneOf" | "allOf" => {
                    let branches = value.as_array().into_iter().flatten();
                    out.insert(
                        key.clone(),
                        branches.map(|it| self.simplify(it, depth + 1)).collect(),
                    );
                }
                _ => {
                    out.insert(key.clone(), value.clone());
                }
            }
        }
        tell(&mut out, &told);
        Value::Object(out)
    }

    fn inline_reference<'s>(&'s self, schema: &Value) -> Option<&'s Value> {
        let pointer = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
        self.root.pointer(pointer).filter(|_| self.drops("$ref"))
    }

    fn each(&self, schemas: &Value, depth: usize) -> Value {
        let all = schemas.as_object().into_iter().flatten();
        all.map(|(key, schema)| (key.clone(), self.simplify(schema, depth + 1))).collect()
    }

    /// The type with text beside it. The arguments themselves stay an object.
    fn widen_type(&self, kind: &Value, depth: usize) -> Value {
        let names: Vec<&str> = match kind {
            Value::String(name) => vec![name],
            other => other.as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
        };
        let is_widened = |name: &str| self.widen.iter().any(|case| case == case_of_type(name));
        if depth == 0 || names.contains(&"string") || !names.iter().any(|name| is_widened(name)) {
            return kind.clone();
        }
        json!(names.into_iter().chain(["string"]).collect::<Vec<_>>())
    }
}

/// The case of the schema probe that a keyword belongs to.
fn case_of(keyword: &str) -> &str {
    match keyword {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => "minimum-maximum",
        "const" => "enum",
        other => other,
    }
}

/// The case of the schema probe that a type belongs to.
fn case_of_type(name: &str) -> &str {
    match name {
        "number" => "integer",
        "object" => "nested-object",
        other => other,
    }
}

/// Puts what was left out into the description.
fn tell(schema: &mut Object, told: &[String]) {
    if told.is_empty() {
        return;
    }
    let told = format!("Must satisfy {}.", told.join(", "));
    let description = match schema.get("description").and_then(Value::as_str) {
        Some(text) => format!("{text} {told}"),
        None => told,
    };
    schema.insert("description".to_owned(), Value::String(description));
}
