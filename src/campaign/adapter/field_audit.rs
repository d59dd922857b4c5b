//! The field audit of an adapter: each field is sent through it, and what arrived upstream is read.

use futures_util::StreamExt as _;
use futures_util::stream;
use serde_json::Value;
use url::Url;

use super::upstream::{Upstream, UpstreamError};
use crate::audit::{Field, Passage, baseline, question};
use crate::conversation::excerpt;
use crate::dialect::{ApiError, call_url};
use crate::ir::Digest;
use crate::sim::Arrival;
use crate::target::{Access, Connection, DiscoverError, discover};
use crate::transport::{HttpCall, by_status};

/// Requests at the same time.
const AT_ONCE: usize = 8;

/// How much of a refusal is shown.
const SHOWN: usize = 240;

/// Why an adapter cannot be audited for a model.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuditError {
    /// It speaks no dialect that is known.
    #[error(transparent)]
    Discover(#[from] DiscoverError),
    /// Its upstream cannot be seen.
    #[error("{0}; start `toolprobe sim` and make its address the gateway's upstream")]
    Upstream(#[from] UpstreamError),
    /// A request without any field of the catalogue does not get through.
    #[error("a plain request for '{model}' does not reach the simulator: {said}")]
    Baseline {
        /// The model's name at the adapter.
        model: String,
        /// What the adapter said.
        said: String,
    },
}

/// How one model's requests went through the adapter.
pub(crate) struct FieldPassages {
    pub(crate) access: Access,
    /// The request without any field of the catalogue.
    pub(crate) baseline: Passage,
    /// One for each field, in their order.
    pub(crate) fields: Vec<Passage>,
}

/// Sends every field that the dialect of the adapter has. The simulator behind it is at the address
/// that was given, or is asked through the adapter.
pub(crate) async fn audit_fields<'a>(
    through: &Connection,
    given: Option<&Url>,
    fields: impl Fn(&Access) -> &'a [Field],
) -> Result<FieldPassages, AuditError> {
    let access = discover(through).await?.access;
    let model = &through.target.model;
    let upstream = match given {
        Some(url) => Upstream::at(url.clone())?,
        None => Upstream::find(through, &access, &nonce(model, "where")).await?,
    };
    let before = upstream.latest().await?;
    let plain = nonce(model, "baseline");
    let first = Sent { body: baseline(access.dialect, model, &plain, false), nonce: plain };
    let mut sent = vec![first];
    sent.extend(fields(&access).iter().map(|field| {
        let nonce = nonce(model, &field.name);
        Sent { body: question(access.dialect, model, &nonce, field), nonce }
    }));
    let answers = stream::iter(&sent).map(|sent| send(through, &access, &sent.body));
    let answers: Vec<String> = answers.buffered(AT_ONCE).collect().await;
    let arrivals = upstream.arrivals(before).await?;
    let passages = sent.into_iter().zip(answers);
    let mut passages = passages.map(|(sent, said)| passage(&access, sent, said, &arrivals));
    let Some(baseline) = passages.next() else {
        return Err(AuditError::Baseline { model: model.clone(), said: String::new() });
    };
    if let Err(said) = &baseline.arrived {
        return Err(AuditError::Baseline { model: model.clone(), said: said.clone() });
    }
    let fields = passages.collect();
    Ok(FieldPassages { access, baseline, fields })
}

/// A request, and the word that no other request holds.
struct Sent {
    body: Value,
    nonce: String,
}

fn nonce(model: &str, about: &str) -> String {
    let digest = Digest::of(format!("{model}\0{about}"));
    let word: String = digest.hex().chars().take(12).collect();
    format!("n{word}")
}

/// Sends a body as it is, and gives what came back in words.
async fn send(through: &Connection, access: &Access, body: &Value) -> String {
    let target = &through.target;
    let url = match call_url(access.dialect, &access.base_url, &target.model, false) {
        Ok(url) => url,
        Err(error) => return error.to_string(),
    };
    let call = HttpCall::post(url, body.clone());
    let call = target.endpoint.dress(call, access, &through.credentials);
    let exchange = through.transport.send(&call, &by_status).await;
    match exchange.response() {
        Ok(response) if response.is_success() => "answered without asking the upstream".to_owned(),
        Ok(response) => {
            let error = ApiError::from_response(response.status, Vec::new(), &response.text());
            excerpt(&format!("HTTP {}: {}", response.status, error.message), SHOWN)
        }
        Err(error) => error.to_string(),
    }
}

fn passage(access: &Access, sent: Sent, said: String, arrivals: &[Arrival]) -> Passage {
    let Sent { body, nonce } = sent;
    let arrived = arrivals.iter().find(|arrival| arrival.body.contains(&nonce));
    let read = arrived.and_then(|arrival| {
        Some((arrival.dialect, serde_json::from_str::<Value>(&arrival.body).ok()?))
    });
    Passage { dialect: access.dialect, sent: body, nonce, arrived: read.ok_or(said) }
}
