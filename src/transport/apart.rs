//! Work on long texts apart from the conversations: what takes long must not hold up others, nor a stop.
//!
//! One long text at a time is worked on, each on a thread of its own: that may take many times its size in memory
//! (reading calls out of a text some forty times), and every thread that worked on one would keep some of it for
//! later. The thread that comes next takes over what the last one kept.

use std::sync::{Mutex, PoisonError};

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;
use tokio::task::{block_in_place, spawn_blocking};

/// From this many bytes on a reply is long.
pub(crate) const LONG: usize = 256 * 1024;

/// Those who can wait without a thread do so here.
static LONG_TEXTS: Semaphore = Semaphore::const_new(1);

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Does something with a long text, one after the other.
pub(crate) async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    // It is never closed, so there is no error to meet.
    let _place = LONG_TEXTS.acquire().await.ok();
    match spawn_blocking(|| alone(work)).await {
        Ok(done) => done,
        // It is never cancelled, so it panicked: go on with that here.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// Does something with a text of this length: apart where it is long.
pub(crate) async fn apart_if_long<T: Send + 'static>(
    length: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if length < LONG { work() } else { apart(work).await }
}

/// The same for work that cannot be given away: its own conversation waits, and no other.
pub(crate) fn aside<T: Send>(length: usize, work: impl FnOnce() -> T + Send) -> T {
    if length < LONG {
        return work();
    }
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(|| alone(work)),
        _ => alone(work),
    }
}

fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    match std::thread::scope(|scope| scope.spawn(work).join()) {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::SeqCst;
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    /// What was told, if it is told while this looks out for it.
    fn listen(told: &Receiver<&'static str>) -> Option<&'static str> {
        (0..10_000_000).find_map(|_| {
            std::thread::yield_now();
            told.try_recv().ok()
        })
    }

    #[tokio::test]
    async fn others_go_on_meanwhile() {
        let (tell, told) = channel();
        let (heard, sent) =
            tokio::join!(apart(move || listen(&told)), async move { tell.send("others") });
        assert_eq!((heard, sent), (Some("others"), Ok(())));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn others_go_on_while_a_conversation_waits() {
        let (tell, told) = channel();
        let (start, begun) = channel();
        let waits = tokio::spawn(async move {
            aside(LONG, move || {
                start.send("begun").ok();
                listen(&told)
            })
        });
        let others = tokio::spawn(async move { (listen(&begun), tell.send("others")) });
        let (heard, others) = (waits.await.unwrap(), others.await.unwrap());
        assert_eq!((heard, others), (Some("others"), (Some("begun"), Ok(()))));
    }

    #[test]
    fn long_texts_are_worked_on_one_at_a_time() {
        let (working, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            most.fetch_max(working.fetch_add(1, SeqCst) + 1, SeqCst);
            (0..1_000).for_each(|_| std::thread::yield_now());
            working.fetch_sub(1, SeqCst);
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| aside(LONG, work));
            }
        });
        assert_eq!(most.into_inner(), 1);
    }
}
