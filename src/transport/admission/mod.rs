//! Admission: when a request may be sent, by the limits of the run, of its provider and of its endpoint.
//!
//! - `decide`: who is next, as a function of what is under way and what waits
//! - `pace`: how many requests an endpoint takes at the same time, learned from what it refuses
//! - `window`: requests per minute

mod decide;
mod pace;
mod window;

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use decide::{Admissions, Ticket, Wish};

/// What an endpoint, a provider or a run allows; `None` means unlimited.
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

/// The limits of a run, which all of its endpoints share, as clones do.
#[derive(Debug, Clone)]
pub(crate) struct RunLimits(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Numbers for those who send.
    targets: AtomicU64,
}

#[derive(Debug)]
struct State {
    admissions: Admissions<oneshot::Sender<()>>,
    providers: BTreeMap<String, usize>,
    /// When a timer goes off that lets those begin who wait for nothing but the time.
    timer: Option<Instant>,
}

impl RunLimits {
    /// At most so many requests at the same time over all endpoints; `None` means unlimited.
    pub(crate) fn of(concurrency: Option<NonZeroUsize>) -> Self {
        let admissions = Admissions::new(EndpointLimits { concurrency, per_minute: None });
        let state = State { admissions, providers: BTreeMap::new(), timer: None };
        Self(Arc::new(Shared { state: Mutex::new(state), targets: AtomicU64::new(0) }))
    }

    /// Keeps all endpoints of a provider together to these limits.
    pub(crate) fn limit_provider(&self, provider: &str, limits: EndpointLimits) {
        let mut state = self.0.state();
        let number = state.admissions.add_provider(limits);
        state.providers.insert(provider.to_owned(), number);
    }

    /// An endpoint of a provider, which takes so many requests at the same time where nobody says anything.
    pub(crate) fn endpoint(&self, provider: &str, usual: Option<NonZeroUsize>) -> SharedLimits {
        let mut state = self.0.state();
        let provider = state.providers.get(provider).copied();
        let usual = EndpointLimits { concurrency: usual, per_minute: None };
        let lane = state.admissions.add_lane(usual, provider);
        let agreed = Mutex::new((usual, EndpointLimits::default()));
        SharedLimits { run: self.clone(), lane, agreed: Arc::new(agreed) }
    }
}

/// The limits of one endpoint, shared by everything that is sent there, as clones do.
#[derive(Debug, Clone)]
pub struct SharedLimits {
    run: RunLimits,
    lane: usize,
    /// What is usual, and what those who send have agreed on.
    agreed: Arc<Mutex<(EndpointLimits, EndpointLimits)>>,
}

impl Default for SharedLimits {
    fn default() -> Self {
        RunLimits::of(None).endpoint("", None)
    }
}

impl From<EndpointLimits> for SharedLimits {
    fn from(limits: EndpointLimits) -> Self {
        let shared = Self::default();
        shared.agree(limits);
        shared
    }
}

impl SharedLimits {
    /// Keeps to these limits as well: the strictest counts. To be called before anything is sent.
    pub fn agree(&self, limits: EndpointLimits) {
        let mut agreed = self.agreed.lock().unwrap_or_else(PoisonError::into_inner);
        agreed.1 = agreed.1.stricter(limits);
        let concurrency = agreed.1.concurrency.or(agreed.0.concurrency);
        let limits = EndpointLimits { concurrency, ..agreed.1 };
        self.run.0.state().admissions.limit(self.lane, limits);
    }

    /// The number of the endpoint, which no other in the run has.
    pub(crate) fn number(&self) -> usize {
        self.lane
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes something, then lets everybody begin who may.
    fn change<R>(
        self: &Arc<Self>,
        change: impl FnOnce(&mut Admissions<oneshot::Sender<()>>) -> R,
    ) -> R {
        let mut state = self.state();
        let changed = change(&mut state.admissions);
        self.admit(&mut state);
        changed
    }

    fn admit(self: &Arc<Self>, state: &mut State) {
        let now = Instant::now();
        for waiter in state.admissions.admit(now) {
            // Whoever went away meanwhile gives its place back.
            let _ = waiter.send(());
        }
        let opens = state.admissions.opens_at(now);
        if let Some(opens) = opens.filter(|opens| state.timer.is_none_or(|timer| *opens < timer)) {
            state.timer = Some(opens);
            tokio::spawn(wake(Arc::downgrade(self), opens));
        }
    }
}

/// Lets those begin at this time who wait for nothing else.
async fn wake(shared: Weak<Shared>, at: Instant) {
    sleep_until(at).await;
    let Some(shared) = shared.upgrade() else { return };
    let mut state = shared.state();
    state.timer = state.timer.filter(|timer| *timer > at);
    shared.admit(&mut state);
}

/// Admits the requests of one target to its endpoint.
#[derive(Debug)]
pub(super) struct Limiter {
    shared: Arc<Shared>,
    lane: usize,
    target: u64,
    /// The endpoint asked to be left alone until then. Often that is about one model, so that others
    /// at the same endpoint go on.
    held_until: Mutex<Option<Instant>>,
}

/// The permission to hold one exchange; dropping it frees the place.
#[derive(Debug)]
pub(super) struct Admission {
    shared: Arc<Shared>,
    wish: Wish,
    began: Instant,
    place: PlaceState,
}

/// What a request has of its places.
#[derive(Debug)]
enum PlaceState {
    /// It waits for them.
    Waiting(Ticket, oneshot::Receiver<()>),
    UnderWay,
    /// It only keeps the one at the endpoint.
    Kept,
    Over,
}

impl Admission {
    /// The endpoint refused the request because it is asked too much: it is asked less from now on.
    pub(super) fn slow_down(&self) {
        let now = Instant::now();
        self.shared.change(|admissions| admissions.slow_down(self.wish.lane, self.began, now));
    }

    /// The endpoint answered: it may be asked more again.
    pub(super) fn speed_up(&self) {
        self.shared.change(|admissions| admissions.speed_up(self.wish.lane));
    }

    async fn wait(&mut self) {
        if let PlaceState::Waiting(_, admitted) = &mut self.place {
            // The sender is dropped only with its admission.
            let _ = admitted.await;
        }
        self.place = PlaceState::UnderWay;
        self.began = Instant::now();
    }

    /// Gives back all places but the one at the endpoint.
    fn keep_place(mut self) -> Self {
        self.shared.change(|admissions| admissions.end(self.wish, true));
        self.place = PlaceState::Kept;
        self
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        let wish = self.wish;
        match std::mem::replace(&mut self.place, PlaceState::Over) {
            PlaceState::Over => {}
            PlaceState::UnderWay => self.shared.change(|admissions| admissions.end(wish, false)),
            PlaceState::Kept => self.shared.change(|admissions| admissions.give_up(wish)),
            PlaceState::Waiting(ticket, mut admitted) => self.shared.change(|admissions| {
                // Admitted a moment ago: where it kept a place, that is given back by itself.
                match admitted.try_recv() {
                    Ok(()) => admissions.end(wish, wish.returns),
                    Err(_) => admissions.leave(wish, ticket),
                }
            }),
        }
    }
}

impl Limiter {
    pub(super) fn new(limits: &SharedLimits) -> Self {
        let shared = Arc::clone(&limits.run.0);
        let target = shared.targets.fetch_add(1, Ordering::Relaxed);
        Self { shared, lane: limits.lane, target, held_until: Mutex::new(None) }
    }

    /// Waits until a request of a conversation of so many turns may be sent. Nobody keeps a place while the
    /// endpoint wants to be left alone: others could use it.
    pub(super) async fn admit(&self, turns: u32) -> Admission {
        loop {
            self.wait_while_held().await;
            let admission = self.line_up(turns, None).await;
            if !self.is_held() {
                return admission;
            }
        }
    }

    /// Waits this long before another attempt, without giving up the place at the endpoint.
    pub(super) async fn admit_again(&self, admission: Admission, wait: Duration) -> Admission {
        let kept = admission.keep_place();
        sleep_until(Instant::now() + wait).await;
        self.wait_while_held().await;
        self.line_up(kept.wish.turns, Some(kept)).await
    }

    async fn line_up(&self, turns: u32, kept: Option<Admission>) -> Admission {
        let wish = Wish { lane: self.lane, target: self.target, turns, returns: kept.is_some() };
        let (sender, admitted) = oneshot::channel();
        let ticket = self.shared.change(|admissions| admissions.wait(wish, sender));
        let (shared, began) = (Arc::clone(&self.shared), Instant::now());
        let place = PlaceState::Waiting(ticket, admitted);
        let mut admission = Admission { shared, wish, began, place };
        admission.wait().await;
        if let Some(mut kept) = kept {
            // The new admission has its place from now on.
            kept.place = PlaceState::Over;
        }
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

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use futures_util::future::join_all;

    use super::*;

    /// The turns of a conversation, where that does not matter.
    const TURNS: u32 = 1;

    fn limiter(concurrency: Option<usize>, per_minute: Option<u32>) -> Limiter {
        Limiter::new(&limits(concurrency, per_minute).into())
    }

    fn limits(concurrency: Option<usize>, per_minute: Option<u32>) -> EndpointLimits {
        EndpointLimits {
            concurrency: concurrency.and_then(NonZeroUsize::new),
            per_minute: per_minute.and_then(NonZeroU32::new),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn targets_of_one_endpoint_share_its_limits_and_the_strictest_counts() {
        let shared = RunLimits::of(None).endpoint("", Some(NonZeroUsize::MIN));
        shared.agree(limits(Some(9), None));
        shared.agree(limits(Some(5), Some(2)));
        shared.agree(limits(None, Some(3)));
        let begin = Instant::now();
        let starts = join_all((0..5).map(|_| async {
            Limiter::new(&shared).admit(TURNS).await;
            begin.elapsed().as_secs()
        }));
        assert_eq!(starts.await, [0, 0, 60, 60, 120]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_target_that_is_told_to_wait_keeps_no_place_from_others() {
        let shared = SharedLimits::from(limits(Some(1), None));
        let (held, other) = (Limiter::new(&shared), Limiter::new(&shared));
        held.hold(Duration::from_secs(5));
        let begin = Instant::now();
        let waiting = async {
            held.admit(TURNS).await;
            begin.elapsed().as_secs()
        };
        let going_on = async {
            other.admit(TURNS).await;
            begin.elapsed().as_secs()
        };
        assert_eq!(tokio::join!(waiting, going_on), (5, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn no_minute_sees_more_starts_than_allowed() {
        let (limiter, begin) = (limiter(None, Some(2)), Instant::now());
        let starts = join_all((0..5).map(|_| async {
            limiter.admit(TURNS).await;
            begin.elapsed().as_secs()
        }));
        assert_eq!(starts.await, [0, 0, 60, 60, 120]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_is_free_again_when_its_exchange_ends() {
        let (limiter, begin) = (limiter(Some(2), None), Instant::now());
        let ends = join_all((0..4).map(|_| async {
            let _admission = limiter.admit(TURNS).await;
            tokio::time::sleep(Duration::from_secs(3)).await;
            begin.elapsed().as_secs()
        }));
        assert_eq!(ends.await, [3, 3, 6, 6]);
    }

    #[tokio::test(start_paused = true)]
    async fn without_limits_nothing_waits() {
        let (limiter, begin) = (limiter(None, None), Instant::now());
        join_all((0..100).map(|_| limiter.admit(TURNS))).await;
        assert_eq!(begin.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_held_endpoint_is_left_alone_by_all() {
        let (limiter, begin) = (limiter(Some(3), None), Instant::now());
        limiter.hold(Duration::from_secs(5));
        limiter.hold(Duration::from_secs(2));
        join_all((0..3).map(|_| limiter.admit(TURNS))).await;
        assert_eq!(begin.elapsed(), Duration::from_secs(5));
        limiter.admit(TURNS).await;
        assert_eq!(begin.elapsed(), Duration::from_secs(5));
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_stops_waiting_keeps_no_place() {
        let limiter = limiter(Some(1), None);
        let first = limiter.admit(TURNS).await;
        let mut second = Box::pin(limiter.admit(TURNS));
        assert!((&mut second).now_or_never().is_none());
        let mut third = Box::pin(limiter.admit(TURNS));
        assert!((&mut third).now_or_never().is_none());
        drop(first);
        // It was admitted, and nobody has told it yet.
        drop(second);
        let third = third.now_or_never().expect("its place is free");
        let again = limiter.admit_again(third, Duration::from_secs(1));
        assert!(again.now_or_never().is_none());
        assert!(limiter.admit(TURNS).now_or_never().is_some(), "the place was kept by nobody");
    }

    #[tokio::test(start_paused = true)]
    async fn an_endpoint_that_waits_to_be_tried_again_keeps_nothing_from_other_endpoints() {
        let run = RunLimits::of(NonZeroUsize::new(1));
        let [dead, fine] =
            ["a", "b"].map(|it| Limiter::new(&run.endpoint(it, NonZeroUsize::new(1))));
        let (long, begin) = (Duration::from_secs(60), Instant::now());
        let admission = dead.admit(TURNS).await;
        let again = async {
            let again = dead.admit_again(admission, long).await;
            (begin.elapsed(), again)
        };
        let others = async {
            fine.admit(TURNS).await;
            assert_eq!(begin.elapsed(), Duration::ZERO);
            assert!(dead.admit(TURNS).now_or_never().is_none(), "its place is kept");
        };
        let ((waited, _again), ()) = tokio::join!(again, others);
        assert_eq!(waited, long);
    }

    #[tokio::test(start_paused = true)]
    async fn endpoints_of_one_provider_share_its_limits() {
        let run = RunLimits::of(None);
        run.limit_provider("acme", limits(Some(2), None));
        let names = ["acme", "acme", "other"];
        let ends = names.map(|name| Limiter::new(&run.endpoint(name, None)));
        let begin = Instant::now();
        let hold = |limiter: &Limiter| {
            let admitted = limiter.admit(TURNS).now_or_never();
            admitted.is_some().then(|| std::mem::forget(admitted)).is_some()
        };
        let [first, second, other] = &ends;
        assert_eq!([first, second, first, second].map(hold), [true, true, false, false]);
        assert!(hold(other) && begin.elapsed().is_zero());
    }

    #[tokio::test(start_paused = true)]
    async fn targets_take_turns_and_the_longest_conversation_of_each_goes_first() {
        let shared = SharedLimits::from(limits(Some(1), None));
        let (many, few) = (Limiter::new(&shared), Limiter::new(&shared));
        let order = Mutex::new(Vec::new());
        let requests = [
            (&many, 1, "many 1"),
            (&many, 1, "many 2"),
            (&many, 3, "many, long"),
            (&few, 1, "few 1"),
            (&few, 2, "few, long"),
        ];
        join_all(requests.map(|(limiter, turns, name)| {
            let order = &order;
            async move {
                let _place = limiter.admit(turns).await;
                order.lock().unwrap().push(name);
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }))
        .await;
        let order = order.into_inner().unwrap();
        assert_eq!(order, ["many 1", "few, long", "many, long", "few 1", "many 2"]);
    }
}
