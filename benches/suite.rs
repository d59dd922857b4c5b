//! Does a suite take the time of its longest conversation?
//!
//! Every request is held back as a distant endpoint would; the ratio is the time of the whole suite
//! to that of the longest chain of turns in it, which nothing could shorten. The last column holds the
//! modes against `plain`: streamed twins may cost requests, but hardly time (at most 1.3 is the aim).

#![expect(clippy::print_stdout, reason = "a bench reports on stdout")]
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on has failed")]

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use chrono::DateTime;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;
use toolprobe::campaign::{RunSettings, probe_target};
use toolprobe::probe::{Suite, SuiteName};
use toolprobe::profile::{Manner, Mode};
use toolprobe::sim::{Fleet, Options, Sim};
use toolprobe::target::{Defaults, connect, simulated};
use toolprobe::transport::{Budget, Exchange, HttpCall, Judge, SentRequest, Transport};

const LATENCY: Duration = Duration::from_millis(200);

/// Tools as they should be in every dialect, reasoning that must come back, and a protocol that must be
/// taught; with the row of the table that `ci/bench` prints, where there is one.
const MODELS: [(&str, Option<&str>); 7] = [
    ("openai-native", Some("suite-native")),
    ("anthropic-native", None),
    ("responses-native", None),
    ("gemini-native", None),
    ("ollama-native", None),
    ("deepseek-v4-thinking", Some("suite-reasoning")),
    ("taught-tool-call", Some("suite-taught")),
];

/// A transport to an endpoint that is far away.
struct Distant {
    inner: Arc<dyn Transport>,
    longest: AtomicU32,
}

impl Transport for Distant {
    fn redact(&self, call: &HttpCall) -> SentRequest {
        self.inner.redact(call)
    }

    fn send<'a>(&'a self, call: &'a HttpCall, judge: Judge<'a>) -> BoxFuture<'a, Exchange> {
        self.longest.fetch_max(turns(call.body.as_deref()), Ordering::Relaxed);
        async move {
            tokio::time::sleep(LATENCY).await;
            self.inner.send(call, judge).await
        }
        .boxed()
    }
}

/// Which turn of its conversation a request is: one more than there are rows of the model's own items.
fn turns(body: Option<&Value>) -> u32 {
    let list = |key: &&str| body.and_then(|body| body.get(key)?.as_array());
    let history = ["messages", "input", "contents"].iter().find_map(list);
    let is_of_model = |item: &Value| {
        let says = |key: &str, words: &[&str]| {
            item.get(key).and_then(Value::as_str).is_some_and(|word| words.contains(&word))
        };
        says("role", &["assistant", "model"]) || says("type", &["function_call", "reasoning"])
    };
    let spoke: Vec<bool> = history.into_iter().flatten().map(is_of_model).collect();
    let rows = spoke.chunk_by(|one, next| one == next).filter(|row| row.contains(&true)).count();
    u32::try_from(rows).unwrap() + 1
}

#[tokio::main]
async fn main() {
    println!(
        "{:<24} {:>6} {:>9} {:>9} {:>7} {:>9}",
        "model", "mode", "turns", "suite", "ratio", "to plain"
    );
    for (model, row) in MODELS {
        let (mut plain, mut worst) = (None, 0.0_f64);
        for mode in [Mode::Plain, Mode::Stream, Mode::Both] {
            let (turns, took) = probed(model, mode).await;
            let seconds = took.as_secs_f64();
            let ratio = seconds / (LATENCY * turns).as_secs_f64();
            worst = worst.max(ratio);
            let to_plain = seconds / *plain.get_or_insert(seconds);
            let (mode, millis) = (mode.as_str(), took.as_millis());
            println!(
                "{model:<24} {mode:>6} {turns:>9} {millis:>6} ms {ratio:>7.2} {to_plain:>9.2}"
            );
        }
        if let Some(row) = row {
            println!("measured {row} {worst:.3}");
        }
    }
}

/// The turns of the longest conversation, and the time of the whole suite.
async fn probed(model: &str, mode: Mode) -> (u32, Duration) {
    let fleet = Fleet::embedded().unwrap();
    let running = Sim::start(fleet.clone(), "127.0.0.1:0", Options::default()).await.unwrap();
    let mut target =
        simulated(fleet.get(model).unwrap(), &running.base_url(), &Defaults::default()).unwrap();
    target.endpoint.limits.concurrency = NonZeroUsize::new(512);
    let mut connection = connect(target, &|_| None, &Arc::new(Budget::unlimited())).unwrap();
    let distant = Arc::new(Distant { inner: connection.transport, longest: AtomicU32::new(0) });
    connection.transport = distant.clone();
    let suite = Suite::embedded().unwrap().in_manner(Manner { mode, ..Manner::default() });
    let verified_at = DateTime::UNIX_EPOCH;
    let settings =
        RunSettings { suite, name: SuiteName::Standard, trials: 3, seed: 1, verified_at };
    let begin = Instant::now();
    probe_target(&connection, &settings, &()).await.unwrap();
    (distant.longest.load(Ordering::Relaxed), begin.elapsed())
}
