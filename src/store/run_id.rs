//! The name of a run.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, NaiveDateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const TIME: &str = "%Y%m%dT%H%M%SZ";

/// The name of a run: the time it began, as `20261115T083000Z`, and `-002` for the second run of a
/// second. Names sort as their runs began.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(into = "String", try_from = "String")]
#[schemars(with = "String")]
pub struct RunId(String);

/// A text that names no run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not the name of a run, such as 20261115T083000Z")]
pub struct NotARunId(String);

impl RunId {
    /// The `nth` run, from 1, that began in this second.
    pub(super) fn new(start: DateTime<Utc>, nth: u16) -> Self {
        let time = start.format(TIME);
        Self(if nth > 1 { format!("{time}-{nth:03}") } else { time.to_string() })
    }

    /// The name so many steps after this one in the same second.
    pub(super) fn after(&self, steps: u16) -> Self {
        let (time, nth) = self.0.split_once('-').unwrap_or((&self.0, "1"));
        let nth = nth.parse::<u16>().unwrap_or(1).saturating_add(steps);
        Self(if nth > 1 { format!("{time}-{nth:03}") } else { time.to_owned() })
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for RunId {
    type Err = NotARunId;

    fn from_str(text: &str) -> Result<Self, NotARunId> {
        let (time, nth) = text.split_once('-').map_or((text, None), |(t, n)| (t, Some(n)));
        let is_time = time.len() == 16 && NaiveDateTime::parse_from_str(time, TIME).is_ok();
        let is_nth = nth.is_none_or(|n| n.len() == 3 && n.bytes().all(|b| b.is_ascii_digit()));
        if is_time && is_nth { Ok(Self(text.to_owned())) } else { Err(NotARunId(text.to_owned())) }
    }
}

impl TryFrom<String> for RunId {
    type Error = NotARunId;

    fn try_from(text: String) -> Result<Self, NotARunId> {
        text.parse()
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_their_runs_began() {
        let at = |time: &str| time.parse::<DateTime<Utc>>().unwrap();
        let ids = [
            RunId::new(at("2026-11-15T08:30:00Z"), 1),
            RunId::new(at("2026-11-15T08:30:00Z"), 2),
            RunId::new(at("2026-11-15T08:30:00Z"), 11),
            RunId::new(at("2026-11-15T08:30:01Z"), 1),
            RunId::new(at("2027-01-01T00:00:00Z"), 1),
        ];
        assert!(ids.is_sorted());
        assert_eq!(ids[1].as_str(), "20261115T083000Z-002");
        for id in ids {
            assert_eq!(id.as_str().parse(), Ok(id));
        }
    }

    #[test]
    fn other_folders_are_no_runs() {
        for text in
            ["sample", "", "..", "20261115T083000Z/..", "20261115T083000Z-2", "20261399T083000Z"]
        {
            assert!(text.parse::<RunId>().is_err(), "{text}");
        }
    }
}
