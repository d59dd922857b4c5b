//! The result of parsing: text, reasoning, calls and problems, in the order of the text.

use std::fmt;
use std::ops::Range;

use serde::Serialize;
use serde_json::Value;

use crate::ir::CallFormat;

/// One piece of a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextPart {
    /// Visible text.
    Text(String),
    /// Reasoning, without its tags.
    Reasoning(String),
    /// A complete call.
    Call(TextCall),
    /// An attempt at a call that failed.
    Problem(Problem),
}

/// A complete call found in text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextCall {
    /// The tool's name as the model wrote it, offered or not.
    pub name: String,
    /// The arguments, always an object.
    pub input: Value,
    /// The id, where the format carries one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The family that read it.
    pub family: &'static str,
    /// Other families that would have read the same bytes the same way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ties: Vec<&'static str>,
    /// What kind of format `ir` calls it.
    pub format: CallFormat,
    /// The bytes of the text it took, markers included. Calls in one JSON value share its bytes: the
    /// first call has them all, the others have none.
    pub span: Range<usize>,
    /// Those bytes.
    pub raw: String,
    /// What had to be repaired to read it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<Repair>,
    /// How it violates the tools that were offered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Problem>,
}

/// Why something that looks like a call is not one, or must not be run as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The kind, for programs.
    pub code: ProblemCode,
    /// What is wrong and what to do, fit to be sent back to the model.
    pub message: String,
    /// The bytes of the text it is about.
    pub span: Range<usize>,
    /// Those bytes.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub raw: String,
}

/// The kinds of problem. The kebab-case codes are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemCode {
    /// The text ends before the call does.
    Truncated,
    /// The payload is not JSON, and no bounded repair makes it so.
    InvalidJson,
    /// The tags or tokens of the call are out of order.
    InvalidStructure,
    /// The call has no name.
    MissingName,
    /// The arguments are neither an object, nor an encoded object, nor empty.
    InvalidArguments,
    /// The call names a tool that was not offered.
    UnknownTool,
    /// The arguments do not fit the declared schema.
    SchemaViolation,
}

/// What had to be repaired. No repair completes a value that was cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// A comma before a closing bracket.
    TrailingComma,
    /// A comment in JSON.
    Comment,
    /// Strings in single quotes.
    SingleQuotes,
    /// A key without quotes.
    UnquotedKey,
    /// A Markdown fence around the payload.
    Fence,
    /// A raw newline, tab or other control character in a string.
    ControlCharacter,
    /// `True`, `False`, `None` or another spelling that is Python's.
    PythonLiteral,
    /// An escape that JSON does not know.
    InvalidEscape,
    /// A quote inside a string that should have been escaped.
    UnescapedQuote,
    /// A parameter's end tag is absent.
    MissingParameterEnd,
    /// Arguments given by position.
    PositionalArgument,
    /// A name worked out from the arguments.
    InferredName,
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// What a parser reports while the text comes in.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly every event is a part")]
pub enum Event {
    /// The next piece.
    Part(TextPart),
    /// The text so far was reasoning whose opening tag the prompt held.
    TextWasReasoning,
}

/// What a whole text holds. Adjacent pieces of text are one part.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(transparent)]
pub struct Parsed {
    /// The pieces in order.
    pub parts: Vec<TextPart>,
}

impl Parsed {
    /// Takes the next event of a parser.
    pub fn absorb(&mut self, event: Event) {
        match event {
            Event::TextWasReasoning => self.parts.iter_mut().for_each(|part| {
                if let TextPart::Text(text) = part {
                    *part = TextPart::Reasoning(std::mem::take(text));
                }
            }),
            Event::Part(part) => match (self.parts.last_mut(), part) {
                (Some(TextPart::Text(text)), TextPart::Text(more))
                | (Some(TextPart::Reasoning(text)), TextPart::Reasoning(more)) => {
                    text.push_str(&more);
                }
                (_, part) => self.parts.push(part),
            },
        }
    }

    /// The complete calls.
    pub fn calls(&self) -> impl Iterator<Item = &TextCall> {
        self.parts.iter().filter_map(|part| match part {
            TextPart::Call(call) => Some(call),
            _ => None,
        })
    }

    /// The visible text; without any call, failed attempts are part of it.
    pub fn content(&self) -> String {
        let no_call = self.calls().next().is_none();
        let visible = |part: &'_ TextPart| match part {
            TextPart::Text(text) => Some(text.clone()),
            TextPart::Problem(problem) if no_call => Some(problem.raw.clone()),
            _ => None,
        };
        self.parts.iter().filter_map(visible).collect()
    }

    /// The reasoning.
    pub fn reasoning(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            TextPart::Reasoning(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Failed attempts, and violations of the tools that were offered.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.parts.iter().flat_map(|part| match part {
            TextPart::Problem(problem) => std::slice::from_ref(problem).iter(),
            TextPart::Call(call) => call.violations.iter(),
            TextPart::Text(_) | TextPart::Reasoning(_) => [].iter(),
        })
    }
}
