//! Client breakage: which released clients lose a call to which defect, as measured.
//!
//! The data is `client_breaks.toml` beside this file, made by `ci/clients-check`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ProbeOutcome, Results, Status};
use crate::dialect::DialectId;
use crate::ir::Defect;

/// A defect lowers a result when it breaks at least this many clients.
const ENOUGH: usize = 2;

/// Whether a reply came whole or in pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReplyMode {
    /// One body.
    #[default]
    Plain,
    /// A stream.
    Streamed,
}

impl ReplyMode {
    /// Whether replies come whole.
    pub fn is_plain(&self) -> bool {
        *self == Self::Plain
    }
}

/// A defect of a result, and the clients that were seen to break on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientBreak {
    /// What the decoder tolerated and those clients do not.
    pub defect: Defect,
    /// The clients, by name; `docs/clients.md` has their versions.
    pub clients: Vec<String>,
}

#[derive(Deserialize)]
struct Table {
    breaks: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    defect: Defect,
    client: String,
    dialect: DialectId,
    mode: ReplyMode,
}

type Breaks = BTreeMap<(Defect, DialectId, ReplyMode), BTreeSet<String>>;

/// An unreadable table would be empty; a test holds that it is not.
static BREAKS: LazyLock<Breaks> = LazyLock::new(|| {
    let table = toml::from_str(include_str!("client_breaks.toml"));
    let rows = table.map_or_else(|_| Vec::new(), |table: Table| table.breaks);
    let mut breaks = Breaks::new();
    for row in rows {
        let key = (row.defect, row.dialect, row.mode);
        breaks.entry(key).or_default().insert(row.client);
    }
    breaks
});

/// The clients that lose a call to this defect.
pub(crate) fn clients_broken_by(
    defect: Defect,
    dialect: DialectId,
    mode: ReplyMode,
) -> impl Iterator<Item = &'static str> {
    BREAKS.get(&(defect, dialect, mode)).into_iter().flatten().map(String::as_str)
}

/// Lowers results whose defects make ordinary clients lose the call, however well our decoder copes.
pub(crate) fn lower_by_clients(results: &mut Results, dialect: DialectId) {
    if let Some(single) = &mut results.single_tool {
        lower(&mut single.outcome, &single.defects, dialect, single.replies);
    }
    if let Some(streaming) = &mut results.streaming {
        lower(&mut streaming.outcome, &streaming.defects, dialect, ReplyMode::Streamed);
    }
}

fn lower(outcome: &mut ProbeOutcome, defects: &[Defect], dialect: DialectId, mode: ReplyMode) {
    let breaks = defects.iter().map(|defect| ClientBreak {
        defect: *defect,
        clients: clients_broken_by(*defect, dialect, mode).map(ToOwned::to_owned).collect(),
    });
    let breaks: Vec<ClientBreak> = breaks.filter(|it| it.clients.len() >= ENOUGH).collect();
    if breaks.is_empty() || outcome.status != Status::Pass {
        return;
    }
    outcome.status = Status::Partial;
    outcome.reason = breaks.iter().map(sentence).collect::<Vec<_>>().join("; ");
    outcome.breaks = breaks;
}

fn sentence(broken: &ClientBreak) -> String {
    format!("{} breaks {}", broken.defect, broken.clients.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clients(defect: Defect, mode: ReplyMode) -> Vec<&'static str> {
        clients_broken_by(defect, DialectId::OpenAiChat, mode).collect()
    }

    #[test]
    fn a_reused_index_breaks_every_client_that_streams_and_none_that_does_not() {
        let all = ["ai-sdk", "langchain", "openai", "pydantic-ai"];
        assert_eq!(clients(Defect::IndexReused, ReplyMode::Streamed), all);
        assert!(clients(Defect::IndexReused, ReplyMode::Plain).is_empty());
    }

    #[test]
    fn what_no_client_breaks_on_is_not_in_the_table() {
        for defect in [Defect::FinishKeyMissing, Defect::StopWithCalls, Defect::SseComment] {
            for mode in [ReplyMode::Plain, ReplyMode::Streamed] {
                assert!(clients(defect, mode).is_empty(), "{defect}");
            }
        }
    }
}
