//! Judging recorded exchanges again.
//!
//! The suite, the conversations and the judges are those for an endpoint; only the transport is a
//! cassette. Nothing waits and nothing is random, so the same exchanges always give the same results.

use std::sync::Arc;

use serde_json::{Value, json};
use url::Url;

use crate::conversation::{Address, Client, ExchangeLog};
use crate::dialect::{Dialect, DialectId, EndpointError};
use crate::ir::Object;
use crate::probe::{self, Bench, Probe, Seed, SuiteOutcome};
use crate::profile::{Manner, Results, Subject, ThinkingSwitch, capabilities};
use crate::prompted::ToolDelivery;
use crate::target::{ADDRESS, MAX_TOKENS};
use crate::telemetry::TurnEvent;
use crate::transport::{
    Cassette, Nearest, RecordedExchange, SentRequest, SizeLimits, Transport, TransportError,
};

/// Stands for the host of simulated models. Nothing is ever sent there.
const SIMULATED_HOST: &str = "http://localhost";

/// What was asked of whom when the exchanges were settings.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedSettings {
    /// Who was asked.
    pub subject: Subject,
    /// In which dialect.
    pub dialect: DialectId,
    /// Further fields of every request.
    pub extra_body: Object,
    /// How thinking was switched, where that was known.
    pub thinking: Option<ThinkingSwitch>,
    /// Where the values of the trials came from.
    pub seed: u64,
    /// Trials of each case.
    pub trials: u32,
    /// What flags changed of how it was asked.
    pub manner: Manner,
}

/// What the exchanges show.
#[derive(Debug, Clone)]
pub(crate) struct Rejudgement {
    /// What each probe found.
    pub results: Results,
    /// The turns that were held as an agent would hold them.
    pub telemetry: Vec<TurnEvent>,
    /// The exchanges in the order they were asked for, those that were not recorded among them.
    pub exchanges: Vec<RecordedExchange>,
}

/// Why recorded exchanges cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum RejudgeError {
    /// Their endpoint is not a URL.
    #[error("the recorded endpoint '{endpoint}' is not a URL")]
    NotAUrl {
        /// The text in its place.
        endpoint: String,
        /// Why it is not one.
        source: url::ParseError,
    },
    /// The dialect has no call at this URL.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
}

/// Asks these probes of recorded exchanges.
pub(crate) async fn rejudge(
    settings: &RecordedSettings,
    probes: &[&Probe],
    cassette: Arc<Cassette>,
) -> Result<Rejudgement, RejudgeError> {
    rejudge_by(settings.dialect.codec(), settings, probes, cassette).await
}

/// The same with another implementation of the dialect.
pub(super) async fn rejudge_by(
    codec: &'static dyn Dialect,
    settings: &RecordedSettings,
    probes: &[&Probe],
    transport: Arc<dyn Transport>,
) -> Result<Rejudgement, RejudgeError> {
    let log = ExchangeLog::default();
    let address = Address {
        dialect: settings.dialect,
        base: base_url(&settings.subject.endpoint)?,
        model: settings.subject.model.clone(),
        headers: Vec::new(),
        extra: settings.extra_body.clone(),
        max_tokens: MAX_TOKENS,
        limit_field: None,
        limits: SizeLimits::default(),
    };
    let bench = Bench {
        client: Client::new(address, transport, log.clone())?.with_codec(codec),
        delivery: ToolDelivery::Native,
        replies: settings.manner.mode.first(),
        is_twin: false,
        seed: Seed::new(settings.seed),
        trials: settings.trials,
        first_trial: 0,
        thinking: settings.thinking.clone(),
        manner: settings.manner,
    };
    let SuiteOutcome { results, telemetry } = Box::pin(probe::run(&bench, probes, &())).await;
    Ok(Rejudgement { results, telemetry, exchanges: log.take().exchanges })
}

fn base_url(endpoint: &str) -> Result<Url, RejudgeError> {
    let text = if endpoint == ADDRESS { SIMULATED_HOST } else { endpoint };
    Url::parse(text)
        .map_err(|source| RejudgeError::NotAUrl { endpoint: endpoint.to_owned(), source })
}

impl Rejudgement {
    /// The requests that were not recorded, each with the one that is most like it.
    pub(crate) fn unrecorded(&self) -> impl Iterator<Item = (&SentRequest, Option<&Nearest>)> {
        self.exchanges.iter().filter_map(|exchange| match exchange.response() {
            Err(TransportError::NotRecorded { nearest }) => {
                Some((&exchange.request, nearest.as_deref()))
            }
            _ => None,
        })
    }
}

/// The results without their evidence: two sets of exchanges that show the same have the same
/// verdicts.
pub(crate) fn verdicts(results: &Results) -> Value {
    let mut value = json!({"capabilities": capabilities(results), "results": results});
    drop_evidence(&mut value);
    value
}

/// Removes every list of evidence.
pub(super) fn drop_evidence(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.shift_remove("evidence");
            fields.values_mut().for_each(drop_evidence);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_evidence),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use futures_util::FutureExt as _;
    use futures_util::future::BoxFuture;
    use tokio::time::{Instant, sleep};

    use super::*;
    use crate::probe::Suite;
    use crate::profile::Mode;
    use crate::replay::Transcript;
    use crate::transport::{Exchange, HttpCall, Judge, Playback};

    /// Recorded exchanges of an endpoint that is far away.
    struct Distant(Cassette);

    impl Transport for Distant {
        fn redact(&self, call: &HttpCall) -> SentRequest {
            self.0.redact(call)
        }

        fn send<'a>(&'a self, call: &'a HttpCall, judge: Judge<'a>) -> BoxFuture<'a, Exchange> {
            async move {
                sleep(Duration::from_millis(200)).await;
                self.0.send(call, judge).await
            }
            .boxed()
        }
    }

    /// How long a suite takes in a mode, where nothing takes time but the distance.
    async fn time(transcript: &Transcript, mode: Mode) -> Duration {
        let suite = Suite::embedded().unwrap();
        let probes: Vec<&Probe> = suite.select(transcript.suite).collect();
        let cassette = Cassette::new(transcript.exchanges(), Playback::AsRecorded);
        let recorded = transcript.settings();
        let manner = Manner { mode, ..recorded.manner };
        let settings = RecordedSettings { manner, ..recorded };
        let begin = Instant::now();
        let codec = settings.dialect.codec();
        rejudge_by(codec, &settings, &probes, Arc::new(Distant(cassette))).await.unwrap();
        begin.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_suite_with_streamed_twins_takes_hardly_longer_than_without() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts");
        for name in ["openai-native", "anthropic-native", "deepseek-v4-thinking", "ollama-native"] {
            let transcript = Transcript::read(&folder.join(format!("{name}.json"))).unwrap();
            let (plain, both) =
                (time(&transcript, Mode::Plain).await, time(&transcript, Mode::Both).await);
            assert!(plain >= Duration::from_millis(400), "{name}: {plain:?}");
            assert!(both.as_secs_f64() <= 1.3 * plain.as_secs_f64(), "{name}: {plain:?}, {both:?}");
        }
    }
}
