//! Rate limits of an endpoint: requests at the same time and per minute.

use std::collections::VecDeque;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

const WINDOW: Duration = Duration::from_secs(60);

/// What an endpoint allows; `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EndpointLimits {
    /// Requests at the same time.
    pub concurrency: Option<NonZeroUsize>,
    /// Requests begun within any sixty seconds.
    pub per_minute: Option<NonZeroU32>,
}

/// Admits the requests to one endpoint.
#[derive(Debug)]
pub(super) struct Limiter {
    slots: Option<Arc<Semaphore>>,
    window: Option<Mutex<Window>>,
    /// The endpoint asked to be left alone until then.
    held_until: Mutex<Option<Instant>>,
}

/// The permission to hold one exchange; dropping it frees the place.
#[derive(Debug)]
pub(super) struct Admission {
    _slot: Option<OwnedSemaphorePermit>,
}

impl Limiter {
    pub(super) fn new(limits: EndpointLimits) -> Self {
        let window = |per_minute: NonZeroU32| Mutex::new(Window::new(per_minute));
        Self {
            slots: limits.concurrency.map(|slots| Arc::new(Semaphore::new(slots.get()))),
            window: limits.per_minute.map(window),
            held_until: Mutex::new(None),
        }
    }

    /// Waits until the endpoint may be asked. Requests are admitted in the order they came.
    pub(super) async fn admit(&self) -> Admission {
        let slot = match &self.slots {
            // The semaphore is never closed, so there is no error to meet.
            Some(slots) => Arc::clone(slots).acquire_owned().await.ok(),
            None => None,
        };
        self.wait_for_turn().await;
        Admission { _slot: slot }
    }

    /// Waits for another attempt without giving up the place.
    pub(super) async fn admit_again(&self, admission: Admission) -> Admission {
        self.wait_for_turn().await;
        admission
    }

    async fn wait_for_turn(&self) {
        if let Some(start) = self.reserve() {
            sleep_until(start).await;
        }
        while let Some(end) = self.held_until().filter(|end| *end > Instant::now()) {
            sleep_until(end).await;
        }
    }

    /// Admits nothing for this long: the endpoint told one request to wait, and would tell the others
    /// the same, at the cost of an attempt each.
    pub(super) fn hold(&self, wait: Duration) {
        let end = Instant::now() + wait;
        let mut held = self.held_until.lock().unwrap_or_else(PoisonError::into_inner);
        *held = Some(held.map_or(end, |earlier| earlier.max(end)));
    }

    fn held_until(&self) -> Option<Instant> {
        *self.held_until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reserve(&self) -> Option<Instant> {
        let window = self.window.as_ref()?;
        Some(window.lock().unwrap_or_else(PoisonError::into_inner).reserve(Instant::now()))
    }
}

/// The starts of the latest requests, those that are still to come included.
#[derive(Debug)]
struct Window {
    capacity: usize,
    starts: VecDeque<Instant>,
}

impl Window {
    fn new(per_minute: NonZeroU32) -> Self {
        let capacity = usize::try_from(per_minute.get()).unwrap_or(usize::MAX);
        Self { capacity, starts: VecDeque::new() }
    }

    /// The earliest start that leaves no more than the allowed number within any window.
    fn reserve(&mut self, now: Instant) -> Instant {
        let start = if self.starts.len() < self.capacity {
            now
        } else {
            self.starts.pop_front().map_or(now, |oldest| now.max(oldest + WINDOW))
        };
        self.starts.push_back(start);
        start
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;

    use super::*;

    fn limiter(concurrency: Option<usize>, per_minute: Option<u32>) -> Limiter {
        Limiter::new(EndpointLimits {
            concurrency: concurrency.and_then(NonZeroUsize::new),
            per_minute: per_minute.and_then(NonZeroU32::new),
        })
    }

    #[tokio::test(start_paused = true)]
    async fn no_minute_sees_more_starts_than_allowed() {
        let (limiter, begin) = (limiter(None, Some(2)), Instant::now());
        let starts = join_all((0..5).map(|_| async {
            limiter.admit().await;
            begin.elapsed().as_secs()
        }));
        assert_eq!(starts.await, [0, 0, 60, 60, 120]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_is_free_again_when_its_exchange_ends() {
        let (limiter, begin) = (limiter(Some(2), None), Instant::now());
        let ends = join_all((0..4).map(|_| async {
            let _admission = limiter.admit().await;
            tokio::time::sleep(Duration::from_secs(3)).await;
            begin.elapsed().as_secs()
        }));
        assert_eq!(ends.await, [3, 3, 6, 6]);
    }

    #[tokio::test(start_paused = true)]
    async fn without_limits_nothing_waits() {
        let (limiter, begin) = (limiter(None, None), Instant::now());
        join_all((0..100).map(|_| limiter.admit())).await;
        assert_eq!(begin.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_held_endpoint_is_left_alone_by_all() {
        let (limiter, begin) = (limiter(Some(3), None), Instant::now());
        limiter.hold(Duration::from_secs(5));
        limiter.hold(Duration::from_secs(2));
        join_all((0..3).map(|_| limiter.admit())).await;
        assert_eq!(begin.elapsed(), Duration::from_secs(5));
        limiter.admit().await;
        assert_eq!(begin.elapsed(), Duration::from_secs(5));
    }
}
