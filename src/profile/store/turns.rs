//! Which turns were a run's metrics counted on?
//!
//! The same lines that an adapter writes, so that `toolprobe metrics` gives the same numbers.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use super::StoreError;
use crate::telemetry::TurnEvent;

/// Adds the turns that were held with a target.
pub(super) fn add(path: &Path, target: &str, turns: &[TurnEvent]) -> Result<(), StoreError> {
    let failed = || StoreError::io("write", path);
    let text = lines(target, turns).map_err(failed())?;
    let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed())?;
    file.write_all(text.as_bytes()).map_err(failed())
}

fn lines(target: &str, turns: &[TurnEvent]) -> io::Result<String> {
    let mut text = String::new();
    for turn in turns {
        let turn = TurnEvent { target: Some(target.to_owned()), ..turn.clone() };
        text.push_str(&serde_json::to_string(&turn)?);
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::{Counts, read_lines};

    #[test]
    fn turns_are_added_and_read_back_with_their_target() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("telemetry.jsonl");
        let turn = TurnEvent { calls: 2, ..TurnEvent::default() };
        add(&path, "acme/one", std::slice::from_ref(&turn)).unwrap();
        add(&path, "acme/two", &[turn.clone(), turn.clone()]).unwrap();
        let read = read_lines(&std::fs::read_to_string(path).unwrap()).unwrap();
        let targets: Vec<_> = read.iter().filter_map(|turn| turn.target.as_deref()).collect();
        assert_eq!(targets, ["acme/one", "acme/two", "acme/two"]);
        assert_eq!(Counts::of(&read), Counts::of(&[turn.clone(), turn.clone(), turn]));
    }
}
