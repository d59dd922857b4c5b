//! Repair: arguments that follow what an error asks for.
//!
//! The error's words name a parameter and say what it should have been; the schema fills in what
//! they leave open. Nothing here knows any tool's own messages.

use serde_json::{Value, json};

use super::errors::ErrorReport;
use super::{invent, paths};
use crate::ir::ToolSpec;

/// The arguments, corrected; nothing when the error gives no hold or rules another try out.
pub(super) fn correct(input: &Value, tool: &ToolSpec, report: &ErrorReport) -> Option<Value> {
    if !report.retryable {
        return None;
    }
    let mut better = input.clone();
    if !better.is_object() {
        better = invent::value(&tool.input_schema, &tool.input_schema);
    }
    for complaint in report.message.split("; ") {
        heed(&mut better, &tool.input_schema, complaint);
    }
    (better != *input).then_some(better)
}

/// A failed correction: arguments with another wrong text.
pub(super) fn botch(input: &Value) -> Value {
    let mut worse = input.clone();
    if let Some(text) =
        worse.as_object_mut().and_then(|map| map.values_mut().find(|v| v.is_string()))
    {
        *text = json!(format!("./{}", text.as_str().unwrap_or_default()));
    }
    worse
}

fn heed(input: &mut Value, schema: &Value, complaint: &str) {
    let Some(path) = named_parameter(complaint, input, schema) else { return };
    if let Some(extra) = forbidden(complaint) {
        for key in extra {
            let place = if path.is_empty() { key } else { format!("{path}.{key}") };
            paths::remove(input, &place);
        }
        return;
    }
    let own = property(schema, &path);
    let old = paths::get(input, &path).cloned();
    if let Some(value) = proposal(complaint, old.as_ref(), own, schema) {
        paths::set(input, &path, value);
    }
}

/// The path that the complaint is about, without a leading `input.`: the first word that begins
/// with a parameter's name; the only parameter where none is named; `""` for the whole.
fn named_parameter(complaint: &str, input: &Value, schema: &Value) -> Option<String> {
    let known: Vec<&String> = [schema.get("properties"), Some(input)]
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .flat_map(serde_json::Map::keys)
        .collect();
    let words = complaint.split(|c: char| c.is_whitespace() || "\"'`(),:=".contains(c));
    for word in words.map(|word| word.trim_end_matches(['.', ';'])) {
        let path = word.trim_start_matches(['$', '#', '/', '.']).replace('/', ".");
        let path = ["input.", "arguments.", "parameters."]
            .iter()
            .find_map(|p| path.strip_prefix(p))
            .unwrap_or(&path);
        let head = path.split(['.', '[']).next().unwrap_or_default();
        if path == "input" && forbidden(complaint).is_some() {
            return Some(String::new());
        }
        if known.iter().any(|key| *key == head) {
            return Some(path.to_owned());
        }
    }
    match known.as_slice() {
        [only] => Some((*only).clone()),
        [one, same] if one == same => Some((*one).clone()),
        _ => None,
    }
}

/// The properties that the complaint says must not be there.
fn forbidden(complaint: &str) -> Option<Vec<String>> {
    let lower = complaint.to_lowercase();
    let about = [
        "further propert",
        "additional propert",
        "unexpected propert",
        "unknown propert",
        "extra_forbidden",
    ];
    if !about.iter().any(|words| lower.contains(words)) {
        return None;
    }
    let list = complaint
        .rsplit_once("got ")
        .or_else(|| complaint.rsplit_once(':'))
        .map(|(_, list)| list)?;
    let names =
        list.split([',', ' ']).map(|name| name.trim_matches(['"', '\'', '`', '.', '(', ')']));
    Some(names.filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn property<'a>(schema: &'a Value, path: &str) -> Option<&'a Value> {
    let steps = path.split('.').flat_map(|part| {
        let (key, index) =
            part.split_once('[').map_or((part, None), |(key, rest)| (key, Some(rest)));
        std::iter::once(Some(key)).chain(index.map(|_| None))
    });
    steps.into_iter().try_fold(schema, |place, step| {
        let place = invent::resolve(place, schema);
        match step {
            Some(key) => place.get("properties")?.get(key),
            None => place.get("items"),
        }
    })
}

/// What the complaint proposes: a value it names, one of a list, or what its words imply.
fn proposal(
    complaint: &str,
    old: Option<&Value>,
    own: Option<&Value>,
    root: &Value,
) -> Option<Value> {
    let (wish, _) = complaint.split_once(", got ").unwrap_or((complaint, ""));
    if let Some(value) = read_suggestion(wish) {
        return Some(value);
    }
    if let Some(value) = read_list(wish, old) {
        return Some(value);
    }
    let lower = wish.to_lowercase();
    if lower.contains("absolute") {
        let path = old?.as_str()?.trim_start_matches("./");
        return Some(json!(format!("/{}", path.trim_start_matches('/'))));
    }
    let word = TYPES.iter().find(|word| lower.contains(**word));
    if let Some(value) = word.and_then(|word| convert_value(old?, word)) {
        return Some(value);
    }
    own.map(|own| invent::value(own, root)).filter(|made| Some(made) != old)
}

/// The value after "use", "for example" and the like.
fn read_suggestion(wish: &str) -> Option<Value> {
    let cues = [
        "did you mean ",
        "for example ",
        "for example, ",
        "e.g. ",
        "such as ",
        " use ",
        "expected const ",
    ];
    let rest =
        cues.iter().find_map(|cue| wish.split_once(cue).map(|(_, rest)| rest.trim_start()))?;
    if let Some(Ok(value)) = serde_json::Deserializer::from_str(rest).into_iter::<Value>().next() {
        return Some(value);
    }
    let word =
        rest.split_whitespace().next()?.trim_matches(['\'', '`', '"', '.', ',', '?', ')', ';']);
    (!word.is_empty()).then(|| json!(word))
}

/// The entry of a list after "one of" that is nearest to what was sent.
fn read_list(wish: &str, old: Option<&Value>) -> Option<Value> {
    let (_, list) = wish.split_once("one of")?;
    let options: Vec<Value> = list
        .split([',', '[', ']', '|'])
        .map(|option| {
            option
                .trim()
                .trim_start_matches(':')
                .trim()
                .trim_start_matches("or ")
                .trim_end_matches('.')
        })
        .filter(|option| !option.is_empty())
        .map(|option| {
            serde_json::from_str(option)
                .unwrap_or_else(|_| json!(option.trim_matches(['\'', '`', '"'])))
        })
        .collect();
    let old = old.and_then(Value::as_str).unwrap_or_default();
    let score = |option: &Value| strsim::jaro_winkler(option.as_str().unwrap_or_default(), old);
    options.into_iter().rev().max_by(|one, other| score(one).total_cmp(&score(other)))
}

const TYPES: [&str; 7] = ["integer", "number", "boolean", "array", "object", "null", "string"];

/// The old value as this type, where it can be read as one.
fn convert_value(old: &Value, word: &str) -> Option<Value> {
    let parsed = old.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let value = parsed.unwrap_or_else(|| old.clone());
    match word {
        "integer" => value.as_f64().map(|number| json!(number.trunc())).and_then(|n| integral(&n)),
        "number" => value.is_number().then_some(value),
        "boolean" => match old.as_str().unwrap_or_default() {
            "yes" | "true" | "1" => Some(json!(true)),
            "no" | "false" | "0" => Some(json!(false)),
            _ => value.is_boolean().then_some(value),
        },
        "array" => value.is_array().then_some(value),
        "object" => value.is_object().then_some(value),
        "null" => (old.as_str() == Some("null")).then_some(Value::Null),
        _ => (!old.is_string()).then(|| json!(old.to_string())),
    }
}

fn integral(number: &Value) -> Option<Value> {
    let text = number.as_f64()?.to_string();
    text.parse::<i64>().ok().map(Value::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> ToolSpec {
        ToolSpec {
            name: "t".to_owned(),
            description: String::new(),
            input_schema: json!({"type": "object", "properties": {
                "path": {"type": "string"}, "tag": {"type": "string", "enum": ["alpha", "beta"]},
                "count": {"type": "integer", "minimum": 3}, "place": {"type": "object", "properties":
                    {"city": {"type": "string"}}, "required": ["city"]}}, "required": ["path"]}),
            strict: None,
        }
    }

    fn fixed(input: &Value, message: &str) -> Option<Value> {
        correct(input, &tool(), &ErrorReport { message: message.to_owned(), retryable: true })
    }

    #[test]
    fn each_kind_of_complaint_is_heeded() {
        let cases = [
            (
                json!({"path": "a/b"}),
                "input.path must be an absolute path",
                json!({"path": "/a/b"}),
            ),
            (json!({"path": "a"}), "path must be absolute", json!({"path": "/a"})),
            (
                json!({"path": "/a"}),
                "input.path does not exist, use /srv/b.txt",
                json!({"path": "/srv/b.txt"}),
            ),
            (json!({"path": "/a"}), "bad `path`, for example \"/x y\"", json!({"path": "/x y"})),
            (
                json!({"tag": "bet"}),
                r#"input.tag: expected one of "alpha", "beta", got "bet""#,
                json!({"tag": "beta"}),
            ),
            (
                json!({"count": "7"}),
                r#"input.count: expected integer, got "7""#,
                json!({"count": 7}),
            ),
            (json!({"count": 1}), "input.count: expected minimum 3, got 1", json!({"count": 3})),
            (
                json!({}),
                "input.path: expected a value because it is required, got none",
                json!({"path": "example"}),
            ),
            (
                json!({"path": "/a", "zip": 1}),
                "input: expected no further properties, got zip",
                json!({"path": "/a"}),
            ),
            (
                json!({"place": {"city": 5}}),
                "input.place.city: expected string, got 5",
                json!({"place": {"city": "5"}}),
            ),
            (
                json!({"place": "{\"city\": \"x\"}"}),
                r#"input.place: expected object, got "…""#,
                json!({"place": {"city": "x"}}),
            ),
            (
                json!({"count": "7", "tag": "x"}),
                r#"input.count: expected integer, got "7"; input.tag: expected one of "alpha", "beta", got "x""#,
                json!({"count": 7, "tag": "alpha"}),
            ),
        ];
        for (input, message, better) in cases {
            assert_eq!(fixed(&input, message), Some(better), "{message}");
        }
    }

    #[test]
    fn an_error_that_gives_no_hold_is_not_guessed_at() {
        assert_eq!(fixed(&json!({"path": "/a", "tag": "beta"}), "the disk is full"), None);
    }

    #[test]
    fn an_error_that_rules_out_another_try_is_believed() {
        let report = ErrorReport { message: "path must be absolute".to_owned(), retryable: false };
        assert_eq!(correct(&json!({"path": "a"}), &tool(), &report), None);
    }
}
