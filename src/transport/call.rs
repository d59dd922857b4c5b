//! HTTP calls: what is sent, and the part of it that may be stored.

use std::fmt;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::{Position, Url};

use super::headers;
use super::json_body::JsonBody;
use super::spending::TokenCount;
use crate::secret::{SECRET_MARK, Scrubber, Secret};
use crate::wire::Framing;

/// The methods that model APIs use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// `GET`, for lists and server properties.
    Get,
    /// `POST`, for conversations.
    Post,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Get => "GET",
            Self::Post => "POST",
        })
    }
}

/// The value of a request header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderText {
    /// May be stored.
    Plain(String),
    /// A credential behind its scheme (`Bearer `, or nothing).
    Secret {
        /// What stands before the credential, with the space.
        scheme: String,
        /// The credential.
        secret: Secret,
    },
}

/// One request before it is sent. Its `Debug` output is redacted.
#[derive(Clone, PartialEq)]
pub struct HttpCall {
    /// `GET` or `POST`.
    pub method: Method,
    /// The full address, credentials included.
    pub url: Url,
    /// Headers beyond those that every request has.
    pub headers: Vec<(String, HeaderText)>,
    /// The JSON body.
    pub body: Option<JsonBody>,
    /// The framing of the stream that is asked for; `None` asks for a whole body.
    pub framing: Option<Framing>,
    /// The most tokens that it can cost.
    pub most: TokenCount,
    /// Whether it is sent even where its path was given up: a control that a verdict waits for.
    pub insists: bool,
    /// How many requests its conversation is expected to take, one after the other: the longest goes first.
    pub turns: u32,
}

impl HttpCall {
    /// A `GET` request.
    pub fn get(url: Url) -> Self {
        let (method, headers, most) = (Method::Get, Vec::new(), TokenCount::default());
        Self { method, url, headers, body: None, framing: None, most, insists: false, turns: 1 }
    }

    /// A `POST` request with a JSON body.
    pub fn post(url: Url, body: Value) -> Self {
        Self { method: Method::Post, body: Some(body.into()), ..Self::get(url) }
    }

    /// Adds a header that may be stored.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), HeaderText::Plain(value.into())));
        self
    }

    /// Adds a header with a credential, as `("authorization", "Bearer ", key)`.
    #[must_use]
    pub fn credential(
        mut self,
        name: impl Into<String>,
        scheme: impl Into<String>,
        secret: Secret,
    ) -> Self {
        self.headers.push((name.into(), HeaderText::Secret { scheme: scheme.into(), secret }));
        self
    }

    /// Expects a stream.
    #[must_use]
    pub fn streamed(mut self, framing: Framing) -> Self {
        self.framing = Some(framing);
        self
    }

    /// Can cost so many tokens at most, where its reply may have so many.
    #[must_use]
    pub fn with_reply_of(mut self, tokens: u64) -> Self {
        let length = self.body.as_ref().map_or(0, |body| body.text().len());
        self.most = TokenCount::at_most(length, tokens);
        self
    }

    /// The credentials that this request carries, in its headers and its address.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = Secret> {
        let in_headers = self.headers.iter().filter_map(|(name, value)| match value {
            HeaderText::Secret { secret, .. } => Some(secret.expose()),
            HeaderText::Plain(text) => headers::is_credential(name).then_some(text.as_str()),
        });
        let in_headers = in_headers.flat_map(Secret::with_parts);
        in_headers.chain(secrets_in_url(&self.url)).filter(|secret| !secret.expose().is_empty())
    }
}

/// What an address carries beside its place: user, password, both as basic authorization joins them, and
/// parameters.
pub(crate) fn secrets_in_url(url: &Url) -> impl Iterator<Item = Secret> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let joined = url.password().map(|password| format!("{}:{password}", url.username()));
    let parts = [url.username(), url.password().unwrap_or_default()];
    let user = parts.into_iter().chain(joined.as_deref()).map(decoded).collect::<Vec<_>>();
    let parameters = url.query_pairs().filter(|(name, _)| !headers::is_open_parameter(name));
    // A parameter without a value is the secret itself.
    let parameters = parameters.map(|(name, value)| if value.is_empty() { name } else { value });
    let parameters = parameters.map(std::borrow::Cow::into_owned);
    user.into_iter().chain(parameters).map(Secret::new)
}

impl fmt::Debug for HttpCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SentRequest::redacted(self, &Scrubber::new(self.secrets())).fmt(f)
    }
}

/// A request as it is stored: what was sent, without credentials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentRequest {
    /// The method.
    pub method: Method,
    /// The address, without user info and with credential parameters redacted.
    pub url: String,
    /// The headers of the call, credentials redacted, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The JSON body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    pub body: Option<JsonBody>,
    /// The framing that was expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framing: Option<Framing>,
}

impl SentRequest {
    /// What of a call may be stored.
    pub fn redacted(call: &HttpCall, scrubber: &Scrubber) -> Self {
        let header = |(name, value): &(String, HeaderText)| {
            (name.to_ascii_lowercase(), redacted_header(name, value, scrubber))
        };
        Self {
            method: call.method,
            url: scrubber.text(redacted_url(&call.url)),
            headers: call.headers.iter().map(header).collect(),
            body: call.body.as_ref().map(|body| redacted_body(body, scrubber)),
            framing: call.framing,
        }
    }

    /// The part of the address after its host, without credentials.
    pub fn path(&self) -> String {
        path_and_query(&self.url)
    }
}

/// Path and query of a stored address, which may begin with an alias or be a bare path.
fn path_and_query(url: &str) -> String {
    let rest = match url.split_once("://") {
        _ if url.starts_with('/') => url,
        Some((_, rest)) => rest.find(['/', '?']).and_then(|at| rest.get(at..)).unwrap_or("/"),
        // An alias in the place of scheme and host.
        None => url.split_once(':').map_or(url, |(_, rest)| rest),
    };
    let Some((path, query)) = rest.split_once('?') else { return rest.to_owned() };
    let is_open = |pair: &&str| !pair.ends_with(SECRET_MARK);
    let open: Vec<&str> = query.split('&').filter(is_open).collect();
    if open.is_empty() { path.to_owned() } else { format!("{path}?{}", open.join("&")) }
}

/// The body itself where it holds nothing that is to be replaced.
fn redacted_body(body: &JsonBody, scrubber: &Scrubber) -> JsonBody {
    if scrubber.changes(body) { scrubber.value(Value::clone(body)).into() } else { body.clone() }
}

fn redacted_header(name: &str, value: &HeaderText, scrubber: &Scrubber) -> String {
    match value {
        HeaderText::Secret { scheme, .. } => format!("{scheme}{SECRET_MARK}"),
        HeaderText::Plain(_) if headers::is_credential(name) => SECRET_MARK.to_owned(),
        HeaderText::Plain(text) => scrubber.text(text.clone()),
    }
}

/// The address without its user info and the values of its parameters, but for those of the protocol.
pub(super) fn redacted_url(url: &Url) -> String {
    let has_user = !url.username().is_empty() || url.password().is_some();
    let user = if has_user { format!("{SECRET_MARK}@") } else { String::new() };
    let query = url.query().map(|query| format!("?{}", redacted_query(query)));
    let place = &url[Position::BeforeHost..Position::AfterPath];
    format!("{}://{user}{place}{}", url.scheme(), query.unwrap_or_default())
}

fn redacted_query(query: &str) -> String {
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if !headers::is_open_parameter(name) => format!("{name}={SECRET_MARK}"),
        Some(_) => pair.to_owned(),
        None => SECRET_MARK.to_owned(),
    });
    pairs.collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KEY: &str = "sk-very-secret-1";

    #[test]
    fn a_stored_request_holds_no_credential_from_any_place() {
        let url = format!("https://me:{KEY}@api.test:8443/v1/x?alt=sse&key=AIza&z={KEY}");
        let call = HttpCall::post(url.parse().unwrap(), json!({"user": KEY, "model": "m"}))
            .credential("Authorization", "Bearer ", Secret::new(KEY))
            .header("X-Api-Key", "short")
            .header("x-note", format!("is {KEY}"));
        let scrubber = Scrubber::new(call.secrets());
        let sent = SentRequest::redacted(&call, &scrubber);
        let url = "https://[secret]@api.test:8443/v1/x?alt=sse&key=[secret]&z=[secret]";
        assert_eq!(sent.url, url);
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let headers = [
            header("authorization", "Bearer [secret]"),
            header("x-api-key", "[secret]"),
            header("x-note", "is [secret]"),
        ];
        assert_eq!(sent.headers, headers);
        assert_eq!(sent.body, Some(json!({"user": "[secret]", "model": "m"}).into()));
        let printed = format!("{call:?}");
        assert!(!printed.contains(KEY) && !printed.contains("AIza"), "{printed}");
    }

    #[test]
    fn an_address_without_its_host_is_a_path() {
        let path = "/v1beta/models/m:generate?alt=sse";
        for host in ["", "sim:", "http://127.0.0.1:81", "https://[secret]@api.test"] {
            assert_eq!(path_and_query(&format!("{host}{path}")), path, "{host}");
        }
        assert_eq!(path_and_query("https://api.test/x?key=[secret]"), "/x");
        assert_eq!(path_and_query("https://api.test/x?key=[secret]&alt=sse"), "/x?alt=sse");
        assert_eq!(path_and_query("https://api.test"), "/");
    }

    #[test]
    fn an_address_is_stored_as_it_was_sent_when_nothing_is_secret() {
        for text in ["http://127.0.0.1:8080/v1/models", "https://[::1]/a%20b?alt=sse", "http://h/"]
        {
            assert_eq!(redacted_url(&text.parse().unwrap()), text);
        }
    }
}
