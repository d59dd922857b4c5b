//! Cores: work over many items that all cores of the machine share.

use std::num::NonZeroUsize;
use std::thread::{self, ScopedJoinHandle};

/// The fewest items that a thread of their own is worth.
const SHARE: usize = 64;

/// What `work` makes of each item, in the order of the items.
pub(crate) fn map_on_all_cores<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let share = items.len().div_ceil(threads).max(SHARE);
    if items.len() <= share {
        return items.iter().map(work).collect();
    }
    let work = &work;
    thread::scope(|scope| {
        let begin = |share: &'_ [T]| -> Vec<R> { share.iter().map(work).collect() };
        let threads: Vec<_> =
            items.chunks(share).map(|share| scope.spawn(move || begin(share))).collect();
        threads.into_iter().flat_map(join).collect()
    })
}

/// What a thread gave. A panic goes on here.
fn join<R>(thread: ScopedJoinHandle<'_, R>) -> R {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items_however_many_there_are() {
        for count in [0, 1, SHARE, SHARE + 1, 10 * SHARE + 7] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(map_on_all_cores(&items, |item| item * 2), doubled);
        }
    }
}
