//! Endpoints: whether two addresses lead to the same one.

use std::net::{Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use crate::dialect::{DialectId, call_url};

/// Where the calls of a dialect go, however its base is spelled: the names of this machine, a slash at
/// the end, a default port, a version that is added anyway and the path of the call make no difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EndpointId(String);

impl EndpointId {
    /// The endpoint at an address, spoken to in this dialect.
    pub(crate) fn of(address: &str, dialect: DialectId) -> Self {
        // Some calls have the model in their URL; it does not belong to the endpoint.
        let call =
            Url::parse(address).ok().and_then(|base| call_url(dialect, &base, "m", false).ok());
        Self(
            call.map_or_else(|| address.trim_end_matches('/').to_owned(), |url| describe_url(&url)),
        )
    }
}

fn describe_url(url: &Url) -> String {
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    format!("{}{}{query}", origin(url), url.path())
}

/// Scheme, host and port of a URL. The names of this machine are one host.
pub(crate) fn origin(url: &Url) -> String {
    let host = match url.host() {
        Some(Host::Ipv6(Ipv6Addr::LOCALHOST)) => "localhost".to_owned(),
        Some(Host::Ipv4(address)) => ipv4_host(address),
        Some(Host::Ipv6(address)) => {
            address.to_ipv4_mapped().map_or_else(|| format!("[{address}]"), ipv4_host)
        }
        Some(Host::Domain(name)) => name.trim_end_matches('.').to_ascii_lowercase(),
        None => String::new(),
    };
    let port = url.port_or_known_default().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{host}{port}", url.scheme())
}

fn ipv4_host(address: Ipv4Addr) -> String {
    if address == Ipv4Addr::LOCALHOST { "localhost".to_owned() } else { address.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(dialect: DialectId, spellings: &[&str]) {
        let ids: Vec<_> = spellings.iter().map(|it| EndpointId::of(it, dialect)).collect();
        assert!(ids.windows(2).all(|pair| pair[0] == pair[1]), "{ids:#?}");
    }

    #[test]
    fn an_endpoint_is_the_same_however_it_is_spelled() {
        same(
            DialectId::OpenAiChat,
            &[
                "http://localhost:8080",
                "http://localhost:8080/",
                "http://LOCALHOST:8080/v1",
                "http://127.0.0.1:8080/v1/",
                "http://[::1]:8080/v1//",
                "http://[::ffff:127.0.0.1]:8080",
                "http://127.1:8080/v1",
                "http://user:word@2130706433:8080/v1",
                "http://localhost.:8080/v1/chat/completions",
            ],
        );
        same(
            DialectId::OpenAiResponses,
            &["https://h", "https://h:443/v1", "HTTPS://H/v1/responses"],
        );
        same(
            DialectId::AnthropicMessages,
            &["http://h", "http://h:80/v1", "http://h/v1/messages/"],
        );
        same(DialectId::Gemini, &["https://g", "https://g/v1beta", "https://g/v1beta/models"]);
        same(DialectId::Ollama, &["http://h:11434", "http://h:11434/api/", "http://h:11434/v1"]);
        same(DialectId::OpenAiChat, &["http://10.0.0.1/v1", "http://[::ffff:10.0.0.1]:80"]);
        same(DialectId::OpenAiChat, &["sim:", "sim:/"]);
    }

    #[test]
    fn what_is_called_elsewhere_is_another_endpoint() {
        let chat = |address| EndpointId::of(address, DialectId::OpenAiChat);
        for other in [
            "https://h/v1",
            "http://h:81/v1",
            "http://h/v2",
            "http://other/v1",
            "http://h/proxy/v1",
            "http://127.0.0.2/v1",
            "http://[::2]/v1",
            "http://h/v1?api-version=2",
        ] {
            assert_ne!(chat("http://h/v1"), chat(other), "{other}");
        }
    }
}
