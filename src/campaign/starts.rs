//! Starts: which target is probed next.
//!
//! Each endpoint has a line of its own, the longest target first, and targets at the same time of its own: one that
//! is slow, throttled or dead keeps no target of another endpoint from starting. Of the endpoints that have room,
//! the one with the fewest targets under way goes first.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::{RunSettings, foreseen};
use crate::profile::Profile;
use crate::target::Connection;

/// Targets under way over all endpoints, because each has its place in memory.
const MOST: usize = 64;

/// How long nothing may end before another target is started beyond that: those under way are stalled.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How long a request is thought to take where no snapshot says anything.
const USUAL_MS: u64 = 1000;

/// A target that waits to be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Waiting {
    /// Its place in the run.
    pub(super) place: usize,
    /// The number of its endpoint.
    pub(super) endpoint: usize,
    /// How long it is thought to take.
    pub(super) time: u64,
}

/// The targets that wait and the number of those under way, endpoint by endpoint.
#[derive(Debug)]
pub(super) struct Starts {
    lines: BTreeMap<usize, Line>,
    /// Targets at the same time at one endpoint.
    each: usize,
    /// Targets at the same time over all endpoints.
    most: usize,
    under_way: usize,
}

#[derive(Debug, Default)]
struct Line {
    waiting: VecDeque<Waiting>,
    under_way: usize,
}

impl Starts {
    pub(super) fn new(mut targets: Vec<Waiting>, each: usize) -> Self {
        // Stable: those that take the same time keep their order.
        targets.sort_by_key(|target| std::cmp::Reverse(target.time));
        let mut lines: BTreeMap<usize, Line> = BTreeMap::new();
        for target in targets {
            lines.entry(target.endpoint).or_default().waiting.push_back(target);
        }
        Self { lines, each, most: MOST.max(each), under_way: 0 }
    }

    /// The next target, which is then under way.
    pub(super) fn next(&mut self) -> Option<Waiting> {
        if self.under_way >= self.most {
            return None;
        }
        let each = self.each;
        let open = self.lines.values_mut();
        let open = open.filter(|line| !line.waiting.is_empty() && line.under_way < each);
        let line = open.min_by_key(|line| line.under_way)?;
        let target = line.waiting.pop_front()?;
        line.under_way += 1;
        self.under_way += 1;
        Some(target)
    }

    /// A target at this endpoint is over.
    pub(super) fn end(&mut self, endpoint: usize) {
        if let Some(line) = self.lines.get_mut(&endpoint) {
            line.under_way -= 1;
            self.under_way -= 1;
        }
    }

    /// Whether targets only wait because so many others are under way.
    pub(super) fn are_crowded_out(&self) -> bool {
        let has_room = |line: &Line| !line.waiting.is_empty() && line.under_way < self.each;
        self.under_way >= self.most && self.lines.values().any(has_room)
    }

    /// Lets one more target start, because nothing has ended for a while.
    pub(super) fn allow_one_more(&mut self) {
        self.most = self.under_way + 1;
    }
}

/// How long each target is thought to take: its requests, at the speed that its snapshot tells.
pub(crate) fn expected_times(
    connections: &[Connection],
    settings: &RunSettings,
    snapshots: &[Profile],
) -> Vec<u64> {
    let latency = |profile: &Profile| profile.cost.as_ref()?.median_latency_ms;
    let known: BTreeMap<String, u64> =
        snapshots.iter().filter_map(|it| Some((it.name(), latency(it)?))).collect();
    let time = |it: &Connection| {
        let each = known.get(&it.target.name).copied().unwrap_or(USUAL_MS).max(1);
        foreseen(&it.target, settings).likely.requests.saturating_mul(each)
    };
    connections.iter().map(time).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Targets by their endpoints and times, in order.
    fn starts(targets: &[(usize, u64)], each: usize) -> Starts {
        let waiting = |(place, (endpoint, time)): (usize, &(usize, u64))| Waiting {
            place,
            endpoint: *endpoint,
            time: *time,
        };
        Starts::new(targets.iter().enumerate().map(waiting).collect(), each)
    }

    fn started(starts: &mut Starts) -> Vec<usize> {
        std::iter::from_fn(|| starts.next()).map(|target| target.place).collect()
    }

    #[test]
    fn the_longest_goes_first_and_equal_ones_keep_their_order() {
        let mut starts = starts(&[(0, 1), (0, 5), (0, 1), (0, 9)], 9);
        assert_eq!(started(&mut starts), [3, 1, 0, 2]);
    }

    #[test]
    fn endpoints_take_turns_and_none_keeps_another_from_starting() {
        let mut starts = starts(&[(0, 9), (0, 9), (0, 9), (0, 9), (1, 1), (1, 1), (1, 1)], 2);
        assert_eq!(started(&mut starts), [0, 4, 1, 5]);
        starts.end(1);
        assert_eq!(started(&mut starts), [6], "the first endpoint is stalled");
    }

    #[test]
    fn there_is_a_limit_over_all_endpoints_which_those_that_stall_do_not_use_up() {
        let many: Vec<(usize, u64)> = (0..MOST + 2).map(|endpoint| (endpoint, 1)).collect();
        let mut starts = starts(&many, 8);
        assert_eq!(started(&mut starts).len(), MOST);
        assert!(starts.are_crowded_out());
        starts.allow_one_more();
        assert_eq!(started(&mut starts), [MOST]);
        starts.end(MOST);
        assert_eq!(started(&mut starts), [MOST + 1], "the place stays");
        assert!(!starts.are_crowded_out());
    }
}
