//! Paced streams: how long a model takes to the first frame, and between frames.
//!
//! Without a pace the frames of a stream follow each other at once, so that a client cannot tell a
//! gateway that forwards them from one that collects them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The waits of one stream, in milliseconds. Plain replies are not slowed down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Pace {
    /// Before the first frame.
    pub first_ms: u32,
    /// Before each of the others.
    pub between_ms: u32,
}

impl Pace {
    /// The wait before the frame at this place, counted from 0; `None` for no wait at all.
    pub fn wait_before(self, frame: usize) -> Option<Duration> {
        let wait = if frame == 0 { self.first_ms } else { self.between_ms };
        (wait > 0).then(|| Duration::from_millis(wait.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_waits_that_a_file_names_are_held() {
        let pace = Pace { first_ms: 300, between_ms: 20 };
        assert_eq!(pace.wait_before(0), Some(Duration::from_millis(300)));
        assert_eq!(pace.wait_before(7), Some(Duration::from_millis(20)));
        assert_eq!(Pace::default().wait_before(0), None);
        assert_eq!(Pace { between_ms: 20, ..Pace::default() }.wait_before(0), None);
    }
}
