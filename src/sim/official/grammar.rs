//! Grammars of custom tools: what the text of a call may be.
//!
//! `OpenAI` decodes under a regular expression or a Lark grammar:
//! <https://platform.openai.com/docs/guides/function-calling#context-free-grammars>. Here a grammar becomes one
//! pattern. Rules that use themselves, and what else has no such pattern, leave the text free.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::tools::{ArgumentSchema, Choices, text_matching};

/// Rules inside rules beyond this depth are taken for rules that use themselves.
const DEEPEST: usize = 16;

/// Terminals of Lark's `common` library that grammars of tools import.
const COMMON: [(&str, &str); 11] = [
    ("LF", "\\n"),
    ("CR", "\\r"),
    ("NEWLINE", "(?:\\r?\\n)+"),
    ("DIGIT", "[0-9]"),
    ("INT", "[0-9]+"),
    ("SIGNED_INT", "[+-]?[0-9]+"),
    ("NUMBER", "[0-9]+(?:\\.[0-9]+)?"),
    ("LETTER", "[A-Za-z]"),
    ("WORD", "[A-Za-z]+"),
    ("WS", "[ \\t\\r\\n]+"),
    ("WS_INLINE", "[ \\t]+"),
];

/// The pattern that the text of a call must match; `None` where the text is free, an error where the
/// grammar cannot be read.
pub(super) fn pattern(tool: &Value) -> Result<Option<String>, String> {
    let Some(format) = tool.get("format").filter(|it| word(it, "type") == "grammar") else {
        return Ok(None);
    };
    // The fields stand in an object of their own in chat completions.
    let grammar = format.get("grammar").unwrap_or(format);
    let definition = word(grammar, "definition");
    let pattern = match word(grammar, "syntax") {
        "regex" => Some(format!("^(?:{definition})$")),
        "lark" => lark(definition)?.map(|pattern| format!("^{pattern}$")),
        other => return Err(format!("syntax '{other}' is not 'lark' or 'regex'")),
    };
    match pattern {
        Some(pattern) if regex_syntax::Parser::new().parse(&pattern).is_err() => {
            Err("the regular expression cannot be read".to_owned())
        }
        pattern => Ok(pattern),
    }
}

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The text, or one that the pattern matches where this one does not.
pub(super) fn fit(text: String, pattern: &str) -> String {
    let schema = ArgumentSchema::new(&json!({"type": "string", "pattern": pattern}));
    if schema.is_ok_and(|schema| schema.check(&Value::String(text.clone())).is_ok()) {
        return text;
    }
    text_matching(pattern, &First).unwrap_or(text)
}

/// Takes the first of everything.
struct First;

impl Choices for First {
    fn child(&self, _: &str) -> Self {
        Self
    }

    fn pick<'a, T>(&self, options: &'a [T]) -> Option<&'a T> {
        options.first()
    }
}

/// The pattern of a Lark grammar.
fn lark(definition: &str) -> Result<Option<String>, String> {
    let rules = rules(definition);
    let Some(start) = rules.get("start") else {
        return Err("the grammar has no rule 'start'".to_owned());
    };
    Ok(expand(start, &rules, DEEPEST))
}

/// The rules and terminals by their names. A line that begins with `|` goes on with the rule before it.
fn rules(definition: &str) -> HashMap<String, String> {
    let mut rules: HashMap<String, String> = HashMap::new();
    let mut latest = String::new();
    for line in definition.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        if line.starts_with('|') {
            rules.entry(latest.clone()).or_default().push_str(line);
        } else if let Some(name) = line.strip_prefix("%import common.") {
            let known = COMMON.iter().find(|(known, _)| *known == name.trim());
            rules.extend(known.map(|(name, it)| ((*name).to_owned(), format!("/{it}/"))));
        } else if let Some((name, rule)) = line.split_once(':') {
            name.trim_start_matches(['?', '!']).trim().clone_into(&mut latest);
            rules.insert(latest.clone(), rule.to_owned());
        }
    }
    rules
}

/// One rule as a pattern; `None` where it has none.
fn expand(rule: &str, rules: &HashMap<String, String>, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let mut out = "(?:".to_owned();
    let mut rest = rule.trim_start();
    while let Some(first) = rest.chars().next() {
        let (piece, left) = match first {
            '"' => read_string(rest)?,
            '/' => read_pattern(rest)?,
            '(' => ("(?:".to_owned(), rest.get(1..)?),
            ')' | '|' | '?' | '*' | '+' => (first.to_string(), rest.get(1..)?),
            // The name of an alternative, up to the next one.
            '-' => (String::new(), rest.find('|').map_or("", |at| rest.get(at..).unwrap_or(""))),
            _ => {
                let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
                let (name, left) = rest.split_at_checked(end.max(1))?;
                (expand(rules.get(name)?, rules, depth)?, left)
            }
        };
        out.push_str(&piece);
        rest = left.trim_start();
    }
    Some(out + ")")
}

/// A string at the beginning, as a pattern, and what follows it.
fn read_string(text: &str) -> Option<(String, &str)> {
    let mut strings = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let string = strings.next()?.ok()?;
    Some((format!("(?:{})", regex_syntax::escape(&string)), text.get(strings.byte_offset()..)?))
}

/// A regular expression at the beginning, and what follows it.
fn read_pattern(text: &str) -> Option<(String, &str)> {
    let inner = text.get(1..)?;
    let is_escaped = |at: usize| inner.get(..at).is_some_and(|before| before.ends_with('\\'));
    let end = inner.match_indices('/').map(|(at, _)| at).find(|at| !is_escaped(*at))?;
    Some((format!("(?:{})", inner.get(..end)?), inner.get(end + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(syntax: &str, definition: &str) -> Value {
        json!({"type": "custom", "name": "t", "format":
            {"type": "grammar", "syntax": syntax, "definition": definition}})
    }

    const PATCH: &str = r#"start: begin hunk+ end
begin: "*** Begin Patch" LF
end: "*** End Patch" LF?
hunk: "*** Delete File: " filename LF -> delete
    | "*** Add File: " filename LF
filename: /(.+)/
%import common.LF
"#;

    #[test]
    fn a_text_that_breaks_the_grammar_becomes_one_that_keeps_it() {
        let pattern = |syntax, definition| pattern(&tool(syntax, definition)).unwrap().unwrap();
        let date = pattern("regex", "[0-9]{4}-[0-9]{2}");
        assert_eq!(fit("2026-11".to_owned(), &date), "2026-11");
        assert_eq!(fit("soon".to_owned(), &date), "0000-00");
        let patch = pattern("lark", PATCH);
        let good = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n";
        assert_eq!(fit(good.to_owned(), &patch), good);
        let made = fit("rm a.txt".to_owned(), &patch);
        assert!(made.starts_with("*** Begin Patch\n*** Delete File: "), "{made}");
        assert_eq!(fit(made.clone(), &patch), made);
    }

    #[test]
    fn what_has_no_pattern_is_free_and_what_cannot_be_read_is_refused() {
        let of = |syntax, definition| pattern(&tool(syntax, definition));
        assert_eq!(of("lark", "start: \"(\" start? \")\""), Ok(None));
        assert_eq!(pattern(&json!({"type": "custom", "format": {"type": "text"}})), Ok(None));
        assert!(of("lark", "begin: \"a\"").is_err());
        assert!(of("regex", "[a").is_err());
        assert!(of("gbnf", "root ::= x").is_err());
    }
}
