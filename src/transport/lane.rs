//! Lanes: threads that have connections of their own. One that is shared between threads lets them wake each
//! other for every request.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::thread;

/// The most lanes of a process. A request takes a tenth of a millisecond: more bring nothing.
const MOST: usize = 8;

thread_local! {
    static LANE: Cell<usize> = const { Cell::new(0) };
}

/// How many lanes this process may have: one for each core.
pub(crate) fn lanes() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MOST)
}

/// Makes this thread a lane, counted from 1. All other threads together are 0.
pub(crate) fn enter_lane(number: usize) {
    LANE.set(number);
}

/// The lane of this thread.
pub(super) fn lane() -> usize {
    LANE.get()
}
