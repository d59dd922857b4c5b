//! The table of mutations.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

/// One thing that an adapter does wrong.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mutation {
    /// What it does, in words.
    pub(crate) name: String,
    pub(crate) dialect: String,
    /// The simulated model behind it.
    pub(crate) model: String,
    /// Which bodies it changes.
    pub(crate) on: On,
    /// What it does to each.
    pub(crate) edits: Vec<Edit>,
    /// What it does to replies besides, where it changes requests and takes that back on the way home.
    #[serde(default)]
    pub(crate) back: Vec<Edit>,
    /// The one row that must name it; none for what harms nobody.
    pub(crate) row: Option<String>,
    #[serde(default = "light")]
    pub(crate) suite: String,
    /// Whether verdicts stay open behind it, so that the gate exits 3.
    #[serde(default)]
    pub(crate) incomplete: bool,
    /// Whether `cargo test` tries it.
    #[serde(default)]
    pub(crate) quick: bool,
}

fn light() -> String {
    "light".to_owned()
}

/// Which bodies a mutation changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum On {
    Requests,
    /// Whole replies.
    Plain,
    /// The events of streams.
    Streams,
    /// Both.
    Replies,
    /// Answers with an error status.
    Errors,
}

/// What is done to a body or its response.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Edit {
    /// Takes away what stands at a path.
    Remove(String),
    /// Puts a value at a path; `{n}` in a text counts up within a reply.
    Set(String, Value),
    /// Puts a value where there is none.
    Fill(String, Value),
    /// Puts a value where there is one already.
    Replace(String, Value),
    /// Keeps so many elements or characters.
    Truncate(String, usize),
    /// Turns a list round.
    Reverse(String),
    /// Puts this before a text.
    Prefix(String, String),
    /// Writes a text that is JSON anew, with spaces.
    Rewrite(String),
    /// Multiplies a number.
    Times(String, u64),
    /// Adds to a number.
    Add(String, u64),
    /// Takes this away from the start of a text.
    StripPrefix(String, String),
    /// Turns a text into a list with one part.
    WrapText(String),
    /// Gives a key of an object another name.
    Rename(String, String, String),
    /// Moves the matching elements of a list to its end.
    MoveLast(String),
    /// Turns each run of matching neighbours in a list round.
    ReverseRuns(String),
    /// Makes one message of neighbours in a list that have this role.
    Join(String, String),
    /// Moves a key from each element of a list to the next one, or from the last to the one before.
    Shift(String, String),
    /// Reads a text that is JSON with numbers as JavaScript has them, and writes it anew.
    Doubles(String),
    /// Makes one space of all white space in a text.
    Respace(String),
    /// Drops the letters of a text that are beyond ASCII.
    PlainLetters(String),
    /// Chat: makes a turn of its own of each call with its result.
    SplitCalls,
    /// Gemini: makes a turn of its own of each result.
    SplitResults,
    /// Puts this in the place of the whole body.
    Body(Value),
    /// Sends the message of an error as plain text.
    PlainError,
    /// Writes objects with their keys in the order of the alphabet.
    SortKeys,
    /// Writes every letter beyond ASCII as an escape.
    Ascii,
    /// Answers with this status.
    Status(u16),
    /// Drops a header.
    DropHeader(String),
    /// Drops the events that hold this text.
    DropEvents(String),
    /// Drops the one event, counted from 1, of those that hold this text.
    DropEvent(String, usize),
    /// Sends the events that hold this text twice.
    RepeatEvents(String),
    /// Lets each two neighbours that hold this text change places.
    SwapEvents(String),
    /// Drops the lines of a stream that begin like this.
    DropLines(String),
    /// Ends lines as on Windows.
    CarriageReturns,
    /// Sends streams in pieces of three bytes.
    SmallPieces,
    /// Puts a comment before every event.
    Comments,
    /// Compresses the body.
    Gzip,
    /// Waits a little before every piece.
    Slow,
    /// Closes the connection behind every answer.
    Close,
    /// Answers by HTTP/1.0, without chunks.
    OldHttp,
    /// Sends streams at once, when they are over.
    Buffer,
    /// Reads on upstream when the client has left.
    ReadOn,
}

pub(crate) fn mutations() -> Vec<Mutation> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adapters/mutations.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).expect("the table of mutations")
}

/// The models of the table by their dialects.
pub(crate) fn by_dialect() -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for mutation in mutations() {
        let models = found.entry(mutation.dialect).or_default();
        if !models.contains(&mutation.model) {
            models.push(mutation.model);
        }
    }
    found
}
