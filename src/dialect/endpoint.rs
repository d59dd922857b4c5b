//! The URL of a call, made from the base URL that a user gave.
//!
//! A base is what the provider's own SDK takes: OpenAI's ends in its version, Anthropic's and
//! Ollama's are the host, Gemini's is either. The full path of the call is taken as well, and a
//! version is added or dropped where there is no doubt. A query (Azure's `api-version`) is kept.

use url::Url;

use super::DialectId;
use super::route::{CALLS, GEMINI_METHODS, call_at_end};

/// Why no call can be made at a URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// Not a web address.
    #[error("'{url}' is not an http or https URL")]
    NotHttp {
        /// As it was given.
        url: String,
    },
    /// The full path of another dialect's call.
    #[error("'{url}' is the {found} call, which the {asked} dialect cannot use; give the base URL")]
    OtherCall {
        /// As it was given.
        url: String,
        /// Whose call it is.
        found: DialectId,
        /// Which dialect was to use it.
        asked: DialectId,
    },
}

/// Hosts that serve chat completions at the root, with no version in the path.
const UNVERSIONED_HOSTS: [&str; 2] = ["githubcopilot.com", "api.perplexity.ai"];

/// The dialect whose call a full URL makes; `None` for a base.
pub(crate) fn dialect_of(url: &Url) -> Option<DialectId> {
    call_at_end(&segments(url)).map(|(_, id, _)| id)
}

/// The URL of one call. `model` and `stream` matter where the dialect puts them in the path.
pub(crate) fn call_url(
    dialect: DialectId,
    base: &Url,
    model: &str,
    stream: bool,
) -> Result<Url, EndpointError> {
    if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
        return Err(EndpointError::NotHttp { url: without_secrets(base) });
    }
    let path = segments(base);
    let prefix = match call_at_end(&path) {
        Some((prefix, found, _)) if found == dialect => prefix.to_vec(),
        Some((_, found, _)) => {
            let url = without_secrets(base);
            return Err(EndpointError::OtherCall { url, found, asked: dialect });
        }
        None => add_version(dialect, base.host_str().unwrap_or_default(), &path),
    };
    let mut url = with_path(base, &prefix, &call(dialect, model, stream));
    if dialect == DialectId::Gemini {
        set_alt(&mut url, stream);
    }
    url.set_fragment(None);
    Ok(url)
}

/// The URL as it may be shown: a password or a `?key=` has no place in a message.
fn without_secrets(url: &Url) -> String {
    let mut shown = url.clone();
    shown.set_query(None);
    shown.set_fragment(None);
    // Both are refused only by a URL without a host, which cannot hold them.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.into()
}

fn segments(url: &Url) -> Vec<&str> {
    url.path().split('/').filter(|segment| !segment.is_empty()).collect()
}

/// The segments before the call's own.
fn add_version<'a>(dialect: DialectId, host: &str, path: &[&'a str]) -> Vec<&'a str> {
    let mut prefix = path.to_vec();
    let ends_in_version = path.last().is_some_and(|last| is_version(last));
    match dialect {
        DialectId::OpenAiChat | DialectId::OpenAiResponses => {
            if path.is_empty() && !is_unversioned(host) {
                prefix.push("v1");
            }
        }
        DialectId::AnthropicMessages => {
            if !ends_in_version {
                prefix.push("v1");
            }
        }
        DialectId::Gemini => {
            prefix.pop_if(|last| *last == "models");
            let placed = prefix.last().is_some_and(|last| is_version(last))
                || prefix.contains(&"publishers");
            if !placed {
                prefix.push("v1beta");
            }
        }
        DialectId::Ollama => {
            // `…/v1` is the chat layer of the same server.
            let droppable = path.last() == Some(&"api") || (path.len() == 1 && ends_in_version);
            if droppable {
                prefix.pop();
            }
        }
    }
    prefix
}

fn is_unversioned(host: &str) -> bool {
    UNVERSIONED_HOSTS.iter().any(|known| {
        host.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// `v1`, `v4`, `v1beta`, `v1alpha1`.
fn is_version(segment: &str) -> bool {
    let Some(rest) = segment.strip_prefix('v') else { return false };
    let word = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
    rest.starts_with(|c: char| c.is_ascii_digit()) && matches!(word, "" | "beta" | "alpha")
}

/// The call's own segments.
fn call(dialect: DialectId, model: &str, stream: bool) -> Vec<String> {
    if let Some((_, tail)) = CALLS.iter().find(|(id, _)| *id == dialect) {
        return tail.iter().map(ToString::to_string).collect();
    }
    let method = GEMINI_METHODS.iter().find(|(_, streams)| *streams == stream);
    let method = method.map_or("generateContent", |(name, _)| *name);
    let (collection, name) = match model.split_once('/') {
        Some((collection @ ("models" | "tunedModels"), name)) => (collection, name),
        _ => ("models", model),
    };
    vec![collection.to_owned(), format!("{name}:{method}")]
}

/// Replaces the path; `prefix` is encoded already, `call` is not.
fn with_path(base: &Url, prefix: &[&str], call: &[String]) -> Url {
    let mut url = base.clone();
    url.set_path(&prefix.join("/"));
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(call);
    }
    url
}

/// Server-sent events for streams; nothing for whole bodies.
fn set_alt(url: &mut Url, stream: bool) {
    let kept: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(key, _)| key != "alt")
        .map(|(k, v)| (k.into(), v.into()))
        .collect();
    url.set_query(None);
    if stream || !kept.is_empty() {
        let alt = stream.then_some(("alt".to_owned(), "sse".to_owned()));
        url.query_pairs_mut().extend_pairs(alt.into_iter().chain(kept));
    }
}

#[cfg(test)]
mod tests {
    use super::DialectId::{AnthropicMessages, Gemini, Ollama, OpenAiChat, OpenAiResponses};
    use super::*;

    fn url(dialect: DialectId, base: &str, stream: bool) -> String {
        call_url(dialect, &Url::parse(base).unwrap(), "m", stream).unwrap().to_string()
    }

    #[test]
    fn a_base_becomes_the_url_that_the_sdk_would_call() {
        for (dialect, base, expected) in [
            (OpenAiChat, "https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
            (
                OpenAiChat,
                "https://api.openai.com/v1/",
                "https://api.openai.com/v1/chat/completions",
            ),
            (OpenAiChat, "http://localhost:8080", "http://localhost:8080/v1/chat/completions"),
            (
                OpenAiChat,
                "https://api.z.ai/api/paas/v4",
                "https://api.z.ai/api/paas/v4/chat/completions",
            ),
            (OpenAiChat, "https://h/v1beta/openai/", "https://h/v1beta/openai/chat/completions"),
            (
                OpenAiChat,
                "https://api.githubcopilot.com",
                "https://api.githubcopilot.com/chat/completions",
            ),
            (
                OpenAiChat,
                "https://h/openai/deployments/d?api-version=1",
                "https://h/openai/deployments/d/chat/completions?api-version=1",
            ),
            (OpenAiResponses, "https://api.openai.com/v1", "https://api.openai.com/v1/responses"),
            (OpenAiResponses, "http://h:1", "http://h:1/v1/responses"),
            (
                AnthropicMessages,
                "https://api.anthropic.com",
                "https://api.anthropic.com/v1/messages",
            ),
            (
                AnthropicMessages,
                "https://api.anthropic.com/v1",
                "https://api.anthropic.com/v1/messages",
            ),
            (
                AnthropicMessages,
                "https://api.deepseek.com/anthropic",
                "https://api.deepseek.com/anthropic/v1/messages",
            ),
            (Ollama, "http://localhost:11434", "http://localhost:11434/api/chat"),
            (Ollama, "http://localhost:11434/api", "http://localhost:11434/api/chat"),
            (Ollama, "http://localhost:11434/v1", "http://localhost:11434/api/chat"),
            (Ollama, "http://h/proxy", "http://h/proxy/api/chat"),
            (Gemini, "https://g.com", "https://g.com/v1beta/models/m:generateContent"),
            (Gemini, "https://g.com/v1beta", "https://g.com/v1beta/models/m:generateContent"),
            (Gemini, "https://g.com/v1/models", "https://g.com/v1/models/m:generateContent"),
            (
                Gemini,
                "https://g.com/v1/projects/p/publishers/google",
                "https://g.com/v1/projects/p/publishers/google/models/m:generateContent",
            ),
        ] {
            assert_eq!(url(dialect, base, false), expected);
        }
    }

    #[test]
    fn the_full_path_of_the_call_is_a_base_too() {
        for (dialect, full) in [
            (OpenAiChat, "https://h/v1/chat/completions"),
            (OpenAiChat, "https://h/chat/completions?api-version=2"),
            (OpenAiResponses, "https://h/v1/responses"),
            (AnthropicMessages, "https://h/x/v1/messages"),
            (Ollama, "http://h/api/chat"),
            (Gemini, "https://h/v1/models/m:generateContent"),
        ] {
            assert_eq!(url(dialect, full, false), full);
            assert_eq!(dialect_of(&Url::parse(full).unwrap()), Some(dialect));
        }
        assert_eq!(dialect_of(&Url::parse("https://h/v1").unwrap()), None);
    }

    #[test]
    fn geminis_model_and_method_follow_the_call_and_not_the_base() {
        assert_eq!(
            url(Gemini, "https://h/v1beta/models/other:generateContent?key=k", true),
            "https://h/v1beta/models/m:streamGenerateContent?alt=sse&key=k"
        );
        assert_eq!(
            url(Gemini, "https://h/v1/models/m:streamGenerateContent?alt=sse", false),
            "https://h/v1/models/m:generateContent"
        );
        let base = Url::parse("https://h").unwrap();
        let odd = call_url(Gemini, &base, "a/b c?#%", false).unwrap();
        assert_eq!(odd.path(), "/v1beta/models/a%2Fb%20c%3F%23%25:generateContent");
        let tuned = call_url(Gemini, &base, "tunedModels/t", false).unwrap();
        assert_eq!(tuned.path(), "/v1beta/tunedModels/t:generateContent");
    }

    #[test]
    fn what_is_called_can_be_routed() {
        use crate::dialect::Route;
        let base = Url::parse("http://127.0.0.1:9").unwrap();
        for id in DialectId::ALL {
            let url = call_url(id, &base, "a/b:c d", true).unwrap();
            let (routed, route) = Route::parse(url.path()).unwrap();
            assert_eq!(routed, id);
            if id == Gemini {
                assert_eq!((route.model.as_deref(), route.stream), (Some("a/b:c d"), Some(true)));
            }
        }
    }

    #[test]
    fn a_url_that_cannot_be_meant_is_refused() {
        let refused = |dialect, text: &str| {
            call_url(dialect, &Url::parse(text).unwrap(), "m", false).unwrap_err().to_string()
        };
        assert_eq!(refused(OpenAiChat, "ftp://h/v1"), "'ftp://h/v1' is not an http or https URL");
        assert_eq!(
            refused(OpenAiResponses, "https://h/v1/messages"),
            "'https://h/v1/messages' is the anthropic-messages call, which the openai-responses \
             dialect cannot use; give the base URL"
        );
    }

    #[test]
    fn a_refusal_shows_no_secret_of_the_url() {
        let url = Url::parse("https://me:pass@h/v1/messages?key=secret#frag").unwrap();
        let refusal = call_url(OpenAiResponses, &url, "m", false).unwrap_err().to_string();
        assert!(refusal.starts_with("'https://h/v1/messages' is"), "{refusal}");
    }
}
