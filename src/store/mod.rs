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
//! - `versioned`: JSON files with a version; `files`: atomic writes and what may be missing
//! - `error`: why a file cannot be read or written

mod acceptance;
mod csv_file;
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

pub use csv_file::Rows;
pub use error::StoreError;
pub use evidence::Evidence;
pub use files::write_text;
pub use history::{HISTORY_VERSION, HistoryRow, MetricsRow, RunHistory, merge_metrics};
#[cfg(test)]
pub(crate) use journal::testing::keep_exchange;
pub use journal::{JOURNAL_VERSION, JournalFile};
pub use manifest::{
    Completion, KeptChange, MANIFEST_VERSION, Manifest, Percentiles, RunBudget, RunTarget,
    Selection, TargetCost, Totals,
};
pub use merge::{Completeness, MergeError, merge_runs};
pub use profile_folder::{ProfileFolder, read_profile};
pub use run_folder::{Claim, RunFolder};
pub use run_id::{NotARunId, RunId};
pub use shard::{NotAShard, Shard};
pub use turns::Turns;
pub(crate) use versioned::VersionedFile;
