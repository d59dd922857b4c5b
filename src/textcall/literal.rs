//! What does a value mean that is almost JSON, or Python?
//!
//! One reader for both: JSON5's liberties and Python's literals overlap. Each liberty that the
//! notation itself does not allow is recorded as a [`Repair`]. Nothing here completes a value.

use std::collections::BTreeSet;

use serde_json::{Number, Value};

use super::parsed::Repair;
use super::scan::{self, Flavour, MAX_DEPTH};
use crate::ir::Object;

/// A value and what had to be mended to read it.
pub(crate) type Mended = (Value, Vec<Repair>);

/// Reads JSON, strictly if that works.
pub(crate) fn json(text: &str) -> Result<Mended, String> {
    match serde_json::from_str(text) {
        Ok(value) => Ok((value, Vec::new())),
        Err(error) => lenient(text, &scan::JSON).map_err(|_| error.to_string()),
    }
}

/// Reads JSON or a Python literal, for values that no schema has made a string.
pub(crate) fn json_or_python(text: &str) -> Option<Value> {
    let python = || lenient(text, &scan::PYTHON).ok().map(|(value, _)| value);
    serde_json::from_str(text).ok().or_else(python)
}

/// An argument of a Python call: its name, unless it is given by position, and its value.
pub(crate) type Argument = (Option<String>, Value);

/// Reads the text between the parentheses of a Python call.
pub(crate) fn python_arguments(text: &str) -> Result<(Vec<Argument>, Vec<Repair>), String> {
    let mut reader = Reader::new(text, &scan::PYTHON);
    let mut arguments = Vec::new();
    reader.skip();
    while !reader.rest.is_empty() {
        arguments.push((reader.keyword(), reader.value()?));
        reader.skip();
        if !reader.rest.is_empty() && !reader.take(',') {
            return Err(reader.unexpected("',' or ')'"));
        }
        reader.skip();
    }
    Ok((arguments, reader.repairs.into_iter().collect()))
}

fn lenient(text: &str, flavour: &'static Flavour) -> Result<Mended, String> {
    let mut reader = Reader::new(text, flavour);
    let value = reader.value()?;
    reader.skip();
    if reader.rest.is_empty() {
        Ok((value, reader.repairs.into_iter().collect()))
    } else {
        Err(reader.unexpected("the end"))
    }
}

struct Reader<'a> {
    rest: &'a str,
    flavour: &'static Flavour,
    depth: usize,
    repairs: BTreeSet<Repair>,
}

impl<'a> Reader<'a> {
    fn new(rest: &'a str, flavour: &'static Flavour) -> Self {
        Self { rest, flavour, depth: 0, repairs: BTreeSet::new() }
    }

    fn python(&self) -> bool {
        *self.flavour == scan::PYTHON
    }

    /// Records what JSON does not allow and Python does.
    fn liberty(&mut self, repair: Repair) {
        if !self.python() {
            self.repairs.insert(repair);
        }
    }

    fn unexpected(&self, wanted: &str) -> String {
        let found: String = self.rest.chars().take(12).collect();
        format!("expected {wanted}, found {found:?}")
    }

    fn take(&mut self, token: char) -> bool {
        let after = self.rest.strip_prefix(token);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let end = if self.rest.starts_with("//") || self.python() && self.rest.starts_with('#')
            {
                self.rest.find('\n')
            } else if self.rest.starts_with("/*") {
                self.rest.find("*/").map(|at| at + 2)
            } else {
                return;
            };
            self.repairs.insert(Repair::Comment);
            self.rest = end.and_then(|end| self.rest.get(end..)).unwrap_or("");
        }
    }

    fn value(&mut self) -> Result<Value, String> {
        self.skip();
        match self.peek() {
            Some('{') => self.nested(Self::braces),
            Some('[') => self.nested(|reader| reader.list('[', ']').map(Value::Array)),
            Some('(') if self.python() => {
                self.nested(|reader| reader.list('(', ')').map(Value::Array))
            }
            Some('"' | '\'') => self.strings(false).map(Value::String),
            Some(c) if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.word(),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn nested(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<Value, String>,
    ) -> Result<Value, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("the value is nested too deeply".to_owned());
        }
        let value = inner(self);
        self.depth -= 1;
        value
    }

    fn list(&mut self, open: char, close: char) -> Result<Vec<Value>, String> {
        self.take(open);
        let mut items = Vec::new();
        loop {
            self.skip();
            if self.take(close) {
                return Ok(items);
            }
            items.push(self.value()?);
            self.separator(close)?;
        }
    }

    /// A comma or, left standing, the closing bracket.
    fn separator(&mut self, close: char) -> Result<(), String> {
        self.skip();
        if self.take(',') {
            self.skip();
            if self.peek() == Some(close) {
                self.liberty(Repair::TrailingComma);
            }
            return Ok(());
        }
        if self.peek() == Some(close) { Ok(()) } else { Err(self.unexpected("',' or a bracket")) }
    }

    /// An object, or one of Python's sets, which becomes a list.
    fn braces(&mut self) -> Result<Value, String> {
        let start = self.rest;
        self.take('{');
        let mut object = Object::new();
        loop {
            self.skip();
            if self.take('}') {
                return Ok(Value::Object(object));
            }
            let key = self.key();
            self.skip();
            if !self.take(':') {
                if self.python() && object.is_empty() {
                    self.rest = start;
                    return self.list('{', '}').map(Value::Array);
                }
                return Err(self.unexpected("':' after a key"));
            }
            let value = self.value()?;
            object.insert(key?, value);
            self.separator('}')?;
        }
    }

    fn key(&mut self) -> Result<String, String> {
        if matches!(self.peek(), Some('"' | '\'')) {
            return self.strings(false);
        }
        let word = self.ident();
        if word.is_empty() {
            return Err(self.unexpected("a key"));
        }
        self.repairs.insert(Repair::UnquotedKey);
        Ok(word.to_owned())
    }

    fn ident(&mut self) -> &'a str {
        let rest = self.rest;
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
        let (word, after) = rest.split_at_checked(end.unwrap_or(rest.len())).unwrap_or((rest, ""));
        self.rest = after;
        word
    }

    /// `name =` before an argument.
    fn keyword(&mut self) -> Option<String> {
        let start = self.rest;
        let name = self.ident();
        self.skip();
        if !name.is_empty() && self.take('=') {
            return Some(name.to_owned());
        }
        self.rest = start;
        None
    }

    fn word(&mut self) -> Result<Value, String> {
        let start = self.rest;
        let word = self.ident();
        if self.python() && word.len() <= 2 && matches!(self.peek(), Some('"' | '\'')) {
            let raw = word.contains(['r', 'R']);
            return self.strings(raw).map(Value::String);
        }
        let value = match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            "True" | "False" => {
                self.liberty(Repair::PythonLiteral);
                Value::Bool(word == "True")
            }
            "None" => {
                self.liberty(Repair::PythonLiteral);
                Value::Null
            }
            _ => {
                self.rest = start;
                return Err(self.unexpected("a value"));
            }
        };
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, String> {
        let start = self.rest;
        let end = start.find(|c: char| !c.is_ascii_alphanumeric() && !"+-._".contains(c));
        let (text, after) =
            start.split_at_checked(end.unwrap_or(start.len())).unwrap_or((start, ""));
        self.rest = after;
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let value = parse_number(negative, &digits.replace('_', ""));
        value.map(Value::Number).ok_or_else(|| format!("{text:?} is not a number"))
    }

    /// A string, or several in a row, which Python joins.
    fn strings(&mut self, mut raw: bool) -> Result<String, String> {
        let mut joined = self.string(raw)?;
        while self.python() {
            let before = self.rest;
            self.skip();
            let prefix = self.ident();
            if prefix.len() > 2 || !matches!(self.peek(), Some('"' | '\'')) {
                self.rest = before;
                break;
            }
            raw = prefix.contains(['r', 'R']);
            joined.push_str(&self.string(raw)?);
        }
        Ok(joined)
    }

    fn string(&mut self, raw: bool) -> Result<String, String> {
        let quote = self.peek().unwrap_or('"');
        let triple = if quote == '"' { "\"\"\"" } else { "'''" };
        let close = if self.python() && self.rest.starts_with(triple) { triple } else { "" };
        self.rest = self.rest.get(close.len().max(1)..).unwrap_or("");
        if quote == '\'' {
            self.liberty(Repair::SingleQuotes);
        }
        let mut out = String::new();
        loop {
            let c = self.peek().ok_or("a string does not end")?;
            self.rest = self.rest.get(c.len_utf8()..).unwrap_or("");
            if c == quote && self.ends_string(close) {
                return Ok(out);
            }
            match c {
                '\\' if raw => {
                    out.push('\\');
                    out.extend(self.next());
                }
                '\\' => self.escape(&mut out)?,
                c => {
                    if c == quote && close.is_empty() {
                        self.repairs.insert(Repair::UnescapedQuote);
                    } else if c < ' ' && close.is_empty() {
                        self.repairs.insert(Repair::ControlCharacter);
                    }
                    out.push(c);
                }
            }
        }
    }

    /// Whether the quote just taken ends the string; takes the rest of a triple one.
    fn ends_string(&mut self, close: &str) -> bool {
        if close.is_empty() {
            return scan::quote_closes(self.rest, self.flavour.follow()).unwrap_or(true);
        }
        let after = close.get(1..).and_then(|two| self.rest.strip_prefix(two));
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = self.rest.get(c.len_utf8()..).unwrap_or("");
        Some(c)
    }

    fn escape(&mut self, out: &mut String) -> Result<(), String> {
        let c = self.next().ok_or("a string ends in a backslash")?;
        match c {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            '"' | '\\' | '/' if !self.python() || c != '/' => out.push(c),
            'u' => out.push(self.unicode()?),
            _ => self.python_escape(c, out)?,
        }
        Ok(())
    }

    /// Escapes that only Python knows; an unknown one keeps its backslash.
    fn python_escape(&mut self, c: char, out: &mut String) -> Result<(), String> {
        self.liberty(Repair::InvalidEscape);
        match c {
            '\'' => out.push('\''),
            '\n' => {}
            'a' => out.push('\u{7}'),
            'v' => out.push('\u{b}'),
            '0' => out.push('\0'),
            'x' => out.push(self.hex(2)?),
            'U' => out.push(self.hex(8)?),
            other => out.extend(['\\', other]),
        }
        Ok(())
    }

    fn digits(&mut self, count: usize) -> Result<u32, String> {
        let bad = || "an escape has too few hexadecimal digits".to_owned();
        let (digits, after) = self.rest.split_at_checked(count).ok_or_else(bad)?;
        let code = u32::from_str_radix(digits, 16).map_err(|_| bad())?;
        self.rest = after;
        Ok(code)
    }

    fn hex(&mut self, count: usize) -> Result<char, String> {
        let code = self.digits(count)?;
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// `\u` with four digits, or a pair of them; half a pair becomes the replacement character.
    fn unicode(&mut self) -> Result<char, String> {
        let high = self.digits(4)?;
        if (0xD800..0xDC00).contains(&high) && self.rest.starts_with("\\u") {
            let before = self.rest;
            self.rest = self.rest.get(2..).unwrap_or("");
            let low = self.digits(4)?;
            if (0xDC00..0xE000).contains(&low) {
                let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.rest = before;
        }
        Ok(char::from_u32(high).unwrap_or_else(|| {
            self.repairs.insert(Repair::InvalidEscape);
            char::REPLACEMENT_CHARACTER
        }))
    }
}

/// A number in any of JSON's, JSON5's and Python's spellings; none that is not finite.
pub(crate) fn parse_number(negative: bool, digits: &str) -> Option<Number> {
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let value = i64::from_str_radix(hex, 16).ok()?;
        return Some(Number::from(if negative { -value } else { value }));
    }
    let sign = if negative { "-" } else { "" };
    if let Ok(value) = format!("{sign}{digits}").parse::<i64>() {
        return Some(Number::from(value));
    }
    match digits.parse::<u64>() {
        Ok(value) if !negative => Some(Number::from(value)),
        _ => Number::from_f64(format!("{sign}{digits}").parse().ok()?),
    }
}
