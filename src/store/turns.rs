//! Turns: the telemetry that the metrics of a run were counted on.
//!
//! The lines are those that an adapter writes, so that `toolprobe metrics` gives the same numbers.

use std::io;
use std::path::{Path, PathBuf};

use super::StoreError;
use super::files::{self, Durability};
use crate::telemetry::TurnEvent;

/// The turns of a run's targets: one file for each, named as its profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turns {
    folder: PathBuf,
}

impl Turns {
    pub(super) fn in_folder(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Writes the turns with a target whose profile's file has this name. Those of an earlier attempt
    /// are replaced.
    pub fn write(
        &self,
        profile: &str,
        target: &str,
        turns: &[TurnEvent],
    ) -> Result<(), StoreError> {
        let path = self.path(profile);
        let text = lines(target, turns).map_err(StoreError::io("write", &path))?;
        files::write(&path, text.as_bytes(), Durability::Process)
    }

    /// Deletes the turns of a target, if they are there.
    pub fn remove(&self, profile: &str) -> Result<(), StoreError> {
        files::remove(&self.path(profile))
    }

    fn path(&self, profile: &str) -> PathBuf {
        self.folder.join(Path::new(profile).with_extension("jsonl"))
    }
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
    use std::fs;

    use super::*;
    use crate::telemetry::read_lines;

    #[test]
    fn turns_are_written_with_their_target_and_replaced_as_a_whole() {
        let dir = tempfile::tempdir().unwrap();
        let turns = Turns::in_folder(dir.path().join("telemetry"));
        let turn = TurnEvent { calls: 2, ..TurnEvent::default() };
        turns.write("acme-one.json", "acme/one", &[turn.clone(), turn.clone()]).unwrap();
        turns.write("acme-one.json", "acme/one", std::slice::from_ref(&turn)).unwrap();
        let path = dir.path().join("telemetry/acme-one.jsonl");
        let read = read_lines(&fs::read_to_string(&path).unwrap()).unwrap();
        let told = TurnEvent { target: Some("acme/one".to_owned()), ..turn };
        assert_eq!(read, [told]);
        turns.remove("acme-one.json").unwrap();
        turns.remove("acme-one.json").unwrap();
        assert!(!path.exists());
    }
}
