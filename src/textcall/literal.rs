//! What does a value mean that is almost JSON, or Python?
//!
//! One reader for both: JSON5's liberties and Python's literals overlap. Each liberty that the
//! notation itself does not allow is recorded as a [`Repair`]. Nothing here completes a value.

use std::collections::BTreeSet;

use serde_json::{Number, Value};

use super::parsed::Repair;
use super::scan::{self, Flavour, MAX_DEPTH};

/// A value and what had to be mended to read it.
pub(crate) type Mended<T = Value> = (T, Vec<Repair>);

/// Reads JSON, strictly if that works.
pub(crate) fn json(text: &str) -> Result<Mended, String> {
    match serde_json::from_str(text) {
        Ok(value) => Ok((value, Vec::new())),
        Err(error) => whole(text, &scan::JSON, Reader::value).map_err(|_| error.to_string()),
    }
}

/// Reads JSON or a Python literal, for values that no schema has made a string.
pub(crate) fn json_or_python(text: &str) -> Option<Value> {
    let python = || whole(text, &scan::PYTHON, Reader::value).ok().map(|(value, _)| value);
    serde_json::from_str(text).ok().or_else(python)
}

/// An argument of a Python call: its name, unless it is given by position, and its value.
pub(crate) type Argument = (Option<String>, Value);

/// Reads the arguments of a Python call, in their parentheses.
pub(crate) fn python_arguments(text: &str) -> Result<Mended<Vec<Argument>>, String> {
    let argument = |reader: &mut Reader<'_>| Ok((reader.keyword(), reader.value()?));
    whole(text, &scan::PYTHON, |reader| reader.sequence(")", argument))
}

/// A number in any of JSON's, JSON5's and Python's spellings; none that is not finite.
pub(crate) fn number(text: &str) -> Option<Number> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    if let Some(hex) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        return i64::from_str_radix(&format!("{sign}{hex}"), 16).ok().map(Number::from);
    }
    let integer = text.parse::<i64>().map(Number::from);
    let integer = integer.or_else(|_| text.parse::<u64>().map(Number::from));
    integer.ok().or_else(|| Number::from_f64(text.parse().ok()?))
}

/// Reads a text to its very end.
fn whole<'a, T>(
    rest: &'a str,
    flavour: &'static Flavour,
    read: impl FnOnce(&mut Reader<'a>) -> Result<T, String>,
) -> Result<Mended<T>, String> {
    let mut reader = Reader { rest, flavour, depth: 0, repairs: BTreeSet::new() };
    let value = read(&mut reader)?;
    reader.skip();
    let end = reader.rest.is_empty();
    if end { Ok((value, reader.repairs.into_iter().collect())) } else { reader.fail("the end") }
}

struct Reader<'a> {
    rest: &'a str,
    flavour: &'static Flavour,
    depth: usize,
    repairs: BTreeSet<Repair>,
}

impl<'a> Reader<'a> {
    fn python(&self) -> bool {
        *self.flavour == scan::PYTHON
    }

    /// Records what JSON does not allow and Python does.
    fn liberty(&mut self, repair: Repair) {
        if !self.python() {
            self.repairs.insert(repair);
        }
    }

    fn fail<T>(&self, wanted: &str) -> Result<T, String> {
        let found: String = self.rest.chars().take(12).collect();
        Err(format!("expected {wanted}, found {found:?}"))
    }

    fn take(&mut self, token: &str) -> bool {
        let after = self.rest.strip_prefix(token);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Takes the characters that fit.
    fn span(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !fits(c)).unwrap_or(self.rest.len());
        let (taken, after) = self.rest.split_at_checked(end).unwrap_or_default();
        self.rest = after;
        taken
    }

    fn ident(&mut self) -> &'a str {
        self.span(|c| c.is_alphanumeric() || c == '_' || c == '$')
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next();
        self.rest = chars.as_str();
        c
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let line = self.rest.starts_with("//") || self.python() && self.rest.starts_with('#');
            let end = if line { "\n" } else { "*/" };
            if !line && !self.rest.starts_with("/*") {
                return;
            }
            self.repairs.insert(Repair::Comment);
            self.rest = self.rest.split_once(end).map_or("", |(_, after)| after);
        }
    }

    fn value(&mut self) -> Result<Value, String> {
        self.skip();
        match self.rest.chars().next() {
            Some('{') => self.braces(),
            Some('[') => self.sequence("]", Self::value).map(Value::Array),
            Some('(') if self.python() => self.sequence(")", Self::value).map(Value::Array),
            Some('"' | '\'') => self.strings("").map(Value::String),
            Some('0'..='9' | '-' | '+' | '.') => self.number(),
            _ => self.word(),
        }
    }

    /// What stands in brackets, with commas between.
    fn sequence<T>(
        &mut self,
        close: &str,
        member: impl Fn(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        self.next();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("the value is nested too deeply".to_owned());
        }
        let (mut members, mut comma) = (Vec::new(), false);
        self.skip();
        while !self.take(close) {
            members.push(member(self)?);
            self.skip();
            comma = self.take(",");
            if !comma && !self.rest.starts_with(close) {
                return self.fail("',' or a bracket");
            }
            self.skip();
        }
        if comma {
            self.liberty(Repair::TrailingComma);
        }
        self.depth -= 1;
        Ok(members)
    }

    /// An object, or one of Python's sets, which becomes a list.
    fn braces(&mut self) -> Result<Value, String> {
        let start = self.rest;
        self.next();
        self.skip();
        let keyed = self.rest.starts_with('}') || self.key().is_ok();
        self.rest = start;
        if self.python() && !keyed {
            return self.sequence("}", Self::value).map(Value::Array);
        }
        let member = |reader: &mut Self| Ok((reader.key()?, reader.value()?));
        Ok(Value::Object(self.sequence("}", member)?.into_iter().collect()))
    }

    /// A key and its colon.
    fn key(&mut self) -> Result<String, String> {
        let quoted = self.rest.starts_with(['"', '\'']);
        let key = if quoted { self.strings("")? } else { self.ident().to_owned() };
        self.skip();
        if !quoted && key.is_empty() || !self.take(":") {
            return self.fail("a key and ':'");
        }
        if !quoted {
            self.repairs.insert(Repair::UnquotedKey);
        }
        Ok(key)
    }

    /// `name =` before an argument.
    fn keyword(&mut self) -> Option<String> {
        let start = self.rest;
        let name = self.ident();
        self.skip();
        if !name.is_empty() && self.take("=") {
            return Some(name.to_owned());
        }
        self.rest = start;
        None
    }

    fn word(&mut self) -> Result<Value, String> {
        let start = self.rest;
        let word = self.ident();
        if self.python() && word.len() <= 2 && self.rest.starts_with(['"', '\'']) {
            return self.strings(word).map(Value::String);
        }
        if matches!(word, "True" | "False" | "None") {
            self.liberty(Repair::PythonLiteral);
        }
        match word {
            "true" | "True" => Ok(Value::Bool(true)),
            "false" | "False" => Ok(Value::Bool(false)),
            "null" | "None" => Ok(Value::Null),
            _ => {
                self.rest = start;
                self.fail("a value")
            }
        }
    }

    fn number(&mut self) -> Result<Value, String> {
        let text = self.span(|c| c.is_ascii_alphanumeric() || "+-._".contains(c));
        let value = number(&text.replace('_', "")).map(Value::Number);
        value.ok_or_else(|| format!("{text:?} is not a number"))
    }

    /// A string after its prefix, or several in a row, which Python joins.
    fn strings(&mut self, prefix: &str) -> Result<String, String> {
        let mut joined = self.string(prefix)?;
        while self.python() {
            let before = self.rest;
            self.skip();
            let prefix = self.ident();
            if prefix.len() > 2 || !self.rest.starts_with(['"', '\'']) {
                self.rest = before;
                break;
            }
            joined.push_str(&self.string(prefix)?);
        }
        Ok(joined)
    }

    fn string(&mut self, prefix: &str) -> Result<String, String> {
        let quote = self.next().unwrap_or('"');
        let two = if quote == '"' { "\"\"" } else { "''" };
        let triple = self.python() && self.take(two);
        let raw = prefix.contains(['r', 'R']);
        if quote == '\'' {
            self.liberty(Repair::SingleQuotes);
        }
        let mut out = String::new();
        loop {
            let c = self.next().ok_or("a string does not end")?;
            if c == quote && if triple { self.take(two) } else { self.string_ends() } {
                return Ok(out);
            }
            match c {
                '\\' if raw => out.extend([Some(c), self.next()].into_iter().flatten()),
                '\\' => self.escape(&mut out)?,
                _ => out.push(c),
            }
            if !triple && c == quote {
                self.repairs.insert(Repair::UnescapedQuote);
            } else if !triple && c < ' ' {
                self.repairs.insert(Repair::ControlCharacter);
            }
        }
    }

    /// Whether the quote just taken ends its string.
    fn string_ends(&self) -> bool {
        scan::quote_closes(self.rest, self.flavour.follow()).unwrap_or(true)
    }

    /// The escapes of JSON, then those that only Python knows; an unknown one keeps its backslash.
    fn escape(&mut self, out: &mut String) -> Result<(), String> {
        let c = self.next().ok_or("a string ends in a backslash")?;
        if !"\"\\/bfnrtu".contains(c) {
            self.liberty(Repair::InvalidEscape);
        }
        match c {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'u' => out.push(self.character(4)?),
            '"' | '\\' | '\'' => out.push(c),
            '/' if !self.python() => out.push(c),
            'a' => out.push('\u{7}'),
            'v' => out.push('\u{b}'),
            '0' => out.push('\0'),
            'x' => out.push(self.character(2)?),
            'U' => out.push(self.character(8)?),
            '\n' => {}
            other => out.extend(['\\', other]),
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
        u32::from_str_radix(digits, 16).map_err(|_| format!("\\{digits} is not a character"))
    }
}
