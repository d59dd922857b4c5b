//! Work on long texts apart from the conversations: what takes long must not hold up others, nor a stop.

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// How many long texts are worked on at the same time: one, because that may take many times their size in
/// memory (reading calls out of a text some forty times).
static LONG_TEXTS: Semaphore = Semaphore::const_new(1);

/// Does something with a long text on a thread for such work, one after the other.
pub(crate) async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    // It is never closed, so there is no error to meet.
    let _place = LONG_TEXTS.acquire().await.ok();
    match spawn_blocking(work).await {
        Ok(done) => done,
        // It is never cancelled, so it panicked: go on with that here.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn others_go_on_meanwhile() {
        let (tell, told) = std::sync::mpsc::channel();
        let listen = move || {
            (0..10_000_000).find_map(|_| {
                std::thread::yield_now();
                told.try_recv().ok()
            })
        };
        let (heard, sent) = tokio::join!(apart(listen), async move { tell.send("others") });
        assert_eq!((heard, sent), (Some("others"), Ok(())));
    }
}
