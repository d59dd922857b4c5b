//! A reader for values that are almost JSON, or Python, or bare keys and values.
//!
//! It rewrites the value as strict JSON, token by token; then `serde_json` decides whether that is a
//! value. Each deviation from the notation is recorded as a [`Repair`]. Nothing here completes a
//! value.

use std::collections::BTreeSet;

use serde_json::{Number, Value};

use super::parsed::Repair;
use super::scan::Flavour;

/// A value and what had to be repaired to read it.
pub(crate) type Repaired<T = Value> = (T, Vec<Repair>);

/// Reads JSON, strictly if that works.
pub(crate) fn json(text: &str) -> Result<Repaired, String> {
    let strict = serde_json::from_str(text).map(|value| (value, Vec::new()));
    strict.or_else(|error| lenient(text, Flavour::Json).map_err(|_| error.to_string()))
}

/// Reads JSON or a Python literal, for values that no schema has made a string.
pub(crate) fn json_or_python(text: &str) -> Option<Value> {
    let python = || lenient(text, Flavour::Python).ok().map(|(value, _)| value);
    serde_json::from_str(text).ok().or_else(python)
}

/// Stands before a bare value until its schema is known.
pub(crate) const BARE: char = '\0';

/// Reads `{key:value}` with bare keys and values, and strings in a token of their own.
pub(crate) fn bare(text: &str, delimiter: &'static str) -> Option<Value> {
    lenient(text, Flavour::Delimited(delimiter)).ok().map(|(value, _)| value)
}

fn lenient(text: &str, flavour: Flavour) -> Result<Repaired, String> {
    let mut reader = LiteralReader::new(text, flavour);
    let value = reader.value()?;
    let mended = (value, reader.repairs.into_iter().collect());
    if reader.rest.is_empty() { Ok(mended) } else { Err(unreadable(reader.rest)) }
}

/// An argument of a Python call: its name, unless it is given by position, and its value.
pub(crate) type Argument = (Option<String>, Value);

/// Reads the arguments of a Python call, in their parentheses.
pub(crate) fn python_arguments(text: &str) -> Result<Repaired<Vec<Argument>>, String> {
    let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let mut reader = LiteralReader::new(inside.unwrap_or(text), Flavour::Python);
    let mut arguments = Vec::new();
    reader.skip();
    while !reader.rest.is_empty() {
        arguments.push((reader.keyword(), reader.value()?));
        reader.take(",");
        reader.skip();
    }
    Ok((arguments, reader.repairs.into_iter().collect()))
}

/// A finite number in any spelling of JSON, JSON5 or Python.
pub(crate) fn number(text: &str) -> Option<Number> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if let Some(hex) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        let sign = if text.starts_with('-') { "-" } else { "" };
        return i64::from_str_radix(&format!("{sign}{hex}"), 16).ok().map(Number::from);
    }
    let integer = text.parse::<i64>().map(Number::from);
    let integer = integer.or_else(|_| text.parse::<u64>().map(Number::from));
    integer.ok().or_else(|| Number::from_f64(text.parse().ok()?))
}

fn unreadable(text: &str) -> String {
    let start: String = text.chars().take(12).collect();
    format!("{start:?} does not start a value")
}

struct LiteralReader<'a> {
    rest: &'a str,
    flavour: Flavour,
    repairs: BTreeSet<Repair>,
    /// The value so far, as strict JSON.
    strict: String,
    /// The brackets that are open in it, and whether keys have been seen in them.
    open: Vec<(usize, bool)>,
}

impl<'a> LiteralReader<'a> {
    fn new(rest: &'a str, flavour: Flavour) -> Self {
        Self { rest, flavour, repairs: BTreeSet::new(), strict: String::new(), open: Vec::new() }
    }

    fn python(&self) -> bool {
        self.flavour == Flavour::Python
    }

    /// Records what JSON does not allow and Python does.
    fn liberty(&mut self, repair: Repair) {
        if !self.python() {
            self.repairs.insert(repair);
        }
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next();
        self.rest = chars.as_str();
        c
    }

    fn take(&mut self, token: &str) -> bool {
        let after = self.rest.strip_prefix(token);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Takes letters, digits and these.
    fn word(&mut self, others: &str) -> &'a str {
        let part = |c: char| c.is_alphanumeric() || others.contains(c);
        let after = self.rest.trim_start_matches(part);
        let word = self.rest.get(..self.rest.len() - after.len()).unwrap_or_default();
        self.rest = after;
        word
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if let Flavour::Delimited(_) = self.flavour {
                return;
            }
            let line = self.rest.starts_with("//") || self.python() && self.rest.starts_with('#');
            if !line && !self.rest.starts_with("/*") {
                return;
            }
            let end = if line { "\n" } else { "*/" };
            self.rest = self.rest.split_once(end).map_or("", |(_, after)| after);
            self.repairs.insert(Repair::Comment);
        }
    }

    /// `name =` before an argument.
    fn keyword(&mut self) -> Option<String> {
        let start = self.rest;
        let name = self.word("_");
        self.skip();
        if !name.is_empty() && self.take("=") {
            return Some(name.to_owned());
        }
        self.rest = start;
        None
    }

    /// One value, up to the end or to a comma that is not part of it.
    fn value(&mut self) -> Result<Value, String> {
        let start = self.rest;
        self.strict.clear();
        self.skip();
        while let Some(c) = self.rest.chars().next().filter(|c| *c != ',' || !self.open.is_empty())
        {
            self.token(c)?;
            self.skip();
        }
        serde_json::from_str(&self.strict).map_err(|_| unreadable(start))
    }

    fn token(&mut self, c: char) -> Result<(), String> {
        let structure = if self.strict.ends_with(':') { "{[" } else { "{}[],:" };
        if let Flavour::Delimited(token) = self.flavour
            && !structure.contains(c)
        {
            return self.undelimited(token);
        }
        match c {
            '"' | '\'' => return self.string(""),
            '{' | '[' | '(' => self.open.push((self.strict.len(), false)),
            '}' | ']' | ')' => return self.close(),
            ':' => self.open.last_mut().into_iter().for_each(|(_, keyed)| *keyed = true),
            ',' => {}
            _ => return self.plain(),
        }
        self.next();
        self.strict.push(if c == '(' && self.python() { '[' } else { c });
        Ok(())
    }

    /// A closing bracket. Tuples and Python's sets become lists.
    fn close(&mut self) -> Result<(), String> {
        let close = self.next().unwrap_or(']');
        let (start, keyed) = self.open.pop().ok_or_else(|| unreadable(self.rest))?;
        let empty = self.strict.len() == start + 1;
        if self.strict.ends_with(',') && self.strict.len() > start + 2 {
            self.strict.pop();
            self.liberty(Repair::TrailingComma);
        }
        let set = self.python() && close == '}' && !keyed && !empty;
        if set {
            self.strict.replace_range(start..=start, "[");
        }
        self.strict.push(if set || close == ')' { ']' } else { close });
        Ok(())
    }

    /// A word, a number, or a key without quotes.
    fn plain(&mut self) -> Result<(), String> {
        let start = self.rest;
        let word = self.word("_$+-.");
        if self.python() && word.len() <= 2 && self.rest.starts_with(['"', '\'']) {
            return self.string(word);
        }
        if !word.is_empty() && self.rest.trim_start().starts_with(':') {
            self.repairs.insert(Repair::UnquotedKey);
            self.strict.push_str(&Value::from(word).to_string());
            return Ok(());
        }
        if matches!(word, "True" | "False" | "None") {
            self.liberty(Repair::PythonLiteral);
        }
        let value = match word {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" => Value::Null,
            _ => number(&word.replace('_', "")).ok_or_else(|| unreadable(start))?.into(),
        };
        // Two words in a row must not become one.
        self.strict.push(' ');
        self.strict.push_str(&value.to_string());
        Ok(())
    }

    /// A string in its tokens, a bare key, or a bare value. In an object a comma is part of a bare
    /// text unless a key follows it.
    fn undelimited(&mut self, token: &str) -> Result<(), String> {
        let (start, inside) = (self.rest, self.take(token));
        let object =
            self.open.last().is_some_and(|(at, _)| self.strict.as_bytes().get(*at) == Some(&b'{'));
        let key = object && !self.strict.ends_with(':');
        let ends = |&(at, c): &(usize, char)| match c {
            ':' => key,
            ',' => !object || key_follows(start.get(at + 1..).unwrap_or("")),
            _ => c == if object { '}' } else { ']' },
        };
        let (text, after) = if inside {
            self.rest.split_once(token).ok_or_else(|| unreadable(start))?
        } else {
            let end = start.char_indices().find(ends).map_or(start.len(), |(at, _)| at);
            start.split_at_checked(end).unwrap_or((start, ""))
        };
        let text = match (inside, key) {
            (true, _) => text.to_owned(),
            (false, true) => text.trim().trim_matches(['"', '\'']).to_owned(),
            (false, false) => format!("{BARE}{}", text.trim()),
        };
        self.rest = after;
        self.strict.push_str(&Value::from(text).to_string());
        Ok(())
    }

    /// A string after its prefix; Python joins it with one just before.
    fn string(&mut self, prefix: &str) -> Result<(), String> {
        let quote = self.next().unwrap_or('"');
        let two = if quote == '"' { "\"\"" } else { "''" };
        let triple = self.python() && self.take(two);
        let raw = prefix.contains(['r', 'R']);
        if quote == '\'' {
            self.liberty(Repair::SingleQuotes);
        }
        let mut text = String::new();
        loop {
            let c = self.next().ok_or("a string does not end")?;
            let closes = || self.flavour.quote_closes(self.rest).unwrap_or(true);
            if c == quote && if triple { self.take(two) } else { closes() } {
                break;
            }
            match c {
                '\\' if raw => text.extend([Some(c), self.next()].into_iter().flatten()),
                '\\' => self.escape(&mut text)?,
                _ => text.push(c),
            }
            if !triple && c == quote {
                self.repairs.insert(Repair::UnescapedQuote);
            } else if !triple && c < ' ' {
                self.repairs.insert(Repair::ControlCharacter);
            }
        }
        let quoted = Value::from(text).to_string();
        let joins = self.python() && self.strict.ends_with('"') && self.strict.pop().is_some();
        self.strict.push_str(quoted.get(usize::from(joins)..).unwrap_or_default());
        Ok(())
    }

    /// The escapes of JSON, then those that only Python knows; an unknown one keeps its backslash.
    fn escape(&mut self, text: &mut String) -> Result<(), String> {
        const SHORT: &str = "n\nt\tr\rb\u{8}f\u{c}a\u{7}v\u{b}0\0";
        let c = self.next().ok_or("a string ends in a backslash")?;
        if !"\"\\/bfnrtu".contains(c) {
            self.liberty(Repair::InvalidEscape);
        }
        match c {
            'u' => text.push(self.character(4)?),
            'x' => text.push(self.character(2)?),
            'U' => text.push(self.character(8)?),
            '"' | '\\' | '\'' => text.push(c),
            '/' if !self.python() => text.push(c),
            '\n' => {}
            _ => match SHORT.chars().skip_while(|name| *name != c).nth(1) {
                Some(short) => text.push(short),
                None => text.extend(['\\', c]),
            },
        }
        Ok(())
    }

    /// A character by its number, or by two that make a pair; half a pair is replaced.
    fn character(&mut self, digits: usize) -> Result<char, String> {
        let mut code = self.hex(digits)?;
        let after = self.rest;
        if (0xD800..0xDC00).contains(&code) && self.take("\\u") {
            match self.hex(4)? {
                low @ 0xDC00..0xE000 => code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00),
                _ => self.rest = after,
            }
        }
        Ok(char::from_u32(code).unwrap_or_else(|| {
            self.repairs.insert(Repair::InvalidEscape);
            char::REPLACEMENT_CHARACTER
        }))
    }

    fn hex(&mut self, digits: usize) -> Result<u32, String> {
        let (digits, after) = self.rest.split_at_checked(digits).unwrap_or(("", self.rest));
        self.rest = after;
        u32::from_str_radix(digits, 16).map_err(|_| unreadable(digits))
    }
}

fn key_follows(text: &str) -> bool {
    let text = text.trim_start();
    let word = text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    word.len() < text.len() && word.starts_with(':') || text.starts_with(['<', '"'])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn python(text: &str) -> Option<Value> {
        json_or_python(text)
    }

    #[test]
    fn the_liberties_of_json5_are_read_and_named() {
        let (value, repairs) = json("{a: 'b', /* c */ \"d\": [0x1F, +1, .5,],}").unwrap();
        assert_eq!(value, json!({"a": "b", "d": [31, 1, 0.5]}));
        let named = [Repair::SingleQuotes, Repair::TrailingComma, Repair::Comment];
        assert!(named.iter().chain([&Repair::UnquotedKey]).all(|repair| repairs.contains(repair)));
    }

    #[test]
    fn the_literals_of_python_are_read() {
        let text = "{'a': (1, 2,), 'b': {3, 4}, 'c': {}, 'd': [None, True], 5: -1_000}";
        let value = json!({"a": [1, 2], "b": [3, 4], "c": {}, "d": [null, true], "5": -1000});
        assert_eq!(python(text), Some(value));
        assert_eq!(python("r'\\d' \"\"\"b\n\"\"\""), Some(json!("\\db\n")));
        assert_eq!(python("'\\x41\\u00e9\\U0001F680\\N'"), Some(json!("Aé🚀\\N")));
    }

    #[test]
    fn what_is_no_value_is_not_made_one() {
        for text in ["", "1 2", "[,]", "{,}", "{1: 2, 3}", "[1", "1]", "a", "nan", "[a: 1]", "\"a"]
        {
            assert_eq!(python(text), None, "{text}");
        }
        assert!(json("\"a\" 1").is_err() && json("(1)").is_err() && json("{a}").is_err());
    }

    #[test]
    fn arguments_keep_their_names_and_their_order() {
        let (arguments, _) = python_arguments("(1, a = 'x=(,)', b={'c': 2},)").unwrap();
        let named = |name: &str, value: Value| (Some(name.to_owned()), value);
        let (a, b) = (named("a", json!("x=(,)")), named("b", json!({"c": 2})));
        assert_eq!(arguments, [(None, json!(1)), a, b]);
        assert!(python_arguments("(a=1 b=2)").is_err() && python_arguments("(a=,)").is_err());
    }

    #[test]
    fn bare_values_are_kept_as_they_stand_and_told_from_strings() {
        let text = "{a:<q>x, b: {1}<q>,b: Oslo, Norway ,c:12:30,d:[1, <q>2<q>],e:{f:true},g:}";
        let value = json!({"a": "x, b: {1}", "b": "\0Oslo, Norway", "c": "\u{0}12:30",
            "d": ["\u{0}1", "2"], "e": {"f": "\0true"}, "g": "\0"});
        assert_eq!(bare(text, "<q>"), Some(value));
        assert_eq!(bare("{a:<q>x}", "<q>"), None);
    }

    #[test]
    fn half_a_pair_of_surrogates_is_replaced_and_named() {
        assert_eq!(json("'\\ud83d\\ude80'").unwrap().0, json!("🚀"));
        let (value, repairs) = json("\"\\ud83d!\"").unwrap();
        assert_eq!((value, repairs), (json!("\u{fffd}!"), vec![Repair::InvalidEscape]));
    }
}
