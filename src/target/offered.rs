//! The models that an endpoint offers, as it lists them.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::Value;
use tokio::time::timeout;
use url::Url;

use super::{Access, Credentials, Endpoint};
use crate::dialect::{DialectId, call_url};
use crate::transport::{HttpCall, Transport, by_status};

/// How long an endpoint may take to list its models.
const PATIENCE: Duration = Duration::from_secs(15);

/// The models that an endpoint lists, in its order, over the first access that lists any.
///
/// `None` when it lists none: not every endpoint does.
pub(super) async fn offered_models(
    transport: &dyn Transport,
    endpoint: &Endpoint,
    credentials: &Credentials,
) -> Option<Vec<String>> {
    let lists = join_all(endpoint.accesses.iter().map(async |access| {
        let call = endpoint.dress(HttpCall::get(list_url(access)?), access, credentials);
        let exchange = timeout(PATIENCE, transport.send(&call, &by_status)).await.ok()?;
        let response = exchange.response().ok().filter(|response| response.is_success())?;
        models_in(&response.json().ok()?)
    }));
    lists.await.into_iter().flatten().find(|models| !models.is_empty())
}

/// Where an access lists its models: beside its call.
fn list_url(access: &Access) -> Option<Url> {
    let mut url = call_url(access.dialect, &access.base_url, "m", false).ok()?;
    let (own, list, query) = match access.dialect {
        DialectId::OpenAiChat => (2, Some("models"), None),
        DialectId::OpenAiResponses => (1, Some("models"), None),
        DialectId::AnthropicMessages => (1, Some("models"), Some(("limit", "1000"))),
        // `models/m:generateContent`: the collection stays.
        DialectId::Gemini => (1, None, Some(("pageSize", "1000"))),
        DialectId::Ollama => (1, Some("tags"), None),
    };
    {
        let mut path = url.path_segments_mut().ok()?;
        (0..own).for_each(|_| {
            path.pop();
        });
        path.extend(list);
    }
    if let Some((name, value)) = query {
        url.query_pairs_mut().append_pair(name, value);
    }
    Some(url)
}

/// The names in a list of any dialect; `None` when the value is not such a list.
///
/// `{"data": [{"id"}]}`, the same array bare (Together), `{"models": [{"name"}]}` of Gemini with
/// its methods, or of Ollama.
pub(super) fn models_in(body: &Value) -> Option<Vec<String>> {
    let list = body.get("data").or_else(|| body.get("models")).unwrap_or(body).as_array()?;
    Some(list.iter().filter(|entry| generates(entry)).filter_map(name_of).collect())
}

/// Gemini lists embedding models too.
fn generates(entry: &Value) -> bool {
    let methods = entry.get("supportedGenerationMethods").and_then(Value::as_array);
    methods.is_none_or(|methods| methods.iter().any(|method| method == "generateContent"))
}

fn name_of(entry: &Value) -> Option<String> {
    let name = ["id", "model", "name"].iter().find_map(|key| entry.get(key)?.as_str())?;
    Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;
    use crate::target::testing::{Reply, serve, transport};
    use crate::target::{Defaults, TargetEntry, resolve_endpoint};

    async fn offered(route: &'static str, reply: Value) -> Option<Vec<String>> {
        let server = serve(vec![(route, Reply::Json(200, reply))]).await;
        let entry = TargetEntry { base_url: Some(server.at("/")), ..TargetEntry::default() };
        let endpoint = resolve_endpoint(&entry, &Defaults::default(), Path::new(""), &|_| None);
        offered_models(&transport(), &endpoint.unwrap(), &Credentials::default()).await
    }

    #[tokio::test]
    async fn every_dialects_list_is_found_and_read() {
        let ids = json!({"object": "list", "data": [{"id": "b"}, {"id": "a"}]});
        let gemini = json!({"models": [
            {"name": "models/b", "supportedGenerationMethods": ["generateContent"]},
            {"name": "models/e", "supportedGenerationMethods": ["embedContent"]},
            {"name": "models/a"},
        ]});
        let ollama = json!({"models": [{"name": "b", "model": "b"}, {"name": "a"}]});
        for (route, reply) in [
            ("GET /v1/models", ids.clone()),
            ("GET /v1/models?limit=1000", ids),
            ("GET /v1/models", json!([{"id": "b"}, {"id": "a"}])),
            ("GET /v1beta/models?pageSize=1000", gemini),
            ("GET /api/tags", ollama),
        ] {
            let expected = Some(vec!["b".to_owned(), "a".to_owned()]);
            assert_eq!(offered(route, reply).await, expected, "{route}");
        }
    }

    #[tokio::test]
    async fn what_lists_nothing_gives_none() {
        assert_eq!(offered("GET /v1/models", json!({"data": []})).await, None);
        assert_eq!(offered("GET /v1/models", json!({"error": "no"})).await, None);
        assert_eq!(offered("GET /elsewhere", json!([])).await, None);
    }

    #[test]
    fn lists_stand_beside_the_call() {
        use DialectId::{AnthropicMessages, Gemini, Ollama, OpenAiChat, OpenAiResponses};
        for (dialect, base, expected) in [
            (OpenAiChat, "http://h/v1", "http://h/v1/models"),
            (OpenAiChat, "http://h/x/v4/chat/completions", "http://h/x/v4/models"),
            (OpenAiResponses, "http://h", "http://h/v1/models"),
            (AnthropicMessages, "http://h", "http://h/v1/models?limit=1000"),
            (Gemini, "http://h/v1beta", "http://h/v1beta/models?pageSize=1000"),
            (Ollama, "http://h/api/chat", "http://h/api/tags"),
        ] {
            let base_url = Some(base.to_owned());
            let choice = Some(crate::target::DialectChoice::Fixed(dialect));
            let entry = TargetEntry { base_url, dialect: choice, ..TargetEntry::default() };
            let endpoint = resolve_endpoint(&entry, &Defaults::default(), Path::new(""), &|_| None);
            let url = list_url(&endpoint.unwrap().accesses[0]).unwrap();
            assert_eq!(url.as_str(), expected);
        }
    }
}
