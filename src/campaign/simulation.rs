//! Whole runs on a paused clock: how long mixes of targets take, held against the shortest time that is possible.
//!
//! Conversations go through the transport that real ones go through, with its limits and retries; only the server
//! and the time are simulated.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use tokio::time::{Instant, sleep};

use super::lanes::Lanes;
use super::starts::{Starts, Waiting};
use super::tasks::{TaskEvent, Tasks};
use crate::transport::{
    Body, Exchange, HttpCall, HttpOutcome, Judge, Response, RetrySettings, Retrying, RunLimits,
    Scrubber, SentRequest, SharedLimits, Timing, Transport, by_status,
};

/// How much longer than possible a run may take.
const MARK: f64 = 1.1;

/// How long a request takes that nobody answers.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A server of a simulated endpoint.
#[derive(Debug)]
struct Server {
    latency: Duration,
    /// What it takes at the same time; more is refused with status 429.
    takes: usize,
    under_way: AtomicUsize,
    refused: AtomicUsize,
}

impl Server {
    fn new(latency_ms: u64, takes: usize) -> Arc<Self> {
        let latency = Duration::from_millis(latency_ms);
        let (under_way, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { latency, takes, under_way, refused })
    }

    async fn answer(&self) -> HttpOutcome {
        let before = self.under_way.fetch_add(1, Ordering::Relaxed);
        let answered = match before < self.takes {
            true if self.latency == TIMEOUT => (504, Vec::new(), self.latency),
            true => (200, Vec::new(), self.latency),
            false => (429, vec![("retry-after-ms".to_owned(), "50".to_owned())], Duration::ZERO),
        };
        let (status, headers, time) = answered;
        self.refused.fetch_add(usize::from(status == 429), Ordering::Relaxed);
        sleep(time).await;
        self.under_way.fetch_sub(1, Ordering::Relaxed);
        HttpOutcome::Answered(Response { status, headers, body: Body::Whole(String::new()) })
    }
}

struct Wire(Arc<Server>);

impl Transport for Wire {
    fn redact(&self, call: &HttpCall) -> SentRequest {
        SentRequest::redacted(call, &Scrubber::default())
    }

    fn send<'a>(&'a self, call: &'a HttpCall, _: Judge<'a>) -> BoxFuture<'a, Exchange> {
        async move { Exchange::single(self.redact(call), self.0.answer().await, Timing::default()) }
            .boxed()
    }
}

/// An endpoint with its targets, each a list of conversations, each a number of turns.
struct SimulatedEndpoint {
    server: Arc<Server>,
    /// What the user allows at the same time.
    limit: usize,
    targets: Vec<Vec<u32>>,
}

/// The conversations of a suite.
fn suite(times: usize) -> Vec<u32> {
    let once: [(u32, usize); 3] = [(1, 20), (2, 8), (3, 3)];
    let once = once.iter().flat_map(|(turns, count)| vec![*turns; *count]);
    once.collect::<Vec<_>>().repeat(times)
}

impl SimulatedEndpoint {
    fn new(latency_ms: u64, limit: usize, targets: Vec<Vec<u32>>) -> Self {
        Self { server: Server::new(latency_ms, usize::MAX), limit, targets }
    }

    fn taking(self, takes: usize) -> Self {
        let server = Server::new(u64::try_from(self.server.latency.as_millis()).unwrap(), takes);
        Self { server, ..self }
    }

    fn work(&self) -> f64 {
        let requests = self.targets.iter().flatten().sum::<u32>();
        self.server.latency.as_secs_f64() * f64::from(requests)
    }

    /// The shortest time in which all can be answered.
    fn bound(&self) -> f64 {
        let at_once = u32::try_from(self.limit.min(self.server.takes)).unwrap();
        let longest = self.targets.iter().flatten().max().copied().unwrap_or(0);
        let longest = self.server.latency.as_secs_f64() * f64::from(longest);
        (self.work() / f64::from(at_once)).max(longest)
    }
}

/// Holds the conversations of one target, and gives when it was over.
async fn hold(endpoint: Retrying<Wire>, conversations: Vec<u32>, begin: Instant) -> Duration {
    let conversation = async |turns: u32| {
        let url = "http://127.0.0.1:1/".parse().unwrap();
        let call = HttpCall { turns, ..HttpCall::get(url) };
        for _ in 0..turns {
            endpoint.send(&call, &by_status).await;
        }
    };
    join_all(conversations.into_iter().map(conversation)).await;
    begin.elapsed()
}

/// When the last target of each endpoint was over, in seconds.
async fn run(endpoints: &[SimulatedEndpoint], run: &RunLimits) -> Vec<f64> {
    let limits: Vec<SharedLimits> =
        endpoints.iter().map(|it| run.endpoint("", NonZeroUsize::new(it.limit))).collect();
    let mut targets = Vec::new();
    for (number, endpoint) in endpoints.iter().enumerate() {
        targets.extend(endpoint.targets.iter().map(|target| (number, target.clone())));
    }
    let waiting = |(place, (endpoint, target)): (usize, &(usize, Vec<u32>))| Waiting {
        place,
        endpoint: *endpoint,
        time: target.iter().map(|turns| u64::from(*turns)).sum(),
    };
    let waiting = targets.iter().enumerate().map(waiting).collect();
    let mut tasks = Tasks::new(Starts::new(waiting, 8), Lanes::here());
    let (begin, mut ends) = (Instant::now(), vec![0.0_f64; endpoints.len()]);
    loop {
        tasks.start(|place| {
            let (number, target) = &targets[place];
            let settings =
                RetrySettings { limits: limits[*number].clone(), ..RetrySettings::default() };
            let transport = Retrying::new(Wire(Arc::clone(&endpoints[*number].server)), settings);
            Some(hold(transport, target.clone(), begin))
        });
        match tasks.wait().await {
            TaskEvent::AllOver => return ends,
            TaskEvent::MoreRoom => {}
            TaskEvent::Ended((place, end)) => {
                let end_of = &mut ends[targets[place].0];
                *end_of = end_of.max(end.as_secs_f64());
            }
        }
    }
}

/// Runs a mix, and holds every endpoint against its own bound.
async fn assert_near_bounds(endpoints: &[SimulatedEndpoint]) {
    let ends = run(endpoints, &RunLimits::of(None)).await;
    for (end, endpoint) in ends.iter().zip(endpoints) {
        let bound = endpoint.bound();
        assert!(*end <= bound * MARK, "{end:.1} s, and {bound:.1} s are possible: {ends:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn many_small_targets_keep_an_endpoint_busy_to_the_end() {
    assert_near_bounds(&[SimulatedEndpoint::new(200, 8, vec![suite(1); 60])]).await;
}

#[tokio::test(start_paused = true)]
async fn one_target_takes_no_longer_than_its_requests_or_its_longest_conversation() {
    let mut long = vec![1; 58];
    long.push(8);
    assert_near_bounds(&[SimulatedEndpoint::new(200, 8, vec![long])]).await;
    assert_near_bounds(&[SimulatedEndpoint::new(200, 64, vec![suite(1)])]).await;
}

#[tokio::test(start_paused = true)]
async fn one_huge_target_is_begun_first() {
    let mut targets = vec![suite(1); 40];
    // One conversation after the other, as long as half of all the rest.
    targets.push(vec![120]);
    assert_near_bounds(&[SimulatedEndpoint::new(200, 8, targets)]).await;
}

#[tokio::test(start_paused = true)]
async fn two_endpoints_with_other_limits_and_speeds_do_not_wait_for_each_other() {
    let slow = SimulatedEndpoint::new(2000, 2, vec![suite(1); 20]);
    let fast = SimulatedEndpoint::new(100, 16, vec![suite(1); 40]);
    assert_near_bounds(&[slow, fast]).await;
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_refuses_is_asked_as_much_as_it_takes_and_no_other_is_slowed() {
    let throttled = SimulatedEndpoint::new(400, 16, vec![suite(1); 30]).taking(5);
    let free = SimulatedEndpoint::new(400, 16, vec![suite(1); 30]);
    let endpoints = [throttled, free];
    assert_near_bounds(&endpoints).await;
    let refused = endpoints[0].server.refused.load(Ordering::Relaxed);
    let requests = endpoints[0].targets.iter().flatten().sum::<u32>();
    assert!(refused * 20 < usize::try_from(requests).unwrap(), "{refused} of {requests} refused");
}

#[tokio::test(start_paused = true)]
async fn a_dead_endpoint_keeps_nothing_from_the_others() {
    let dead = || SimulatedEndpoint::new(60_000, 8, vec![suite(1); 20]);
    let fine = SimulatedEndpoint::new(200, 8, vec![suite(1); 30]);
    let endpoints: Vec<SimulatedEndpoint> = (0..12).map(|_| dead()).chain([fine]).collect();
    let ends = run(&endpoints, &RunLimits::of(NonZeroUsize::new(200))).await;
    let (end, bound) = (ends[12], endpoints[12].bound());
    assert!(end <= bound * MARK, "{end:.1} s, and {bound:.1} s are possible");
}

#[tokio::test(start_paused = true)]
async fn a_limit_over_all_endpoints_is_used_up_whichever_they_are() {
    let endpoints = [100, 200, 400].map(|ms| SimulatedEndpoint::new(ms, 16, vec![suite(1); 20]));
    let ends = run(&endpoints, &RunLimits::of(NonZeroUsize::new(12))).await;
    let end = ends.iter().copied().fold(0.0, f64::max);
    let bound = endpoints.iter().map(SimulatedEndpoint::work).sum::<f64>() / 12.0;
    assert!(end <= bound * MARK, "{end:.1} s, and {bound:.1} s are possible");
}
