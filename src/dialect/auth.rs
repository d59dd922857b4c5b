//! Authentication headers: which header carries the key, and which must stand beside it.

use super::DialectId;

/// How a dialect takes its key. Data: the transport sets the headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Auth {
    /// The header that carries the key.
    pub header: &'static str,
    /// What stands before the key in its value.
    pub prefix: &'static str,
    /// Headers that every request has, with a key or without.
    pub fixed: &'static [(&'static str, &'static str)],
}

impl Auth {
    const BEARER: Self = Self { header: "authorization", prefix: "Bearer ", fixed: &[] };
    const ANTHROPIC: Self =
        Self { header: "x-api-key", prefix: "", fixed: &[("anthropic-version", "2023-06-01")] };
    const GEMINI: Self = Self { header: "x-goog-api-key", prefix: "", fixed: &[] };

    /// The key in one of the headers a server of any dialect reads it from.
    ///
    /// Lenient across dialects, because clients are: Anthropic's own SDK sends a bearer token.
    /// Header names are to be lower case.
    pub fn key_in<'a>(headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Option<&'a str> {
        const HEADERS: [Auth; 3] = [Auth::BEARER, Auth::ANTHROPIC, Auth::GEMINI];
        headers.into_iter().find_map(|(name, value)| {
            let auth = HEADERS.iter().find(|auth| auth.header == name)?;
            value.strip_prefix(auth.prefix).map(str::trim).filter(|key| !key.is_empty())
        })
    }
}

impl DialectId {
    /// How this dialect takes its key.
    pub fn auth(self) -> Auth {
        match self {
            Self::AnthropicMessages => Auth::ANTHROPIC,
            Self::OpenAiChat | Self::OpenAiResponses | Self::Ollama => Auth::BEARER,
            Self::Gemini => Auth::GEMINI,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_finds_the_key_that_any_dialect_sends() {
        for id in DialectId::ALL {
            let auth = id.auth();
            let value = format!("{}sk-1", auth.prefix);
            assert_eq!(Auth::key_in([("host", "x"), (auth.header, &value)]), Some("sk-1"), "{id}");
        }
        assert_eq!(Auth::key_in([("authorization", "Basic abc")]), None);
        assert_eq!(Auth::key_in([("x-api-key", "")]), None);
    }

    #[test]
    fn only_anthropic_demands_a_version() {
        for id in DialectId::ALL {
            let versioned = !id.auth().fixed.is_empty();
            assert_eq!(versioned, id == DialectId::AnthropicMessages, "{id}");
        }
    }
}
