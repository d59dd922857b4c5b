//! Finding the dialect that an endpoint speaks.
//!
//! What the URL says was read when the target was resolved; where several dialects are left, each
//! is tried with one small request, all at the same time.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::time::{Instant, timeout_at};

use super::dialect_answer::{DialectAnswer, Rank};
use super::{Access, Connection};
use crate::conversation::{check_usage, decode_answer};
use crate::dialect::{DialectId, call_url};
use crate::ir::{Message, Request};
use crate::transport::{Exchange, HttpCall, RecordedExchange, by_status};

/// How long the answers may take: a local server may have to load the model first.
const PATIENCE: Duration = Duration::from_secs(60);

/// The least that every dialect takes as a limit.
const MAX_TOKENS: u64 = 16;

/// What is said to a model only to see whether it answers: here, and through an adapter.
pub(crate) const GREETINGS: [&str; 2] = ["Say hi.", "Good morning to you."];

/// The access that was found, and how each candidate answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Discovery {
    /// The access to use.
    pub access: Access,
    /// One answer per dialect that was tried, in order of preference; empty when only one was possible.
    pub answers: Vec<DialectAnswer>,
}

/// No dialect was recognised.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DiscoverError {
    /// Nothing answered: infrastructure, not a matter of dialects.
    #[error("no answer from the endpoint: {}", .answers.first().map_or("", |it| it.said.as_str()))]
    Silent {
        /// Why, for each dialect that was tried.
        answers: Vec<DialectAnswer>,
    },
    /// Something answered, but in none of the dialects.
    #[error(
        "the endpoint speaks no dialect that is known ({}); check the URL, or name the dialect with \
         --dialect",
        list_answers(.answers)
    )]
    NoDialect {
        /// How each dialect was answered.
        answers: Vec<DialectAnswer>,
    },
}

impl DiscoverError {
    /// What was sent and came back.
    pub fn into_exchanges(self) -> Vec<RecordedExchange> {
        let (Self::Silent { answers } | Self::NoDialect { answers }) = self;
        answers.into_iter().filter_map(|answer| answer.exchange).collect()
    }
}

fn list_answers(answers: &[DialectAnswer]) -> String {
    let each = answers.iter().map(|it| format!("{}: {}", it.dialect, it.said));
    each.collect::<Vec<_>>().join("; ")
}

/// Finds the access to a model. Where there is only one, nothing is asked.
pub(crate) async fn discover(connection: &Connection) -> Result<Discovery, DiscoverError> {
    let accesses = &connection.target.endpoint.accesses;
    if let [access] = accesses.as_slice() {
        return Ok(Discovery { access: access.clone(), answers: Vec::new() });
    }
    let answers = try_all(connection).await;
    let best = choose(&answers);
    match best.and_then(|best| accesses.iter().find(|access| access.dialect == best)) {
        Some(access) => Ok(Discovery { access: access.clone(), answers }),
        None => Err(failure(answers)),
    }
}

/// Tries all accesses at once, until the preferred one has replied or all have answered.
async fn try_all(connection: &Connection) -> Vec<DialectAnswer> {
    let deadline = Instant::now() + PATIENCE;
    let accesses = &connection.target.endpoint.accesses;
    let trials = accesses.iter().enumerate().map(|(index, access)| async move {
        let answer = timeout_at(deadline, attempt(connection, access)).await;
        (index, answer.unwrap_or_else(|_| DialectAnswer::nothing(access.dialect)))
    });
    let mut trials: FuturesUnordered<_> = trials.collect();
    let mut answers: Vec<Option<DialectAnswer>> = vec![None; accesses.len()];
    while let Some((index, answer)) = trials.next().await {
        if let Some(slot) = answers.get_mut(index) {
            *slot = Some(answer);
        }
        if is_settled(&answers) {
            break;
        }
    }
    answers.into_iter().flatten().collect()
}

async fn attempt(connection: &Connection, access: &Access) -> DialectAnswer {
    let Connection { target, transport, credentials, .. } = connection;
    let dialect = access.dialect;
    let url = match call_url(dialect, &access.base_url, &target.model, false) {
        Ok(url) => url,
        Err(error) => {
            return DialectAnswer::without_exchange(dialect, Rank::Foreign, error.to_string());
        }
    };
    let path = url.path().to_owned();
    let call = HttpCall::post(url, dialect.codec().encode_request(&greeting(&target.model)));
    let call = call.with_reply_of(MAX_TOKENS);
    let call = target.endpoint.dress(call, access, credentials);
    let exchange = transport.send(&call, &by_status).await;
    charge(dialect, &call, &exchange);
    DialectAnswer::of(dialect, &path, exchange)
}

/// Charges what the endpoint says that its reply cost.
fn charge(dialect: DialectId, call: &HttpCall, exchange: &Exchange) {
    let (Some(payment), Ok(response)) = (&exchange.payment.0, exchange.response()) else { return };
    let mut answer = decode_answer(dialect.codec(), response, false);
    if let Some(used) = check_usage(&mut answer, call.most) {
        payment.settle(used);
    }
}

/// The smallest thing to say.
fn greeting(model: &str) -> Request {
    Request {
        model: model.to_owned(),
        messages: GREETINGS.first().map(|words| Message::user(*words)).into_iter().collect(),
        max_tokens: Some(MAX_TOKENS),
        ..Request::default()
    }
}

/// Whether the choice can no longer change: a dialect replied, and every preferred one has answered.
fn is_settled(answers: &[Option<DialectAnswer>]) -> bool {
    for answer in answers {
        match answer {
            None => return false,
            Some(answer) if answer.rank == Rank::Replied => return true,
            Some(_) => {}
        }
    }
    true
}

/// The dialect whose answer ranks highest; the preferred one among equals.
fn choose(answers: &[DialectAnswer]) -> Option<DialectId> {
    let mut best: Option<&DialectAnswer> = None;
    for candidate in answers.iter().filter(|answer| answer.rank > Rank::Silent) {
        if best.is_none_or(|best| candidate.rank > best.rank) {
            best = Some(candidate);
        }
    }
    best.map(|answer| answer.dialect)
}

fn failure(answers: Vec<DialectAnswer>) -> DiscoverError {
    let silent = answers.iter().all(|answer| answer.rank == Rank::Silent);
    if silent && !answers.is_empty() {
        DiscoverError::Silent { answers }
    } else {
        DiscoverError::NoDialect { answers }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::DialectId::{AnthropicMessages, Gemini, Ollama, OpenAiChat, OpenAiResponses};
    use super::*;
    use crate::sim::{Fleet, Options, Sim};
    use crate::target::testing::{Reply, Routes, connection, serve};
    use crate::target::{Defaults, DialectChoice, Endpoint, TargetEntry, resolve_endpoint};

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
        let server = serve(routes).await;
        let connection = connection(&endpoint(server.at(path)), "m");
        discover(&connection).await.map(|found| found.access.dialect)
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
        let server = serve(Vec::new()).await;
        let endpoint = endpoint(server.at("/"));
        drop(server);
        let closed = discover(&connection(&endpoint, "m")).await;
        assert!(matches!(closed, Err(DiscoverError::Silent { .. })), "{closed:?}");
    }

    #[tokio::test]
    async fn every_simulated_model_is_found_in_a_dialect_that_it_is_offered_in_behind_one_port() {
        let fleet = Fleet::embedded().unwrap();
        let sim = Sim::start(fleet.clone(), "127.0.0.1:0", Options::default()).await.unwrap();
        let endpoint = endpoint(sim.base_url());
        for model in fleet.iter() {
            let found = discover(&connection(&endpoint, &model.name)).await;
            let found = found.map(|found| found.access.dialect);
            let is_offered = found.as_ref().is_ok_and(|it| model.offered(None, *it).is_some());
            assert!(is_offered, "{}: {found:?}", model.name);
        }
    }

    #[tokio::test]
    async fn a_known_dialect_is_not_asked_for() {
        let server = serve(Vec::new()).await;
        let endpoint = endpoint(server.at("/v1/responses"));
        let found = discover(&connection(&endpoint, "m")).await.unwrap();
        assert_eq!((found.access.dialect, found.answers.len()), (OpenAiResponses, 0));
        assert_eq!(server.requests(), Vec::<String>::new());
    }

    #[tokio::test]
    async fn each_dialect_is_asked_in_its_own_words_with_its_own_headers() {
        let server = serve(Vec::new()).await;
        let endpoint = endpoint(server.at("/"));
        let _ = discover(&connection(&endpoint, "m")).await;
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
