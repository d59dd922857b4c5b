//! The store: runs, evidence, snapshots and history on disk.
//!
//! ```text
//! reports/<run>/manifest.json          what was asked of whom, and how it ended
//! reports/<run>/profiles/<slug>.json   what was found
//! reports/<run>/evidence/<target>.jsonl what it rests on: every exchange, as it happened
//! reports/<run>/telemetry/<slug>.jsonl the turns that its metrics were counted on
//! reports/history.csv, metrics.csv     results and metrics from run to run
//! profiles/<slug>.json                 the committed snapshots
//! ```
//!
//! Every file but the journals appears whole or not at all, and no file of a newer version is overwritten.
//!
//! - `run_folder`, `run_id`, `manifest`: one run; `shard`, `merge`: one run in parts, and joined again
//! - `profile_folder`: profiles, of a run or committed; `acceptance`: replacing snapshots all together
//! - `evidence`: exchanges by their digest; `journal`: the file that those of a target are added to
//! - `turns`: the telemetry of a run
//! - `history`: rows from run to run; `csv_file`: the files that hold them
//! - `depot`: runs, snapshots and history in object storage
//! - `versioned`: JSON files with a version; `files`: atomic writes and what may be missing
//! - `error`: why a file cannot be read or written

mod acceptance;
mod csv_file;
mod depot;
mod error;
mod evidence;
mod files;
mod history;
mod journal;
mod manifest;
mod merge;
mod profile_folder;
mod run_folder;
mod run_id;
mod shard;
mod turns;
mod versioned;

pub(crate) use csv_file::Rows;
pub(crate) use depot::{Depot, DepotAddress, DepotError, FetchedSnapshots};
pub(crate) use error::StoreError;
pub(crate) use evidence::Evidence;
pub(crate) use files::{write_pieces, write_text};
pub(crate) use history::{HISTORY_VERSION, HistoryRow, MetricsRow, RunHistory, merge_metrics};
pub(crate) use journal::JournalFile;
#[cfg(test)]
pub(crate) use journal::testing::keep_exchange;
pub(crate) use manifest::{
    Completion, KeptChange, MANIFEST_VERSION, Manifest, Percentiles, RunTarget, Selection,
    TargetCost, Totals,
};
pub(crate) use merge::{Completeness, merge_runs};
pub use profile_folder::{ProfileFolder, read_profile};
pub(crate) use run_folder::Claim;
pub use run_folder::RunFolder;
pub(crate) use run_id::RunId;
pub(crate) use shard::Shard;
pub(crate) use turns::Turns;
pub(crate) use versioned::VersionedFile;
