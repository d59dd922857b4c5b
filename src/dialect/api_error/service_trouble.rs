//! Account and service trouble in error bodies: credit, keys, quotas, overload, length, filters.
//!
//! The data is `service_trouble.toml` beside this file. What stands there is not about the request that
//! was refused, whatever the status.

use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;

use super::ApiError;

/// What is wrong with the account or the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServiceTrouble {
    /// Nothing is left to pay with.
    Credit,
    /// The key is wrong, or may not do this.
    Key,
    /// Not served where the request comes from.
    Region,
    /// Too much was asked in some time.
    Quota,
    /// The service cannot answer now.
    Overload,
    /// The model is not there.
    Model,
    /// More than the model can read.
    ContextLength,
    /// A filter took offence.
    ContentFilter,
    /// The server replays recordings, and has none of this request.
    NotRecorded,
}

/// How a server that replays recordings says that it has none of a request.
pub(crate) const NOT_RECORDED: &str = "toolprobe: no recording matches this request";

/// Stands after the words that tell why, so that they can be told from what an adapter adds.
pub(crate) const NOT_RECORDED_END: &str = "[end of toolprobe's words]";

impl fmt::Display for ServiceTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Credit => "the account has no credit",
            Self::Key => "the key is not accepted",
            Self::Region => "the service is not offered here",
            Self::Quota => "the quota is used up",
            Self::Overload => "the service is not ready",
            Self::Model => "the model is not served",
            Self::ContextLength => {
                "the request is too long for the model; --max-tokens asks for shorter replies"
            }
            Self::ContentFilter => "a content filter declined the request",
            Self::NotRecorded => "the upstream has no recording of the request",
        })
    }
}

#[derive(Deserialize)]
struct Table {
    row: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    trouble: ServiceTrouble,
    kind: Option<String>,
    code: Option<String>,
    words: Option<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "for people, and held by a test"))]
    seen: String,
}

/// An unreadable table would be empty; a test holds that it is not.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    toml::from_str(include_str!("service_trouble.toml"))
        .map_or_else(|_| Vec::new(), |table: Table| table.row)
});

/// The trouble that an error tells of.
pub(super) fn of(error: &ApiError) -> Option<ServiceTrouble> {
    let message = error.message.to_lowercase();
    ROWS.iter().find(|row| row.fits(error, &message)).map(|row| row.trouble)
}

impl Row {
    /// Whether all that the row names stands in an error; `message` is in lower case.
    fn fits(&self, error: &ApiError, message: &str) -> bool {
        let is = |wanted: &Option<String>, found: &Option<String>| {
            wanted.as_ref().is_none_or(|wanted| {
                found.as_ref().is_some_and(|found| found.eq_ignore_ascii_case(wanted))
            })
        };
        is(&self.kind, &error.kind)
            && is(&self.code, &error.code)
            && self.words.as_ref().is_none_or(|words| message.contains(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_something_and_its_source() {
        assert!(ROWS.len() > 50);
        for row in ROWS.iter() {
            assert!(
                row.kind.is_some() || row.code.is_some() || row.words.is_some(),
                "{}",
                row.seen
            );
            assert!(!row.seen.is_empty());
            let lower = row.words.as_ref().is_none_or(|words| *words == words.to_lowercase());
            assert!(lower, "{:?} is never found in lower case", row.words);
        }
    }

    #[test]
    fn every_row_says_where_it_was_read_or_that_it_was_not_looked_up() {
        let sources = ["#", "https://", ", tried", "unverified", "-sdk-", "google.rpc", "`"];
        for row in ROWS.iter() {
            assert!(sources.iter().any(|source| row.seen.contains(source)), "{}", row.seen);
        }
    }

    #[test]
    fn trouble_is_told_from_a_refusal_by_type_code_or_words() {
        let of = |body: &str| ApiError::from_response(400, Vec::new(), body).service_trouble();
        let rows = [
            (
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
                Some(ServiceTrouble::Credit),
            ),
            (
                r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#,
                Some(ServiceTrouble::Key),
            ),
            (
                r#"{"error":{"message":"m","type":null,"code":"content_filter"}}"#,
                Some(ServiceTrouble::ContentFilter),
            ),
            (
                r#"{"error":"model requires more system memory (5 GiB) than is available"}"#,
                Some(ServiceTrouble::Overload),
            ),
            (
                r#"{"error":{"code":"1301","message":"系统检测到输入或生成内容可能包含不安全或敏感内容"}}"#,
                Some(ServiceTrouble::ContentFilter),
            ),
            (r#"{"error":{"code":1113,"message":"您的账户已欠费"}}"#, Some(ServiceTrouble::Credit)),
            (r#"{"detail":"Content Exists Risk"}"#, Some(ServiceTrouble::ContentFilter)),
            (
                r#"{"object":"error","message":"max_tokens must be at least 1, got -186.","type":"BadRequestError","code":400}"#,
                Some(ServiceTrouble::ContextLength),
            ),
            (r#"{"error":"registry/m:latest does not support tools"}"#, None),
            (
                r#"{"error":{"message":"Invalid 'tools': array too long.","type":"invalid_request_error","code":"array_above_max_length"}}"#,
                None,
            ),
        ];
        for (body, expected) in rows {
            assert_eq!(of(body), expected, "{body}");
        }
    }
}
