//! Mentions: the tools and values that a sentence names.
//!
//! Only clear cases count: a tool's name as a word of its own, a parameter's name with a value
//! beside it, a value of an enum, a number or a quotation that can belong to one parameter only.

use serde_json::{Map, Value, json};

use super::invent;
use crate::ir::ToolSpec;

/// The tools that the text names, in its order, but for those it says not to call.
pub(super) fn tools<'a>(text: &str, tools: &'a [ToolSpec]) -> Vec<&'a ToolSpec> {
    let mut found: Vec<(usize, &ToolSpec)> = tools
        .iter()
        .filter_map(|tool| {
            let place = words(text, &tool.name).find(|place| !is_negated(text, *place))?;
            Some((place, tool))
        })
        .collect();
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, tool)| tool).collect()
}

/// The places where the name stands as a word of its own.
fn words<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(name).map(|(place, _)| place).filter(move |place| {
        let before = text.get(..*place).and_then(|before| before.chars().next_back());
        let mut after = text.get(place + name.len()..).unwrap_or_default().chars();
        let next = after.next();
        // A full stop ends a sentence unless the word goes on behind it.
        let goes_on = match next {
            Some('.') => after.next().is_some_and(is_word),
            Some(c) => is_word(c),
            None => false,
        };
        !name.is_empty() && !before.is_some_and(|c| is_word(c) || c == '.') && !goes_on
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// Whether the clause before this place contains a negation.
fn is_negated(text: &str, place: usize) -> bool {
    let before = text.get(..place).unwrap_or_default();
    let clause = before.rsplit(['.', ';', '!', '?', '\n', ',']).next().unwrap_or_default();
    let clause = format!(" {} ", clause.to_lowercase());
    [" not ", "n't ", " never ", " without ", " instead of "].iter().any(|no| clause.contains(no))
}

/// What the text says about the tool's parameters.
pub(super) fn arguments(tool: &ToolSpec, text: &str) -> Value {
    let schema = &tool.input_schema;
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return json!({});
    };
    if let Some(object) = object_in(text, properties) {
        return Value::Object(object);
    }
    let mut found: Map<String, Value> = properties
        .iter()
        .filter_map(|(key, property)| {
            let value = beside(text, key, property, schema).or_else(|| choice(text, property))?;
            Some((key.clone(), value))
        })
        .collect();
    fill_unnamed(&mut found, tool, properties, text);
    Value::Object(found)
}

/// A JSON object in the text whose keys are parameters.
fn object_in(text: &str, properties: &Map<String, Value>) -> Option<Map<String, Value>> {
    text.match_indices('{').find_map(|(place, _)| {
        let mut values = serde_json::Deserializer::from_str(text.get(place..)?).into_iter();
        let Some(Ok(Value::Object(object))) = values.next() else { return None };
        (!object.is_empty() && object.keys().all(|key| properties.contains_key(key)))
            .then_some(object)
    })
}

/// The value that stands beside a parameter's name: `city = "Oslo"`, `city: Oslo`, `city Oslo`.
fn beside(text: &str, key: &str, property: &Value, root: &Value) -> Option<Value> {
    words(text, key).find_map(|place| {
        let rest = text.get(place + key.len()..)?;
        let rest = rest.trim_start_matches(['`', '"', '\'', '*']);
        let bare = rest.trim_start();
        let marked = bare.strip_prefix(['=', ':']);
        let worded =
            ["is ", "to ", "of ", "as ", "set to "].iter().find_map(|w| bare.strip_prefix(w));
        let value = marked.or(worded).unwrap_or(bare).trim_start();
        let is_named = marked.is_some() || worded.is_some();
        token(value, is_named).and_then(|token| coerce_token(&token, property, root))
    })
}

/// The word, number or quotation at the start of the text. Without a mark before it, a word counts
/// only if it looks like a name or a number.
fn token(text: &str, is_named: bool) -> Option<Token> {
    let first = text.chars().next()?;
    if let Some(closer) = closing_quote(first) {
        let inside = text.get(first.len_utf8()..)?;
        return Some(Token::Quoted(inside.split_once(closer)?.0.to_owned()));
    }
    let word: String =
        text.chars().take_while(|c| !c.is_whitespace() && !",;)]}".contains(*c)).collect();
    let word = word.trim_end_matches(['.', '?', '!', ':']);
    let stands_out = first.is_uppercase() || first.is_ascii_digit() || first == '-' || first == '/';
    (!word.is_empty() && (is_named || stands_out)).then(|| Token::Bare(word.to_owned()))
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Quoted(String),
    Bare(String),
}

fn closing_quote(opener: char) -> Option<char> {
    match opener {
        '"' | '\'' | '`' => Some(opener),
        '“' => Some('”'),
        '«' => Some('»'),
        _ => None,
    }
}

/// The token as the type that the schema wants; nothing if it cannot be one.
fn coerce_token(token: &Token, property: &Value, root: &Value) -> Option<Value> {
    let (Token::Quoted(text) | Token::Bare(text)) = token;
    let types = invent::types(property, root);
    let parsed: Option<Value> = serde_json::from_str(text).ok();
    let fits = |word: &str| types.iter().any(|known| known == word);
    match parsed {
        Some(Value::Number(n)) if fits("number") || fits("integer") && n.is_i64() => {
            Some(Value::Number(n))
        }
        Some(Value::Bool(b)) if fits("boolean") => Some(Value::Bool(b)),
        Some(Value::Null) if fits("null") => Some(Value::Null),
        _ if fits("string") || types.is_empty() => Some(Value::String(text.clone())),
        _ => None,
    }
}

/// A value of the enum that the text mentions.
fn choice(text: &str, property: &Value) -> Option<Value> {
    let options = property.get("enum")?.as_array()?;
    let named =
        |option: &&Value| option.as_str().is_some_and(|word| words(text, word).next().is_some());
    options.iter().find(named).cloned()
}

/// Numbers and quotations that no name stands beside go to the required parameters that are left,
/// in order, if they can only belong there.
fn fill_unnamed(
    found: &mut Map<String, Value>,
    tool: &ToolSpec,
    properties: &Map<String, Value>,
    text: &str,
) {
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    let open = |types: &[&str], found: &Map<String, Value>| -> Vec<String> {
        let keys = required.into_iter().flatten().filter_map(Value::as_str);
        keys.filter(|key| !found.contains_key(*key))
            .filter(|key| {
                let property = properties.get(*key);
                property.is_some_and(|property| {
                    let is_free = property.get("enum").is_none();
                    let own = invent::types(property, &tool.input_schema);
                    is_free && own.first().is_some_and(|word| types.contains(&word.as_str()))
                })
            })
            .map(str::to_owned)
            .collect()
    };
    let numbers = numbers(text);
    let wanting = open(&["integer", "number"], found);
    if numbers.len() == wanting.len() {
        found.extend(wanting.into_iter().zip(numbers));
    }
    let quotations: Vec<Value> = quotations(text, &tool.name);
    let wanting = open(&["string"], found);
    if quotations.len() == wanting.len() {
        found.extend(wanting.into_iter().zip(quotations));
    }
}

fn numbers(text: &str) -> Vec<Value> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '_')))
        .map(|word| word.trim_end_matches('.'))
        .filter_map(|word| serde_json::from_str::<Value>(word).ok())
        .filter(Value::is_number)
        .collect()
}

/// The texts between double quotes, but for the tool's own name.
fn quotations(text: &str, name: &str) -> Vec<Value> {
    let inside = text.split('"').skip(1).step_by(2);
    inside.filter(|quoted| *quoted != name).map(Value::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, properties: &Value, required: &[&str]) -> ToolSpec {
        ToolSpec::new(
            name,
            "",
            json!({"type": "object", "properties": properties, "required": required}),
        )
    }

    fn weather() -> ToolSpec {
        tool(
            "get_weather",
            &json!({"city": {"type": "string"}, "days": {"type": "integer"},
                   "unit": {"type": "string", "enum": ["celsius", "kelvin"]}}),
            &["city"],
        )
    }

    #[test]
    fn a_tool_is_named_in_backticks_in_quotes_or_as_a_word() {
        let all = [weather(), tool("add", &json!({}), &[])];
        for text in
            ["Use `get_weather`.", "use \"get_weather\"", "Call get_weather.", "(get_weather)"]
        {
            assert_eq!(tools(text, &all).len(), 1, "{text}");
        }
        for text in
            ["get_weather_v2", "additional", "my.add", "Do not call get_weather here", "add-on"]
        {
            assert_eq!(tools(text, &all).len(), 0, "{text}");
        }
    }

    #[test]
    fn tools_come_in_the_order_of_the_text() {
        let all = [weather(), tool("add", &json!({}), &[])];
        let named = tools("first add, then get_weather", &all);
        assert_eq!(
            named.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(),
            ["add", "get_weather"]
        );
    }

    #[test]
    fn values_beside_their_names_are_taken() {
        for text in [
            "get_weather(city=\"Oslo\", days=3)",
            "get_weather with city: Oslo, days: 3",
            "get_weather for city Oslo and days 3.",
            "get_weather where `city` is 'Oslo' and days is 3",
            "call get_weather with {\"city\": \"Oslo\", \"days\": 3}",
        ] {
            assert_eq!(arguments(&weather(), text), json!({"city": "Oslo", "days": 3}), "{text}");
        }
    }

    #[test]
    fn enum_values_numbers_and_quotations_find_their_only_place() {
        assert_eq!(
            arguments(&weather(), "weather in \"Oslo\" in kelvin"),
            json!({"unit": "kelvin", "city": "Oslo"})
        );
        let add =
            tool("add", &json!({"a": {"type": "integer"}, "b": {"type": "integer"}}), &["a", "b"]);
        assert_eq!(arguments(&add, "Add 17 and 25 with the tool."), json!({"a": 17, "b": 25}));
        assert_eq!(arguments(&add, "Add 17 to something"), json!({}));
    }
}
