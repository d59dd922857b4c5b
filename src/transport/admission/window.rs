//! Requests per minute: when the next one may begin.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::time::Duration;

use tokio::time::Instant;

const WINDOW: Duration = Duration::from_secs(60);

/// The starts of the latest requests.
#[derive(Debug)]
pub(super) struct Window {
    capacity: usize,
    starts: VecDeque<Instant>,
}

impl Window {
    pub(super) fn new(per_minute: NonZeroU32) -> Self {
        let capacity = usize::try_from(per_minute.get()).unwrap_or(usize::MAX);
        Self { capacity, starts: VecDeque::new() }
    }

    /// The earliest start that leaves no more than the allowed number within any window.
    pub(super) fn opens(&self, now: Instant) -> Instant {
        let full = self.starts.len() >= self.capacity;
        let oldest = self.starts.front().filter(|_| full);
        oldest.map_or(now, |oldest| now.max(*oldest + WINDOW))
    }

    /// Counts a start.
    pub(super) fn count(&mut self, now: Instant) {
        if self.starts.len() >= self.capacity {
            self.starts.pop_front();
        }
        self.starts.push_back(now);
    }
}
