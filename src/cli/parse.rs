//! `toolprobe parse`: find and parse tool calls in text.

use std::fmt::Write as _;
use std::io::Read;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};

use super::CliError;
use super::Exit;
use super::args::tools_file::tools_file;
use super::shell::console::Console;
use crate::ir::ToolSpec;
use crate::suggest::did_you_mean;
use crate::textcall::{self, Catalog, FORMATS, Format, Parsed, Problem, TextCall, TextPart};
use crate::tools::import_tools;

/// Find and parse tool calls in text from standard input
///
/// The family is found by the text itself. Exits with 0 if there is a call and
/// with 1 if there is none.
#[derive(Debug, Args)]
pub(super) struct ParseArgs {
    /// The tools that were offered: a JSON file in the shape of OpenAI,
    /// Anthropic or MCP's tools/list
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,

    /// Read one JSON object `{id, text, tools?}` per line, write one
    /// `{id, calls, content, reasoning, errors}` per line
    #[arg(long)]
    jsonl: bool,

    /// Read this text format and no other
    #[arg(long = "as", value_name = "NAME")]
    family: Option<String>,

    /// Show what was found where, and what was mended
    #[arg(long)]
    explain: bool,
}

#[derive(Debug, thiserror::Error)]
enum ParseError {
    #[error("unknown format '{name}'{remedy}")]
    Format { name: String, remedy: String },
    #[error("line {line} is not JSON")]
    Line { line: usize, source: serde_json::Error },
    #[error("line {line} has no `text`")]
    NoText { line: usize },
    #[error("line {line}: bad `tools`")]
    LineTools { line: usize, source: crate::tools::BadTools },
}

pub(super) fn run(args: &ParseArgs, console: &Console) -> Result<Exit, CliError> {
    let options = options(args.family.as_deref()).map_err(CliError::usage)?;
    let tools = args.tools.as_deref().map(tools_file).transpose().map_err(CliError::usage)?;
    let tools = tools.unwrap_or_default();
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let (output, calls) = if args.jsonl {
        lines(&text, &tools, options, args.explain).map_err(CliError::usage)?
    } else {
        let parsed = textcall::parse(&text, &Catalog::new(&tools), options);
        let output = if args.explain { explain_pieces(&parsed) } else { pretty(&result(&parsed)) };
        (output, parsed.calls().count())
    };
    console.result(&output)?;
    Ok(if calls > 0 { Exit::Fine } else { Exit::Failed })
}

fn options(family: Option<&str>) -> Result<textcall::Options, ParseError> {
    let find = |name: &str| textcall::find_format(name).ok_or_else(|| unknown_format(name));
    Ok(textcall::Options { only: family.map(find).transpose()?, hint: None })
}

/// The nearest format where one is near, else all of them.
fn unknown_format(name: &str) -> ParseError {
    let ids = || FORMATS.iter().map(|format: &&Format| format.id);
    let remedy = match did_you_mean(name, ids()) {
        nearest if !nearest.is_empty() => nearest,
        _ => format!("; one of: {}", ids().collect::<Vec<_>>().join(", ")),
    };
    ParseError::Format { name: name.to_owned(), remedy }
}

/// One result per line of input, and how many calls there are in all.
fn lines(
    input: &str,
    tools: &[ToolSpec],
    options: textcall::Options,
    explain: bool,
) -> Result<(String, usize), ParseError> {
    let (mut output, mut calls) = (String::new(), 0);
    let numbered = input.lines().enumerate().map(|(index, line)| (index + 1, line));
    for (line, text) in numbered.filter(|(_, text)| !text.trim().is_empty()) {
        let case: Value =
            serde_json::from_str(text).map_err(|source| ParseError::Line { line, source })?;
        let text = case.get("text").and_then(Value::as_str);
        let text = text.ok_or(ParseError::NoText { line })?;
        let own = case.get("tools").filter(|tools| !tools.is_null()).map(import_tools).transpose();
        let own = own.map_err(|source| ParseError::LineTools { line, source })?;
        let catalog = Catalog::new(own.as_deref().unwrap_or(tools));
        let parsed = textcall::parse(text, &catalog, options);
        calls += parsed.calls().count();
        let mut record = Map::new();
        record.insert("id".to_owned(), case.get("id").cloned().unwrap_or(Value::Null));
        record.extend(result(&parsed));
        if explain {
            record.insert("parts".to_owned(), json!(parsed.parts));
        }
        _ = writeln!(output, "{}", Value::Object(record));
    }
    Ok((output, calls))
}

fn result(parsed: &Parsed) -> Map<String, Value> {
    let text = |text: String| if text.trim().is_empty() { Value::Null } else { json!(text.trim()) };
    let calls: Vec<_> = parsed.calls().map(call).collect();
    let errors: Vec<_> = parsed.problems().map(|problem| json!(problem)).collect();
    [
        ("calls", json!(calls)),
        ("content", text(parsed.content())),
        ("reasoning", text(parsed.reasoning())),
        ("errors", json!(errors)),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_owned(), value))
    .collect()
}

fn call(call: &TextCall) -> Value {
    let mut record = Map::new();
    record.insert("name".to_owned(), json!(call.name));
    record.insert("input".to_owned(), call.input.clone());
    if let Some(id) = &call.id {
        record.insert("id".to_owned(), json!(id));
    }
    record.insert("family".to_owned(), json!(call.family));
    record.insert("format".to_owned(), json!(call.format));
    if !call.repairs.is_empty() {
        record.insert("repairs".to_owned(), json!(call.repairs));
    }
    Value::Object(record)
}

fn pretty(record: &Map<String, Value>) -> String {
    serde_json::to_string_pretty(record).unwrap_or_default()
}

/// The pieces of a text for a person to read: where each stands, and what was done to it.
fn explain_pieces(parsed: &Parsed) -> String {
    let mut output = String::new();
    for part in &parsed.parts {
        _ = match part {
            TextPart::Text(text) => writeln!(output, "text       {}", escape_text(text)),
            TextPart::Reasoning(text) => writeln!(output, "reasoning  {}", escape_text(text)),
            TextPart::Problem(problem) => writeln!(output, "{}", explained_problem(problem)),
            TextPart::Call(call) => writeln!(output, "{}", explained_call(call)),
        };
    }
    output
}

fn explained_call(call: &TextCall) -> String {
    let ties = match call.ties.as_slice() {
        [] => String::new(),
        ties => format!(" (or {})", ties.join(", ")),
    };
    let (start, end) = (call.span.start, call.span.end);
    let mut text =
        format!("call       {} as {}{ties}, bytes {start}..{end}", call.name, call.family);
    _ = write!(text, "\n           input   {}", call.input);
    _ = write!(text, "\n           raw     {}", escape_text(&call.raw));
    for repair in &call.repairs {
        _ = write!(text, "\n           mended  {repair}");
    }
    for problem in &call.violations {
        _ = write!(text, "\n           {}  {}", problem.code, problem.message);
    }
    text
}

fn explained_problem(problem: &Problem) -> String {
    let (start, end) = (problem.span.start, problem.span.end);
    let (code, message) = (problem.code, &problem.message);
    format!(
        "problem    {code}, bytes {start}..{end}: {message}\n           raw     {}",
        escape_text(&problem.raw)
    )
}

/// Text of a model, made safe for a terminal.
fn escape_text(text: &str) -> String {
    json!(text)
        .to_string()
        .chars()
        .flat_map(|c| {
            let hidden = c.is_control();
            let plain = (!hidden).then_some(c);
            plain.into_iter().chain(hidden.then(|| c.escape_unicode()).into_iter().flatten())
        })
        .collect()
}
