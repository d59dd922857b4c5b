//! Diagnosis: why an endpoint gave no verdict at all, in one sentence with the remedy.
//!
//! Most endpoints that answer nothing are not broken: the model's name, the port, the scheme or the
//! path has a typing error, or a login page stands in front.

use std::time::Duration;

use tokio::time::timeout;
use url::Url;

use crate::dialect::ApiError;
use crate::suggest::did_you_mean;
use crate::target::{Access, Connection, KeyFrom};
use crate::transport::{
    HttpCall, HttpOutcome, RecordedExchange, Response, TransportError, by_status, is_loopback,
};

/// How long the other scheme is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many names of models are shown where none is like the wrong one.
const SHOWN_MODELS: usize = 5;

/// What else may be the cause where an endpoint is not on this machine.
const PROXY: &str = ", or of the proxy that http_proxy, https_proxy or all_proxy names";

/// The words by which servers say that they expect TLS on this port.
const WANTS_TLS: [&str; 3] = ["https server", "https port", "ssl-enabled server"];

/// Why nothing was learned from these exchanges, where it is one of the mistakes that are known.
/// Asks the endpoint for its list of models, or at its other scheme, where that tells more.
pub(super) async fn diagnose(
    connection: &Connection,
    exchanges: &[RecordedExchange],
) -> Option<String> {
    let access = connection.target.endpoint.accesses.first()?;
    let sent =
        exchanges.iter().filter(|it| !matches!(it.response(), Err(error) if is_unsent(error)));
    let (mut failures, mut answers) = (Vec::new(), 0_usize);
    for exchange in sent {
        if is_failure(exchange) { failures.push(exchange) } else { answers += 1 }
    }
    let telling = failures.iter().find(|it| it.response().is_ok()).or(failures.first());
    match (&telling?.outcome, answers) {
        (_, 1..) => None,
        (HttpOutcome::Answered(response), 0) => of_response(connection, access, response).await,
        (HttpOutcome::Failed { error, partial }, 0) => {
            of_error(connection, access, error, partial.as_ref()).await
        }
    }
}

fn is_unsent(error: &TransportError) -> bool {
    matches!(
        error,
        TransportError::GivenUp { .. }
            | TransportError::Budget { .. }
            | TransportError::TokenBudget { .. }
            | TransportError::CostBudget { .. }
            | TransportError::Stopped
    )
}

fn is_failure(exchange: &RecordedExchange) -> bool {
    exchange.response().map_or(true, |it| !it.is_success() || read(it).is_page())
}

fn read(response: &Response) -> ApiError {
    ApiError::from_response(response.status, Vec::new(), &response.text())
}

async fn of_response(
    connection: &Connection,
    access: &Access,
    response: &Response,
) -> Option<String> {
    let (error, url) = (read(response), describe_url(&access.base_url));
    let said = describe_error(&error);
    let lower = error.body.to_lowercase();
    if access.base_url.scheme() == "http" && WANTS_TLS.iter().any(|words| lower.contains(words)) {
        return Some(other_scheme(&access.base_url));
    }
    if error.is_page() {
        return Some(format!(
            "{url} answers with a web page ({said}), not with the protocol of a model{}; give the \
             URL of the API, and sign in to whatever stands in front of it",
            tried_dialects(connection)
        ));
    }
    match error.status {
        401 | 403 => Some(match &connection.target.endpoint.key {
            KeyFrom::Env(name) => {
                format!("{url} refuses the key in {name} ({said}); check that it is the right one")
            }
            KeyFrom::Nowhere | KeyFrom::Missing(_) => format!(
                "{url} wants a key ({said}); name the environment variable that holds it with \
                 --api-key-env, or with api_key_env in toolprobe.toml"
            ),
        }),
        402 | 408 | 429 => None,
        404 => Some(match wrong_model(connection, &url).await {
            Some(sentence) => sentence,
            None if error.message.to_lowercase().contains("model") => {
                format!("no model '{}' at {url} ({said}); check its name", connection.target.model)
            }
            None => format!(
                "no model is served at {url}{} ({said}); check the path: it is the base that the \
                 provider's SDK takes, such as http://host/v1",
                tried_dialects(connection)
            ),
        }),
        _ if lower.contains("model") => wrong_model(connection, &url).await,
        _ => None,
    }
}

/// The sentence about a model that the endpoint does not list.
async fn wrong_model(connection: &Connection, url: &str) -> Option<String> {
    let wanted = connection.target.model.as_str();
    let offered = connection.offered_models().await.filter(|offered| !offered.is_empty())?;
    if is_offered(&offered, wanted) {
        return None;
    }
    let meant = did_you_mean(wanted, offered.iter().map(String::as_str));
    let hint =
        if meant.is_empty() { format!("; it offers {}", list_names(&offered)) } else { meant };
    Some(format!("no model '{wanted}' at {url}{hint}"))
}

/// Whether a list of models has this one. Ollama adds a tag to names that were given without.
pub(crate) fn is_offered(offered: &[String], wanted: &str) -> bool {
    offered.iter().any(|name| name == wanted || name.strip_suffix(":latest") == Some(wanted))
}

fn list_names(names: &[String]) -> String {
    let first: Vec<&str> = names.iter().take(SHOWN_MODELS).map(String::as_str).collect();
    match names.len().saturating_sub(SHOWN_MODELS) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

async fn of_error(
    connection: &Connection,
    access: &Access,
    error: &TransportError,
    partial: Option<&Response>,
) -> Option<String> {
    let url = &access.base_url;
    match error {
        TransportError::Tls { .. }
        | TransportError::NotHttp { .. }
        | TransportError::Closed { .. }
            if partial.is_none() && speaks_other_scheme(connection, url).await =>
        {
            Some(other_scheme(url))
        }
        _ => explain_failure(url, error),
    }
}

/// The sentence about a connection that gave nothing, where it is known what is wrong.
fn explain_failure(url: &Url, error: &TransportError) -> Option<String> {
    let (host, shown) = (url.host_str().unwrap_or_default(), describe_url(url));
    let place = format!("{host}:{}", url.port_or_known_default().unwrap_or_default());
    Some(match error {
        TransportError::Connect { detail } if detail.contains("refused") => {
            let proxy = if is_loopback(url) { "" } else { PROXY };
            format!(
                "nothing listens at {place}; start the server, or correct host and port of {shown}{proxy}"
            )
        }
        TransportError::Dns { .. } => format!(
            "the host name '{host}' has no address; check its spelling in {shown}, and the network"
        ),
        TransportError::Tls { detail } if detail.contains("certificate") => format!(
            "the certificate of {place} is not trusted ({detail}); let SSL_CERT_FILE name a file with the \
             certificate of its authority"
        ),
        TransportError::NotHttp { .. } => not_http(&place, &shown),
        TransportError::Other { detail } if detail.contains("unexpected message") => {
            not_http(&place, &shown)
        }
        _ => return None,
    })
}

fn not_http(place: &str, url: &str) -> String {
    format!("what listens at {place} does not speak HTTP; correct the port of {url}")
}

/// Whether the port answers where https is written http, or the other way round. No credential is
/// sent, and the path is another one: the transport may have given up on the endpoint's own.
async fn speaks_other_scheme(connection: &Connection, url: &Url) -> bool {
    let Some(mut other) = with_other_scheme(url) else { return false };
    other.set_path("/");
    other.set_query(None);
    let call = HttpCall::get(other);
    let asking = timeout(PATIENCE, connection.transport.send(&call, &by_status));
    let Ok(exchange) = asking.await else { return false };
    match exchange.response() {
        Ok(_) => true,
        Err(TransportError::Tls { detail }) => detail.contains("certificate"),
        Err(_) => false,
    }
}

fn with_other_scheme(url: &Url) -> Option<Url> {
    let (other, port) = (if url.scheme() == "https" { "http" } else { "https" }, url.port());
    let mut url = url.clone();
    url.set_scheme(other).ok()?;
    url.set_port(port).ok()?;
    Some(url)
}

fn other_scheme(url: &Url) -> String {
    let meant = with_other_scheme(url).map(|other| describe_url(&other)).unwrap_or_default();
    let place = url.host_str().unwrap_or_default();
    format!("{place} does not speak {} there; did you mean {meant}?", url.scheme())
}

/// The dialects that were tried, where none was named.
fn tried_dialects(connection: &Connection) -> String {
    match connection.target.endpoint.accesses.as_slice() {
        [first, _, ..] => format!(
            " ({} and {} other dialects were tried)",
            first.dialect,
            connection.target.endpoint.accesses.len() - 1
        ),
        _ => String::new(),
    }
}

/// What came back, in few words.
fn describe_error(error: &ApiError) -> String {
    let line = error.message.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().take(120).collect();
    if line.is_empty() {
        format!("HTTP {}", error.status)
    } else {
        format!("HTTP {}: {line}", error.status)
    }
}

/// An address without what may be a credential.
fn describe_url(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let (host, path) = (url.host_str().unwrap_or_default(), url.path().trim_end_matches('/'));
    format!("{}://{host}{port}{path}", url.scheme())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(url: &str, error: &TransportError) -> String {
        explain_failure(&Url::parse(url).unwrap(), error).unwrap()
    }

    #[test]
    fn what_keeps_a_connection_from_working_is_told_with_its_remedy() {
        let refused = TransportError::Connect { detail: "connection refused".to_owned() };
        let here = explained("http://127.0.0.1:8089/v1", &refused);
        assert!(here.ends_with("correct host and port of http://127.0.0.1:8089/v1"), "{here}");
        let elsewhere = explained("http://models.test/v1", &refused);
        assert!(
            elsewhere.ends_with("or of the proxy that http_proxy, https_proxy or all_proxy names")
        );
        let detail = "invalid peer certificate: UnknownIssuer".to_owned();
        let untrusted = explained("https://models.test/v1", &TransportError::Tls { detail });
        assert!(untrusted.starts_with("the certificate of models.test:443 is not trusted"));
        assert!(untrusted.contains("let SSL_CERT_FILE name"), "{untrusted}");
        let detail = "received unexpected message from connection".to_owned();
        let ssh = explained("http://models.test:22/v1", &TransportError::Other { detail });
        assert_eq!(
            ssh,
            "what listens at models.test:22 does not speak HTTP; correct the port of \
             http://models.test:22/v1"
        );
    }
}
