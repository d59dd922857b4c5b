//! Journals: torn, altered and foreign files are read as far as they go, or refused.

use std::fs;

use toolprobe::store::RunFolder;

const RUN: &str = "20260101T000000Z";

/// Reads a run of which every file holds these bytes.
pub(crate) fn read(bytes: &[u8]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let evidence = folder.path().join(RUN).join("evidence");
    let made = fs::create_dir_all(&evidence)
        .and_then(|()| fs::write(folder.path().join(RUN).join("manifest.json"), bytes))
        .and_then(|()| fs::write(evidence.join("acme.jsonl"), bytes));
    if made.is_err() {
        return;
    }
    let Ok(run) = RunFolder::open(folder.path(), RUN) else { return };
    let _ = run.manifest();
    let evidence = run.evidence();
    let _ = evidence.starting_with("");
    let _ = evidence.resume("acme").spent();
    for exchange in evidence.of_target("acme").unwrap_or_default() {
        let _ = serde_json::to_string(&exchange);
    }
}
