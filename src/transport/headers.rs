//! Headers and parameters: which are kept as evidence, and which may be secret.

/// Response headers that are kept as evidence.
const KEPT: &[&str] = &[
    "apim-request-id",
    "cf-ray",
    "content-encoding",
    "content-length",
    "content-type",
    "location",
    "openai-processing-ms",
    "openai-version",
    "request-id",
    "retry-after",
    "retry-after-ms",
    "server",
    "transfer-encoding",
    "via",
    "www-authenticate",
    "x-amzn-errortype",
    "x-amzn-requestid",
    "x-ds-trace-id",
    "x-goog-request-id",
    "x-request-id",
    "x-should-retry",
];

/// Families of response headers that are kept as evidence.
const KEPT_PREFIXES: &[&str] =
    &["anthropic-ratelimit-", "ratelimit-", "x-groq-", "x-litellm-", "x-portkey-", "x-ratelimit-"];

/// Request headers whose value is a credential, set by the tool or by the user.
const CREDENTIAL_HEADERS: &[&str] = &[
    "api-key",
    "authorization",
    "cookie",
    "ocp-apim-subscription-key",
    "proxy-authorization",
    "x-api-key",
    "x-auth-token",
    "x-goog-api-key",
    "x-litellm-api-key",
    "x-portkey-api-key",
];

/// Request headers that say how the protocol is spoken. Whatever else a user sets is secret.
const OPEN_HEADERS: &[&str] = &[
    "accept",
    "accept-language",
    "anthropic-beta",
    "anthropic-version",
    "content-type",
    "openai-beta",
    "user-agent",
];

/// Query parameters that say how the protocol is spoken. All others are secret.
const OPEN_PARAMETERS: &[&str] = &["alt", "api-version", "beta"];

/// Whether a response header is kept. Names are compared in lower case.
pub(super) fn is_kept(name: &str) -> bool {
    KEPT.contains(&name) || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a request header is redacted whatever it holds.
pub(super) fn is_credential(name: &str) -> bool {
    CREDENTIAL_HEADERS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether the value of a header that a user sets may be stored and shown.
pub(crate) fn is_open_header(name: &str) -> bool {
    OPEN_HEADERS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether the value of a query parameter may be stored and shown.
pub(super) fn is_open_parameter(name: &str) -> bool {
    OPEN_PARAMETERS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_limits_and_request_ids_are_kept_and_cookies_are_not() {
        for name in ["retry-after", "x-ratelimit-reset-tokens", "request-id", "x-litellm-version"] {
            assert!(is_kept(name), "{name}");
        }
        for name in ["set-cookie", "date", "openai-organization", "authorization"] {
            assert!(!is_kept(name), "{name}");
        }
    }

    #[test]
    fn credentials_are_known_by_name_in_any_case() {
        assert!(is_credential("Authorization") && is_credential("X-API-Key"));
        assert!(!is_credential("anthropic-version"));
        assert!(is_open_header("Anthropic-Beta") && !is_open_header("x-team"));
        assert!(is_open_parameter("alt") && !is_open_parameter("session"));
    }
}
