//! Which dialect does an endpoint speak?
//!
//! What the URL says was read when the target was resolved; where several dialects are left, each
//! is tried with one small request, all at the same time.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::time::{Instant, timeout_at};

use super::hearing::{Heard, Rank};
use super::{Access, Credentials, Endpoint};
use crate::dialect::{DialectId, call_url};
use crate::ir::{Message, Request};
use crate::transport::{HttpCall, Transport, by_status};

/// How long the answers may take: a local server may have to load the model first.
const PATIENCE: Duration = Duration::from_secs(60);

/// The least that every dialect takes as a limit.
const MAX_TOKENS: u64 = 16;

/// The way that was found, and what was heard on all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovery {
    /// The way to go.
    pub way: Access,
    /// What each dialect led to, in the order they are preferred; empty when none had to be tried.
    pub heard: Vec<Heard>,
}

/// No dialect was heard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DiscoverError {
    /// Nothing answered: infrastructure, and no matter of dialects.
    #[error("no answer from the endpoint: {said}")]
    Silent {
        /// Why, as the first that was tried found it.
        said: String,
    },
    /// Something answered, but in none of the dialects.
    #[error(
        "the endpoint speaks no dialect that is known ({}); check the URL, or name the dialect with \
         --dialect",
        listed(.heard)
    )]
    NoDialect {
        /// What each dialect led to.
        heard: Vec<Heard>,
    },
}

fn listed(heard: &[Heard]) -> String {
    let each = heard.iter().map(|heard| format!("{}: {}", heard.dialect, heard.said));
    each.collect::<Vec<_>>().join("; ")
}

/// Finds the way to reach a model. A single way is taken unasked.
pub async fn discover(
    transport: &dyn Transport,
    endpoint: &Endpoint,
    credentials: &Credentials,
    model: &str,
) -> Result<Discovery, DiscoverError> {
    if let [way] = endpoint.ways.as_slice() {
        return Ok(Discovery { way: way.clone(), heard: Vec::new() });
    }
    let heard = listen(transport, endpoint, credentials, model).await;
    let best = choose(&heard);
    match best.and_then(|best| endpoint.ways.iter().find(|way| way.dialect == best)) {
        Some(way) => Ok(Discovery { way: way.clone(), heard }),
        None => Err(failure(heard)),
    }
}

/// Tries all ways at once, until the preferred one has replied or all have been heard.
async fn listen(
    transport: &dyn Transport,
    endpoint: &Endpoint,
    credentials: &Credentials,
    model: &str,
) -> Vec<Heard> {
    let deadline = Instant::now() + PATIENCE;
    let trials = endpoint.ways.iter().enumerate().map(|(index, way)| async move {
        let heard = timeout_at(deadline, attempt(transport, endpoint, way, credentials, model));
        (index, heard.await.unwrap_or_else(|_| Heard::nothing(way.dialect)))
    });
    let mut trials: FuturesUnordered<_> = trials.collect();
    let mut heard: Vec<Option<Heard>> = vec![None; endpoint.ways.len()];
    while let Some((index, answer)) = trials.next().await {
        if let Some(slot) = heard.get_mut(index) {
            *slot = Some(answer);
        }
        if is_settled(&heard) {
            break;
        }
    }
    heard.into_iter().flatten().collect()
}

async fn attempt(
    transport: &dyn Transport,
    endpoint: &Endpoint,
    way: &Access,
    credentials: &Credentials,
    model: &str,
) -> Heard {
    let url = match call_url(way.dialect, &way.base_url, model, false) {
        Ok(url) => url,
        Err(error) => {
            return Heard::without_cost(way.dialect, Rank::Foreign, error.to_string());
        }
    };
    let path = url.path().to_owned();
    let call = HttpCall::post(url, way.dialect.codec().encode_request(&greeting(model)));
    let call = endpoint.dress(call, way, credentials);
    let exchange = transport.send(&call, &by_status).await;
    Heard::of(way.dialect, &path, &exchange)
}

/// The smallest thing to say.
fn greeting(model: &str) -> Request {
    Request {
        model: model.to_owned(),
        messages: vec![Message::user("Say hi.")],
        max_tokens: Some(MAX_TOKENS),
        ..Request::default()
    }
}

/// Whether what is still to come can no longer change the choice: a dialect replied, and every one
/// that is preferred to it has been heard.
fn is_settled(heard: &[Option<Heard>]) -> bool {
    for answer in heard {
        match answer {
            None => return false,
            Some(heard) if heard.rank == Rank::Replied => return true,
            Some(_) => {}
        }
    }
    true
}

/// The dialect that most was heard for; the preferred one among equals.
fn choose(heard: &[Heard]) -> Option<DialectId> {
    let mut best: Option<&Heard> = None;
    for candidate in heard.iter().filter(|heard| heard.rank > Rank::Silent) {
        if best.is_none_or(|best| candidate.rank > best.rank) {
            best = Some(candidate);
        }
    }
    best.map(|heard| heard.dialect)
}

fn failure(heard: Vec<Heard>) -> DiscoverError {
    let silent = heard.iter().all(|heard| heard.rank == Rank::Silent);
    match heard.first() {
        Some(first) if silent => DiscoverError::Silent { said: first.said.clone() },
        _ => DiscoverError::NoDialect { heard },
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::DialectId::{AnthropicMessages, Gemini, Ollama, OpenAiChat, OpenAiResponses};
    use super::*;
    use crate::sim::{Fleet, Options, Sim};
    use crate::target::testing::{Reply, Routed, Routes, transport};
    use crate::target::{Defaults, DialectChoice, TargetEntry, resolve_endpoint};

    const CALLS: [(DialectId, &str); 5] = [
        (OpenAiChat, "POST /v1/chat/completions"),
        (AnthropicMessages, "POST /v1/messages"),
        (OpenAiResponses, "POST /v1/responses"),
        (Gemini, "POST /v1beta/models/m:generateContent"),
        (Ollama, "POST /api/chat"),
    ];

    fn reply_of(dialect: DialectId) -> Reply {
        let body = match dialect {
            OpenAiChat => json!({"choices": []}),
            AnthropicMessages => json!({"content": [], "stop_reason": "end_turn"}),
            OpenAiResponses => json!({"output": []}),
            Gemini => json!({"candidates": []}),
            Ollama => json!({"message": {}, "done": true}),
        };
        Reply::Json(200, body)
    }

    fn route_of(dialect: DialectId) -> &'static str {
        CALLS.iter().find(|(id, _)| *id == dialect).unwrap().1
    }

    fn error(status: u16, message: &str) -> Reply {
        Reply::Json(status, json!({"error": {"message": message, "type": "t"}}))
    }

    fn endpoint(url: String) -> Endpoint {
        let dialect = Some(DialectChoice::Auto);
        let entry = TargetEntry { base_url: Some(url), dialect, ..TargetEntry::default() };
        resolve_endpoint(&entry, &Defaults::default(), Path::new(""), &|_| None).unwrap()
    }

    async fn found(routes: Routes, path: &str) -> Result<DialectId, DiscoverError> {
        let server = Routed::start(routes).await;
        let endpoint = endpoint(server.at(path));
        let none = Credentials::default();
        discover(&transport(), &endpoint, &none, "m").await.map(|found| found.way.dialect)
    }

    #[tokio::test]
    async fn a_server_of_one_dialect_is_found_whichever_it_is() {
        for (dialect, route) in CALLS {
            for path in ["/", "/v1"] {
                if dialect == Gemini && path == "/v1" {
                    continue; // the simulated route is v1beta's
                }
                let routes = vec![(route, reply_of(dialect))];
                assert_eq!(found(routes, path).await, Ok(dialect), "{path}");
            }
        }
    }

    #[tokio::test]
    async fn of_several_dialects_the_preferred_one_is_taken_unless_the_url_says_otherwise() {
        let all = || CALLS.map(|(dialect, route)| (route, reply_of(dialect))).to_vec();
        assert_eq!(found(all(), "/").await, Ok(OpenAiChat));
        assert_eq!(found(all(), "/v1beta").await, Ok(Gemini));
        assert_eq!(found(all(), "/api").await, Ok(Ollama));
        assert_eq!(found(all(), "/v1/messages").await, Ok(AnthropicMessages));
        let but_chat = all().split_off(1);
        assert_eq!(found(but_chat, "/").await, Ok(AnthropicMessages));
    }

    #[tokio::test]
    async fn a_reply_says_more_than_a_refusal_and_a_refusal_more_than_an_outage() {
        let routes = vec![
            (route_of(OpenAiChat), error(400, "this model is only served by /v1/responses")),
            (route_of(OpenAiResponses), reply_of(OpenAiResponses)),
        ];
        assert_eq!(found(routes, "/v1").await, Ok(OpenAiResponses));
        let routes = vec![
            (route_of(OpenAiChat), error(500, "oops")),
            (route_of(AnthropicMessages), error(400, "max_tokens: too small")),
        ];
        assert_eq!(found(routes, "/").await, Ok(AnthropicMessages));
    }

    #[tokio::test]
    async fn an_endpoint_that_wants_a_key_on_every_path_is_taken_by_preference() {
        let routes = CALLS.map(|(_, route)| (route, error(401, "Invalid API Key"))).to_vec();
        assert_eq!(found(routes, "/").await, Ok(OpenAiChat));
    }

    #[tokio::test]
    async fn an_answer_is_not_waited_for_once_a_preferred_dialect_replied() {
        let routes = vec![
            (route_of(OpenAiChat), reply_of(OpenAiChat)),
            (route_of(AnthropicMessages), Reply::Hang),
            (route_of(Ollama), Reply::Hang),
        ];
        assert_eq!(found(routes, "/").await, Ok(OpenAiChat));
    }

    #[tokio::test]
    async fn what_speaks_no_dialect_is_an_error_that_says_what_came_back() {
        let page = Reply::Text(200, "text/html", "<html><title>Hello</title></html>");
        let routes = CALLS.map(|(_, route)| (route, page.clone())).to_vec();
        let shown = found(routes, "/").await.unwrap_err().to_string();
        assert!(
            shown.contains("speaks no dialect that is known (openai-chat: 200: Hello"),
            "{shown}"
        );
        assert!(shown.ends_with("name the dialect with --dialect"), "{shown}");
    }

    #[tokio::test]
    async fn what_does_not_answer_at_all_is_no_matter_of_dialects() {
        let server = Routed::start(Vec::new()).await;
        let endpoint = endpoint(server.at("/"));
        drop(server);
        let closed = discover(&transport(), &endpoint, &Credentials::default(), "m").await;
        assert!(matches!(closed, Err(DiscoverError::Silent { .. })), "{closed:?}");
    }

    #[tokio::test]
    async fn every_simulated_model_is_found_in_its_own_dialect_behind_one_port() {
        let fleet = Fleet::embedded().unwrap();
        let sim = Sim::start(fleet.clone(), "127.0.0.1:0", Options::default()).await.unwrap();
        let (transport, endpoint) = (transport(), endpoint(sim.base_url()));
        for model in fleet.iter() {
            let none = Credentials::default();
            let found = discover(&transport, &endpoint, &none, &model.name).await;
            let found = found.map(|found| found.way.dialect);
            assert_eq!(found, Ok(model.dialect), "{}", model.name);
        }
    }

    #[tokio::test]
    async fn a_known_dialect_is_not_asked_for() {
        let server = Routed::start(Vec::new()).await;
        let endpoint = endpoint(server.at("/v1/responses"));
        let found = discover(&transport(), &endpoint, &Credentials::default(), "m").await.unwrap();
        assert_eq!((found.way.dialect, found.heard.len()), (OpenAiResponses, 0));
        assert_eq!(server.requests(), Vec::<String>::new());
    }

    #[tokio::test]
    async fn each_dialect_is_asked_in_its_own_words_with_its_own_headers() {
        let server = Routed::start(Vec::new()).await;
        let endpoint = endpoint(server.at("/"));
        let _ = discover(&transport(), &endpoint, &Credentials::default(), "m").await;
        let requests = server.requests();
        for (_, route) in CALLS {
            let request = requests.iter().find(|request| request.starts_with(route)).unwrap();
            let (head, body) = request.split_once("\r\n\r\n").unwrap();
            assert!(body.parse::<Value>().unwrap().is_object());
            let versioned = head.contains("anthropic-version: 2023-06-01");
            assert_eq!(versioned, route.ends_with("/messages"), "{head}");
        }
    }
}
