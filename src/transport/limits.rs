//! Rate limits of an endpoint: requests at the same time and per minute.

use std::collections::VecDeque;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

const WINDOW: Duration = Duration::from_secs(60);

/// What an endpoint allows; `None` means unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EndpointLimits {
    /// Requests at the same time.
    pub concurrency: Option<NonZeroUsize>,
    /// Requests begun within any sixty seconds.
    pub per_minute: Option<NonZeroU32>,
}

impl EndpointLimits {
    /// The stricter of both, limit by limit.
    fn stricter(self, other: Self) -> Self {
        let least = |a: Option<NonZeroUsize>, b| a.into_iter().chain(b).min();
        Self {
            concurrency: least(self.concurrency, other.concurrency),
            per_minute: self.per_minute.into_iter().chain(other.per_minute).min(),
        }
    }
}

/// The limits of one endpoint, shared by everything that is sent there.
#[derive(Debug, Default)]
pub struct SharedLimits {
    /// What those who send have agreed on. It counts from the first request on.
    agreed: Mutex<EndpointLimits>,
    /// Requests at the same time where nobody says anything.
    usual: Option<NonZeroUsize>,
    places: OnceLock<Places>,
}

/// What is left of the limits.
#[derive(Debug)]
struct Places {
    slots: Option<Arc<Semaphore>>,
    window: Option<Mutex<Window>>,
}

impl SharedLimits {
    /// Limits of which nothing is said yet but how many requests are usual at the same time.
    pub fn usually(concurrency: NonZeroUsize) -> Self {
        Self { usual: Some(concurrency), ..Self::default() }
    }

    /// Keeps to these limits as well: the strictest counts, from the first request on.
    pub fn agree(&self, limits: EndpointLimits) {
        let mut agreed = self.agreed.lock().unwrap_or_else(PoisonError::into_inner);
        *agreed = agreed.stricter(limits);
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| {
            let agreed = *self.agreed.lock().unwrap_or_else(PoisonError::into_inner);
            let slots = agreed.concurrency.or(self.usual);
            Places {
                slots: slots.map(|slots| Arc::new(Semaphore::new(slots.get()))),
                window: agreed.per_minute.map(|per_minute| Mutex::new(Window::new(per_minute))),
            }
        })
    }

    /// Waits for a place.
    async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        let slots = self.places().slots.as_ref()?;
        // The semaphore is never closed, so there is no error to meet.
        Arc::clone(slots).acquire_owned().await.ok()
    }

    /// Waits until another request may begin in this minute.
    async fn turn(&self) {
        let window = self.places().window.as_ref();
        let reserve = |window: &Mutex<Window>| {
            window.lock().unwrap_or_else(PoisonError::into_inner).reserve(Instant::now())
        };
        if let Some(start) = window.map(reserve) {
            sleep_until(start).await;
        }
    }
}

impl From<EndpointLimits> for SharedLimits {
    fn from(limits: EndpointLimits) -> Self {
        Self { agreed: Mutex::new(limits), ..Self::default() }
    }
}

/// Admits the requests of one target to its endpoint.
#[derive(Debug)]
pub(super) struct Limiter {
    shared: Arc<SharedLimits>,
    /// The endpoint asked to be left alone until then. Often that is about one model, so that others
    /// at the same endpoint go on.
    held_until: Mutex<Option<Instant>>,
}

/// The permission to hold one exchange; dropping it frees the place.
#[derive(Debug)]
pub(super) struct Admission {
    _slot: Option<OwnedSemaphorePermit>,
}

impl Limiter {
    pub(super) fn new(shared: Arc<SharedLimits>) -> Self {
        Self { shared, held_until: Mutex::new(None) }
    }

    /// Waits until the endpoint may be asked. Requests are admitted in the order they came. Nobody
    /// keeps a place while the endpoint wants to be left alone: others could use it.
    pub(super) async fn admit(&self) -> Admission {
        loop {
            self.wait_while_held().await;
            let slot = self.shared.slot().await;
            if !self.is_held() {
                self.shared.turn().await;
                return Admission { _slot: slot };
            }
        }
    }

    /// Waits for another attempt without giving up the place.
    pub(super) async fn admit_again(&self, admission: Admission) -> Admission {
        self.shared.turn().await;
        self.wait_while_held().await;
        admission
    }

    async fn wait_while_held(&self) {
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

    fn is_held(&self) -> bool {
        self.held_until().is_some_and(|end| end > Instant::now())
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
        Limiter::new(Arc::new(limits(concurrency, per_minute).into()))
    }

    fn limits(concurrency: Option<usize>, per_minute: Option<u32>) -> EndpointLimits {
        EndpointLimits {
            concurrency: concurrency.and_then(NonZeroUsize::new),
            per_minute: per_minute.and_then(NonZeroU32::new),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn targets_of_one_endpoint_share_its_limits_and_the_strictest_counts() {
        let shared = Arc::new(SharedLimits::usually(NonZeroUsize::MIN));
        shared.agree(limits(Some(9), None));
        shared.agree(limits(Some(5), Some(2)));
        shared.agree(limits(None, Some(3)));
        let begin = Instant::now();
        let starts = join_all((0..5).map(|_| async {
            Limiter::new(Arc::clone(&shared)).admit().await;
            begin.elapsed().as_secs()
        }));
        assert_eq!(starts.await, [0, 0, 60, 60, 120]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_target_that_is_told_to_wait_keeps_no_place_from_others() {
        let shared = Arc::new(SharedLimits::from(limits(Some(1), None)));
        let (held, other) = (Limiter::new(Arc::clone(&shared)), Limiter::new(shared));
        held.hold(Duration::from_secs(5));
        let begin = Instant::now();
        let waiting = async {
            held.admit().await;
            begin.elapsed().as_secs()
        };
        let going_on = async {
            other.admit().await;
            begin.elapsed().as_secs()
        };
        assert_eq!(tokio::join!(waiting, going_on), (5, 0));
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
