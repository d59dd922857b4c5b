//! Retry decisions: whether a request is sent again, and after which wait.
//!
//! Pure: outcome, policy, wall clock and jitter come in, a decision goes out. The loop that follows
//! it is in `retrying`.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::error::{CloseStage, TransportError};
use super::exchange::{HttpOutcome, Response};
use super::timeouts::Phase;

/// Statuses that may be different a moment later. 498 is Groq's full queue, 529 Anthropic's
/// overload, 520 to 524 a gateway that cannot reach what stands behind it.
const TRANSIENT_STATUSES: &[u16] =
    &[408, 409, 429, 498, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529];

/// Statuses that say that the endpoint is asked too much, by this client or by all.
const TOO_MUCH_STATUSES: &[u16] = &[429, 498, 529];

/// Words in an error's code, type, status or quota name against which waiting does not help.
const EXHAUSTED_WORDS: &[&str] = &["insufficient_quota", "billing", "perday", "per_day"];

/// The fields that are searched for such words. Messages are not: per-minute limits mention billing
/// there too.
const CODE_KEYS: &[&str] = &["code", "type", "status", "reason", "quotaId", "quotaMetric"];

/// How often and how long a request is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The most attempts, the first included.
    pub max_attempts: u32,
    /// The wait before the second attempt, four times as long before each further one: most failures are
    /// over at once, and the others take their time.
    pub base: Duration,
    /// The longest wait that the server did not ask for.
    pub cap: Duration,
    /// The longest sum of all waits of an exchange. A server that asks for more gets no further
    /// attempt.
    pub max_waited: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 4,
            base: Duration::from_millis(125),
            cap: Duration::from_secs(8),
            max_waited: Duration::from_secs(90),
        }
    }
}

/// Whether the content of a response allows a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Judgement {
    /// Status and headers decide.
    #[default]
    ByStatus,
    /// The reply failed in a way that may pass: an `overloaded_error` inside a stream, an end of
    /// the stream before its terminal event.
    Transient,
    /// The reply is what was asked for or a finding, whatever the status says.
    Final,
}

/// The attempts made so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct RetryProgress {
    /// How many attempts count against the policy.
    pub(super) attempts: u32,
    /// Whether the free attempt on a fresh connection was used.
    pub(super) reconnected: bool,
    /// How long all waits between attempts were.
    pub(super) waited: Duration,
}

/// What an outcome says about trying again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RetryFacts {
    pub(super) outlook: RetryOutlook,
    /// How long the server asked to wait.
    pub(super) asked: Option<Duration>,
    pub(super) load: EndpointLoad,
}

/// What an outcome says about how much the endpoint is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndpointLoad {
    /// Too much: it refused for that reason.
    Refused,
    /// It took the request.
    Taken,
    Unknown,
}

impl EndpointLoad {
    fn of(response: &Response) -> Self {
        match response.status {
            status if TOO_MUCH_STATUSES.contains(&status) => Self::Refused,
            200..=299 | 400 | 422 => Self::Taken,
            _ => Self::Unknown,
        }
    }
}

/// Whether another attempt may end differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RetryOutlook {
    /// The failure may be gone a moment later.
    MaySucceed,
    /// The server had already closed the kept-alive connection, so it never saw the request.
    StaleConnection,
    /// Another attempt would end the same way, or none is needed.
    Pointless,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RetryDecision {
    Retry { after: Duration, progress: RetryProgress },
    Stop,
}

/// Decides after an attempt has ended. `jitter` is in `0..1` and shortens a wait by up to a quarter,
/// unless the server asked for it.
pub(super) fn decide(
    progress: RetryProgress,
    facts: RetryFacts,
    policy: &RetryPolicy,
    jitter: f64,
) -> RetryDecision {
    let counted = RetryProgress { attempts: progress.attempts + 1, ..progress };
    match facts.outlook {
        RetryOutlook::Pointless => RetryDecision::Stop,
        RetryOutlook::StaleConnection if !progress.reconnected => RetryDecision::Retry {
            after: Duration::ZERO,
            progress: RetryProgress { reconnected: true, ..progress },
        },
        RetryOutlook::MaySucceed | RetryOutlook::StaleConnection => {
            let after = facts.asked.unwrap_or_else(|| backoff(counted.attempts, policy, jitter));
            let waited = progress.waited.saturating_add(after);
            if counted.attempts >= policy.max_attempts || waited > policy.max_waited {
                return RetryDecision::Stop;
            }
            RetryDecision::Retry { after, progress: RetryProgress { waited, ..counted } }
        }
    }
}

fn backoff(attempts: u32, policy: &RetryPolicy, jitter: f64) -> Duration {
    let before = attempts.saturating_sub(1).min(8);
    let wait = policy.base.saturating_mul(4_u32.pow(before)).min(policy.cap);
    wait.mul_f64(1.0 - jitter.clamp(0.0, 1.0) / 4.0)
}

impl RetryFacts {
    pub(super) fn of(outcome: &HttpOutcome, judgement: Judgement, now: DateTime<Utc>) -> Self {
        match outcome {
            HttpOutcome::Answered(response) => Self {
                outlook: outlook_of_response(response, judgement),
                asked: asked_wait(response, now),
                load: EndpointLoad::of(response),
            },
            HttpOutcome::Failed { error, .. } => {
                let (outlook, load) = (outlook_of_error(error), EndpointLoad::Unknown);
                Self { outlook, asked: None, load }
            }
        }
    }
}

fn outlook_of_response(response: &Response, judgement: Judgement) -> RetryOutlook {
    let says = response.header("x-should-retry").map(str::trim);
    let transient = match (judgement, says) {
        (Judgement::Final, _) | (Judgement::ByStatus, Some("false")) => false,
        (Judgement::Transient, _) | (Judgement::ByStatus, Some("true")) => true,
        (Judgement::ByStatus, _) => TRANSIENT_STATUSES.contains(&response.status),
    };
    if transient && !is_exhausted(response) {
        RetryOutlook::MaySucceed
    } else {
        RetryOutlook::Pointless
    }
}

/// A timeout on an open connection is not tried again: that would wait as long once more.
fn outlook_of_error(error: &TransportError) -> RetryOutlook {
    match error {
        TransportError::Closed { stage: CloseStage::BeforeReplyReused, .. } => {
            RetryOutlook::StaleConnection
        }
        TransportError::Closed { .. }
        | TransportError::Connect { .. }
        | TransportError::Dns { .. }
        | TransportError::Timeout { phase: Phase::Connect, .. } => RetryOutlook::MaySucceed,
        TransportError::Timeout { .. }
        | TransportError::Tls { .. }
        | TransportError::NotHttp { .. }
        | TransportError::TooLarge { .. }
        | TransportError::NotUtf8 { .. }
        | TransportError::Decompression { .. }
        | TransportError::NotTheFraming { .. }
        | TransportError::Redirect { .. }
        | TransportError::GivenUp { .. }
        | TransportError::InvalidHeader { .. }
        | TransportError::Budget { .. }
        | TransportError::TokenBudget { .. }
        | TransportError::CostBudget { .. }
        | TransportError::Stopped
        | TransportError::NotRecorded { .. }
        | TransportError::Other { .. } => RetryOutlook::Pointless,
    }
}

/// Whether a quota is used up for the day, or a bill is not paid.
fn is_exhausted(response: &Response) -> bool {
    !response.is_success() && response.json().is_ok_and(|body| has_exhausted_code(&body))
}

fn has_exhausted_code(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.iter().any(|(key, value)| {
            let names_a_code = CODE_KEYS.contains(&key.as_str());
            names_a_code && value.as_str().is_some_and(is_exhausted_word)
                || has_exhausted_code(value)
        }),
        Value::Array(items) => items.iter().any(has_exhausted_code),
        _ => false,
    }
}

fn is_exhausted_word(code: &str) -> bool {
    let code = code.to_ascii_lowercase();
    EXHAUSTED_WORDS.iter().any(|word| code.contains(word))
}

/// Reads `retry-after-ms`, else `retry-after` in seconds or as a date. A date in the past is a wait
/// of zero; anything else is ignored.
fn asked_wait(response: &Response, now: DateTime<Utc>) -> Option<Duration> {
    let number = |name, unit: f64| {
        let value: f64 = response.header(name)?.trim().parse().ok()?;
        Duration::try_from_secs_f64(value * unit).ok()
    };
    number("retry-after-ms", 0.001).or_else(|| number("retry-after", 1.0)).or_else(|| {
        let date = DateTime::parse_from_rfc2822(response.header("retry-after")?.trim()).ok()?;
        Some((date.with_timezone(&Utc) - now).to_std().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::super::exchange::Body;
    use super::*;

    fn answered(status: u16, headers: &[(&str, &str)], body: &str) -> HttpOutcome {
        let header = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let headers = headers.iter().map(header).collect();
        HttpOutcome::Answered(Response { status, headers, body: Body::Whole(body.to_owned()) })
    }

    fn failed(error: TransportError) -> HttpOutcome {
        HttpOutcome::Failed { error, partial: None }
    }

    fn now() -> DateTime<Utc> {
        DateTime::parse_from_rfc3339("2026-11-15T12:00:00Z").unwrap().to_utc()
    }

    fn facts(outcome: &HttpOutcome) -> RetryFacts {
        RetryFacts::of(outcome, Judgement::ByStatus, now())
    }

    /// The wait before the next attempt after `attempts` attempts, without jitter.
    fn wait(outcome: &HttpOutcome, attempts: u32) -> Option<Duration> {
        let progress = RetryProgress { attempts: attempts - 1, ..RetryProgress::default() };
        match decide(progress, facts(outcome), &RetryPolicy::default(), 0.0) {
            RetryDecision::Retry { after, .. } => Some(after),
            RetryDecision::Stop => None,
        }
    }

    #[test]
    fn transient_statuses_are_tried_again_and_others_are_not() {
        for status in [408, 409, 429, 498, 500, 502, 503, 504, 529] {
            assert_eq!(
                facts(&answered(status, &[], "")).outlook,
                RetryOutlook::MaySucceed,
                "{status}"
            );
        }
        for status in [200, 400, 401, 402, 403, 404, 413, 422, 501] {
            assert_eq!(
                facts(&answered(status, &[], "")).outlook,
                RetryOutlook::Pointless,
                "{status}"
            );
        }
    }

    #[test]
    fn an_exhausted_quota_is_not_waited_for() {
        let bodies = [
            r#"{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            r#"{"type":"error","error":{"type":"billing_error","message":"m"}}"#,
            r#"[{"error":{"code":429,"details":[{"violations":[{"quotaId":"RequestsPerDay"}]}]}}]"#,
        ];
        for body in bodies {
            let outcome = answered(429, &[("x-should-retry", "true")], body);
            assert_eq!(facts(&outcome).outlook, RetryOutlook::Pointless, "{body}");
        }
        let per_minute =
            r#"{"error":{"message":"check your billing","code":"rate_limit_exceeded"}}"#;
        assert_eq!(facts(&answered(429, &[], per_minute)).outlook, RetryOutlook::MaySucceed);
    }

    #[test]
    fn the_server_may_say_whether_to_retry() {
        let says = |status, word| facts(&answered(status, &[("x-should-retry", word)], "")).outlook;
        assert_eq!(says(500, "false"), RetryOutlook::Pointless);
        assert_eq!(says(400, "true"), RetryOutlook::MaySucceed);
        assert_eq!(says(500, "perhaps"), RetryOutlook::MaySucceed);
    }

    #[test]
    fn the_reader_of_a_reply_has_the_last_word() {
        let judged = |status, judgement| {
            RetryFacts::of(&answered(status, &[], ""), judgement, now()).outlook
        };
        assert_eq!(judged(200, Judgement::Transient), RetryOutlook::MaySucceed);
        assert_eq!(judged(500, Judgement::Final), RetryOutlook::Pointless);
    }

    #[test]
    fn waits_that_a_server_asks_for_are_kept_exactly() {
        let cases = [
            (("retry-after", "7"), 7_000),
            (("retry-after", "0"), 0),
            (("retry-after", "1.5"), 1_500),
            (("retry-after-ms", "250"), 250),
            (("retry-after", "Sun, 15 Nov 2026 12:00:09 GMT"), 9_000),
            (("retry-after", "Sun, 15 Nov 2026 11:00:00 GMT"), 0),
        ];
        for (header, expected) in cases {
            let waited = wait(&answered(429, &[header], ""), 1);
            assert_eq!(waited, Some(Duration::from_millis(expected)), "{header:?}");
        }
        let both = [("retry-after", "9"), ("retry-after-ms", "100")];
        assert_eq!(wait(&answered(429, &both, ""), 1), Some(Duration::from_millis(100)));
    }

    #[test]
    fn nonsense_asks_for_nothing() {
        for value in ["soon", "-5", "NaN", "1e400", ""] {
            let waited = wait(&answered(429, &[("retry-after", value)], ""), 1);
            assert_eq!(waited, Some(Duration::from_millis(125)), "{value}");
        }
    }

    #[test]
    fn a_wait_that_would_pass_the_limit_is_not_begun() {
        let limited = |seconds| answered(429, &[("retry-after", seconds)], "");
        assert_eq!(wait(&limited("3600"), 1), None);
        let waited = Duration::from_secs(60);
        let progress = RetryProgress { attempts: 1, waited, ..RetryProgress::default() };
        let decision = decide(progress, facts(&limited("40")), &RetryPolicy::default(), 0.0);
        assert_eq!(decision, RetryDecision::Stop);
    }

    #[test]
    fn waits_grow_fourfold_up_to_the_cap_and_attempts_end() {
        let waits = |max_attempts| {
            let policy = RetryPolicy { max_attempts, ..RetryPolicy::default() };
            let (mut progress, mut waits) = (RetryProgress::default(), Vec::new());
            let facts = facts(&answered(500, &[], ""));
            while let RetryDecision::Retry { after, progress: next } =
                decide(progress, facts, &policy, 0.0)
            {
                progress = next;
                waits.push(after.as_millis());
            }
            waits
        };
        assert_eq!(waits(4), [125, 500, 2000]);
        assert_eq!(waits(8), [125, 500, 2000, 8000, 8000, 8000, 8000]);
        assert_eq!(waits(1), [0_u128; 0]);
    }

    #[test]
    fn jitter_shortens_a_wait_by_up_to_a_quarter() {
        let policy = RetryPolicy::default();
        let wait = |jitter| backoff(1, &policy, jitter).as_millis();
        assert_eq!((wait(0.0), wait(0.5), wait(1.0), wait(9.0)), (125, 109, 93, 93));
    }

    #[test]
    fn a_stale_connection_gets_one_free_attempt_at_once() {
        let stage = CloseStage::BeforeReplyReused;
        let facts = facts(&failed(TransportError::Closed { stage, detail: String::new() }));
        let policy = RetryPolicy { max_attempts: 1, ..RetryPolicy::default() };
        let first = decide(RetryProgress::default(), facts, &policy, 0.0);
        let progress = RetryProgress { reconnected: true, ..RetryProgress::default() };
        assert_eq!(first, RetryDecision::Retry { after: Duration::ZERO, progress });
        assert_eq!(decide(progress, facts, &policy, 0.0), RetryDecision::Stop);
    }

    #[test]
    fn broken_connections_are_tried_again_and_reached_limits_are_not() {
        let detail = String::new;
        let timeout = |phase| failed(TransportError::Timeout { phase, limit_ms: 1 });
        let closed = |stage| failed(TransportError::Closed { stage, detail: detail() });
        for outcome in [
            failed(TransportError::Connect { detail: detail() }),
            closed(CloseStage::BeforeReply),
            closed(CloseStage::MidBody),
            timeout(Phase::Connect),
        ] {
            assert_eq!(facts(&outcome).outlook, RetryOutlook::MaySucceed, "{outcome:?}");
        }
        for outcome in [
            timeout(Phase::FirstByte),
            timeout(Phase::Idle),
            timeout(Phase::Total),
            failed(TransportError::NotUtf8 { offset: 0 }),
            failed(TransportError::Budget { limit: 1 }),
        ] {
            assert_eq!(facts(&outcome).outlook, RetryOutlook::Pointless, "{outcome:?}");
        }
    }
}
