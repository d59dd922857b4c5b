//! Routes: which call a request path makes.

use percent_encoding::percent_decode_str;

use super::DialectId;

/// What the path of a request says, for dialects that put it there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Route {
    /// The model named in the path.
    pub model: Option<String>,
    /// Whether the path asks for a stream.
    pub stream: Option<bool>,
}

/// The last segments of the calls that have fixed ones.
pub(super) const CALLS: [(DialectId, &[&str]); 4] = [
    (DialectId::OpenAiChat, &["chat", "completions"]),
    (DialectId::OpenAiResponses, &["responses"]),
    (DialectId::AnthropicMessages, &["messages"]),
    (DialectId::Ollama, &["api", "chat"]),
];

/// Gemini's two methods, and whether each streams.
pub(super) const GEMINI_METHODS: [(&str, bool); 2] =
    [("generateContent", false), ("streamGenerateContent", true)];

/// The versions under which servers offer their calls.
const VERSIONS: [&str; 4] = ["v1", "v1beta", "v1alpha", "v1beta1"];

impl Route {
    /// The call that a path ends with, whatever stands before it: gateways and some providers have
    /// prefixes of their own.
    pub fn of_call(path: &str) -> Option<(DialectId, Self)> {
        let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
        call_at_end(&segments).map(|(_, id, route)| (id, route))
    }

    /// The call that a server is asked for by this path (without its query): the provider's own
    /// path, with or without a version in front.
    pub fn parse(path: &str) -> Option<(DialectId, Self)> {
        let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (prefix, id, route) = call_at_end(&segments)?;
        let plain = match prefix {
            [] => true,
            [version] => id != DialectId::Ollama && VERSIONS.contains(version),
            _ => false,
        };
        plain.then_some((id, route))
    }
}

/// The call that a path ends with, and the segments before it.
pub(super) fn call_at_end<'a, 's>(
    segments: &'s [&'a str],
) -> Option<(&'s [&'a str], DialectId, Route)> {
    CALLS
        .iter()
        .find_map(|(id, tail)| Some((segments.strip_suffix(*tail)?, *id, Route::default())))
        .or_else(|| gemini_at_end(segments))
}

fn gemini_at_end<'a, 's>(segments: &'s [&'a str]) -> Option<(&'s [&'a str], DialectId, Route)> {
    let collection = segments.iter().rposition(|s| matches!(*s, "models" | "tunedModels"))?;
    let (prefix, call) = segments.split_at(collection);
    let (name, method) = call.split_first()?.1.join("/").rsplit_once(':').map(own_both)?;
    let (_, streams) = GEMINI_METHODS.into_iter().find(|(known, _)| *known == method)?;
    let model = percent_decode_str(&name).decode_utf8().ok()?.into_owned();
    let route = Route { model: Some(model), stream: Some(streams) };
    route.model.as_deref().is_some_and(|m| !m.is_empty()).then_some(())?;
    Some((prefix, DialectId::Gemini, route))
}

fn own_both((name, method): (&str, &str)) -> (String, String) {
    (name.to_owned(), method.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_providers_own_paths_are_known() {
        use DialectId::{AnthropicMessages, Ollama, OpenAiChat, OpenAiResponses};
        for (path, id) in [
            ("/v1/chat/completions", OpenAiChat),
            ("/chat/completions", OpenAiChat),
            ("/v1/responses", OpenAiResponses),
            ("/responses/", OpenAiResponses),
            ("/v1/messages", AnthropicMessages),
            ("/messages", AnthropicMessages),
            ("/api/chat", Ollama),
        ] {
            assert_eq!(Route::parse(path), Some((id, Route::default())), "{path}");
        }
    }

    #[test]
    fn geminis_path_names_the_model_and_the_stream() {
        for (path, model, stream) in [
            ("/v1beta/models/gemini-native:generateContent", "gemini-native", false),
            ("/v1/models/gemini-native:streamGenerateContent", "gemini-native", true),
            ("/models/a%2Fb%20c:generateContent", "a/b c", false),
            ("/v1beta/models/qwen:7b:generateContent", "qwen:7b", false),
        ] {
            let route = Route { model: Some(model.to_owned()), stream: Some(stream) };
            assert_eq!(Route::parse(path), Some((DialectId::Gemini, route)), "{path}");
        }
    }

    #[test]
    fn other_paths_are_no_calls() {
        for path in [
            "/",
            "/v1",
            "/v1/models",
            "/v1/models/m",
            "/v1/messages/count_tokens",
            "/v1/embeddings",
            "/v1/api/chat",
            "/v2/messages",
            "/a/b/messages",
            "/v1beta/models/m:countTokens",
            "/v1beta/models/:generateContent",
            "/v1/chat/completions/x",
            "/models/%ff:generateContent",
        ] {
            assert_eq!(Route::parse(path), None, "{path}");
        }
    }
}
