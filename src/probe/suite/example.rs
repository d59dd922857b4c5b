//! Example arguments for a schema, as templates of [`fill`], so that what is free differs from trial to trial.
//!
//! The simulator has a walk over schemas of its own (`sim::brain::invent`), because it plays the model
//! that is measured: it takes defaults, the smallest number and the required properties only, and it
//! must not share a mistake with the probe that judges it.

use serde_json::{Map, Value, json};

use super::{Seed, fill};
use crate::tools::{ArgumentSchema, text_matching, text_of_format};

/// References nested deeper than this are circular.
const MAX_DEPTH: usize = 8;

/// How many properties are given that need not be.
const OPTIONAL: usize = 2;

/// How long the words of a trial are: `teal-1000` to `violet-9999`.
const WORD_LENGTHS: [usize; 2] = [9, 11];

/// How many fillings of a template are tried before it is believed.
const TRIED: u64 = 8;

/// A template of arguments that the schema allows: what is required and a little more, or only what
/// is required. `Null` where none was found, as with a schema that contradicts itself.
pub(super) fn arguments(schema: &Value, seed: &Seed) -> Value {
    let Ok(checked) = ArgumentSchema::new(schema) else { return Value::Null };
    let holds = |template: &Value| {
        (0..TRIED).all(|n| checked.complaints(&fill(template, &Seed::new(n))).is_empty())
    };
    [OPTIONAL, 0]
        .into_iter()
        .map(|optional| Maker { root: schema, optional }.make(schema, seed, 0))
        .find(holds)
        .unwrap_or(Value::Null)
}

struct Maker<'a> {
    root: &'a Value,
    optional: usize,
}

impl Maker<'_> {
    fn make(&self, schema: &Value, seed: &Seed, depth: usize) -> Value {
        let schema = self.resolve(schema);
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        let listed = ["enum", "examples"].iter().find_map(|key| schema.get(*key)?.as_array());
        if let Some(value) = listed.and_then(|values| seed.pick(values)) {
            return value.clone();
        }
        if depth > MAX_DEPTH {
            return Value::Null;
        }
        let branches = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(*key)?.as_array());
        let all = schema.get("allOf").and_then(Value::as_array);
        let parts: Vec<&Value> = match (branches.and_then(|all| all.first()), all) {
            (Some(branch), _) => vec![branch],
            (None, Some(all)) => all.iter().collect(),
            (None, None) => return self.value_of_type(schema, seed, depth),
        };
        self.merge_parts(schema, &parts, seed, depth)
    }

    /// The parts of a union or an intersection, with the properties that stand beside it.
    fn merge_parts(&self, schema: &Value, parts: &[&Value], seed: &Seed, depth: usize) -> Value {
        let mut made = parts.iter().map(|part| self.make(part, seed, depth + 1));
        let Some(Value::Object(mut whole)) = made.next() else {
            return parts.first().map_or(Value::Null, |part| self.make(part, seed, depth + 1));
        };
        for other in made {
            if let Value::Object(map) = other {
                whole.extend(map);
            }
        }
        for (key, value) in self.object(schema, seed, depth) {
            whole.entry(key).or_insert(value);
        }
        Value::Object(whole)
    }

    fn resolve<'b>(&'b self, schema: &'b Value) -> &'b Value {
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix('#'));
        target.and_then(|pointer| self.root.pointer(pointer)).unwrap_or(schema)
    }

    fn value_of_type(&self, schema: &Value, seed: &Seed, depth: usize) -> Value {
        match kind(schema) {
            Some("string") => text(schema, seed),
            Some("integer" | "number") => number(schema),
            Some("boolean") => Value::Bool(seed.integer(0..=1) == 1),
            Some("null") => Value::Null,
            Some("array") => self.array(schema, seed, depth),
            Some("object") => Value::Object(self.object(schema, seed, depth)),
            _ if schema.get("properties").is_some() => {
                Value::Object(self.object(schema, seed, depth))
            }
            _ => json!("${word}"),
        }
    }

    fn object(&self, schema: &Value, seed: &Seed, depth: usize) -> Map<String, Value> {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return Map::new();
        };
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut optional = self.optional;
        let given = properties.iter().filter(|(key, _)| {
            let is_required = required.contains(&key.as_str());
            let is_extra = !is_required && optional > 0;
            optional -= usize::from(is_extra);
            is_required || is_extra
        });
        given
            .map(|(key, inner)| (key.clone(), self.make(inner, &seed.child(key), depth + 1)))
            .collect()
    }

    fn array(&self, schema: &Value, seed: &Seed, depth: usize) -> Value {
        let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
        let least = bound("minItems").unwrap_or(1).min(16);
        let wanted = least.min(bound("maxItems").unwrap_or(u64::MAX));
        let Some(items) = schema.get("items").filter(|items| items.is_object()) else {
            return json!([]);
        };
        let each = |number: u64| self.make(items, &seed.child(&number.to_string()), depth + 1);
        (0..wanted).map(each).collect()
    }
}

/// The type that a value is made of: of several the first that is not null.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(word) => Some(word),
        Value::Array(words) => {
            let mut words = words.iter().filter_map(Value::as_str);
            let first = words.clone().next();
            words.find(|word| *word != "null").or(first)
        }
        _ => None,
    }
}

fn text(schema: &Value, seed: &Seed) -> Value {
    let keyword = |key: &str| schema.get(key).and_then(Value::as_str);
    if let Some(made) = keyword("pattern").and_then(|pattern| one_of_several(pattern, seed)) {
        return Value::String(made);
    }
    if let Some(example) = keyword("format").and_then(text_of_format) {
        return Value::String(example.to_owned());
    }
    let length = |key: &str| {
        schema.get(key).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
    };
    let (least, most) =
        (length("minLength").unwrap_or(0), length("maxLength").unwrap_or(usize::MAX));
    let [shortest, longest] = WORD_LENGTHS;
    if least <= shortest && longest <= most {
        return json!("${word}");
    }
    let letters = seed.word();
    Value::String(letters.chars().cycle().take(least.min(4096).max(longest).min(most)).collect())
}

/// A text that matches a pattern, another in each trial where the template's grammar allows it.
fn one_of_several(pattern: &str, seed: &Seed) -> Option<String> {
    let texts: Option<Vec<String>> =
        (0..TRIED).map(|number| text_matching(pattern, &seed.child(&number.to_string()))).collect();
    let texts = texts?;
    let is_word = |text: &String| !text.is_empty() && !text.contains([' ', '}', '$']);
    if texts.iter().all(is_word) {
        return Some(format!("${{pick {}}}", texts.join(" ")));
    }
    texts.into_iter().next()
}

/// A number within the bounds, as a multiple where one is asked for.
fn number(schema: &Value) -> Value {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let low = bound("minimum").or(bound("exclusiveMinimum").map(|low| low + 1.0)).map(f64::ceil);
    let high =
        bound("maximum").or(bound("exclusiveMaximum").map(|high| high - 1.0)).map(f64::floor);
    let (low, high) = match (low, high) {
        (Some(low), Some(high)) => (low, high),
        (Some(low), None) => (low, low + 99.0),
        (None, Some(high)) => (high.min(1.0), high),
        (None, None) => (1.0, 99.0),
    };
    if let Some(step) = bound("multipleOf").filter(|step| *step > 0.0) {
        return json!((low / step).ceil() * step);
    }
    // `1..99` takes whole numbers; bounds of tools in use are far from the limits of either type.
    json!(format!("${{int {low:.0}..{high:.0}}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_satisfy_their_schema_whatever_the_seed() {
        let schemas = [
            json!({"type": "object", "properties": {"city": {"type": "string"}, "unit": {"enum": ["c", "f"]}},
                   "required": ["city"]}),
            json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 5, "multipleOf": 4},
                   "m": {"type": "number", "maximum": 3}}, "required": ["n", "m"]}),
            json!({"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
                   "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
                   "long": {"type": "string", "minLength": 12, "maxLength": 12}}, "required": ["id", "code", "long"]}),
            json!({"type": "object", "properties": {"to": {"$ref": "#/$defs/p"}}, "required": ["to"],
                   "$defs": {"p": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}}}),
            json!({"type": "object", "properties": {"k": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                   "l": {"type": ["null", "boolean"]}, "c": {"const": "v"}}, "required": ["k", "l", "c"]}),
            json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "number"}, "minItems": 3}},
                   "required": ["a"], "additionalProperties": false}),
            json!({"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                   {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]}]}),
            json!({"type": "object", "properties": {}}),
            json!({"type": "object"}),
        ];
        for schema in schemas {
            for number in 0..5 {
                let seed = Seed::new(number);
                let made = fill(&arguments(&schema, &seed), &seed);
                assert!(jsonschema::is_valid(&schema, &made), "{schema} gave {made}");
            }
        }
    }

    #[test]
    fn what_is_required_is_given_and_a_little_of_what_is_not() {
        let schema = json!({"type": "object", "required": ["c"], "properties": {
            "a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}, "d": {"type": "string"}}});
        let made = arguments(&schema, &Seed::new(1));
        assert_eq!(made, json!({"a": "${word}", "b": "${word}", "c": "${word}"}));
    }

    #[test]
    fn optional_properties_that_exclude_each_other_are_left_out() {
        let schema = json!({"type": "object", "not": {"required": ["a", "b"]},
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}}});
        assert_eq!(arguments(&schema, &Seed::new(1)), json!({}));
    }

    #[test]
    fn a_schema_that_nothing_satisfies_and_one_that_never_ends_give_no_arguments() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {"a": false}});
        assert_eq!(arguments(&schema, &Seed::new(1)), Value::Null);
        let circular = json!({"$ref": "#/$defs/n", "$defs": {"n": {"type": "object",
            "properties": {"next": {"$ref": "#/$defs/n"}}, "required": ["next"]}}});
        assert_eq!(arguments(&circular, &Seed::new(1)), Value::Null);
    }
}
