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
    /// The one row that must name it.
    pub(crate) row: String,
    #[serde(default = "light")]
    pub(crate) suite: String,
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
    /// Answers with this status.
    Status(u16),
    /// Drops a response header.
    DropHeader(String),
    /// Drops the events that hold this text.
    DropEvents(String),
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
