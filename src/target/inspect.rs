//! Inspection: what a server tells of itself and of the model's chat template.
//!
//! Everything here is optional: a server that does not answer, or not with what is asked for, is a
//! server that tells nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::timeout;
use url::Url;

use super::{Access, Connection, Endpoint, Hosting, Target, Template};
use crate::adapt::claims::{ClaimOf, server_claims};
use crate::transport::{HttpCall, Judgement, Response, Transport};

/// How long a server may take to tell, the wait for a place among the targets of its endpoint included.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a server tells of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Inspection {
    /// The chat template, where it is told.
    pub template: Option<Template>,
    /// Build, quantisation, parsers: by name, as far as they are told. Never part of the hash.
    pub facts: BTreeMap<&'static str, String>,
    /// What the server claims of the model, each with the path that says it.
    pub claims: Vec<(&'static str, ClaimOf)>,
}

/// A question to one kind of server.
#[derive(Debug, Clone, Copy)]
struct Question {
    /// The path below the server's root.
    path: &'static str,
    /// Where the model is named.
    ask: Ask,
    /// How a template is read off the answer.
    template: Option<fn(&Value) -> Option<Template>>,
    /// Which facts are read off the answer: a JSON pointer and the name it is kept under.
    facts: &'static [(&'static str, &'static str)],
}

/// How a model is named in a question.
#[derive(Debug, Clone, Copy)]
enum Ask {
    /// Not at all.
    Plain,
    /// As `?model=`.
    Query,
    /// In a JSON body.
    Body,
}

/// One row per path; where several servers answer the same, earlier rows win.
const QUESTIONS: [Question; 7] = [
    // llama.cpp; its router mode wants the model.
    Question {
        path: "props",
        ask: Ask::Query,
        template: Some(Template::from_props),
        facts: &[
            ("/build_info", "build"),
            ("/model_ftype", "quantization"),
            // Older builds have only the file's name.
            ("/model_path", "quantization"),
        ],
    },
    // Ollama
    Question {
        path: "api/show",
        ask: Ask::Body,
        template: Some(Template::from_show),
        facts: &[
            ("/renderer", "renderer"),
            ("/parser", "parser"),
            ("/details/family", "architecture"),
            ("/details/quantization_level", "quantization"),
        ],
    },
    Question {
        path: "api/version",
        ask: Ask::Plain,
        template: None,
        facts: &[("/version", "build")],
    },
    // vLLM
    Question {
        path: "tokenizer_info",
        ask: Ask::Plain,
        template: Some(Template::from_tokenizer_config),
        facts: &[("/tokenizer_class", "tokenizer")],
    },
    Question { path: "version", ask: Ask::Plain, template: None, facts: &[("/version", "build")] },
    // SGLang
    Question {
        path: "model_info",
        ask: Ask::Plain,
        template: None,
        facts: &[
            ("/tool_call_parser", "toolCallParser"),
            ("/reasoning_parser", "reasoningParser"),
            ("/weight_version", "weights"),
        ],
    },
    Question {
        path: "server_info",
        ask: Ask::Plain,
        template: None,
        facts: &[
            ("/version", "build"),
            ("/tool_call_parser", "toolCallParser"),
            ("/reasoning_parser", "reasoningParser"),
            ("/quantization", "quantization"),
        ],
    },
];

/// Asks a server what it tells, all at once and not for long. Clouds that are known to tell nothing
/// are not asked.
pub(crate) async fn inspect(connection: &Connection, access: &Access) -> Inspection {
    let Connection { target: Target { endpoint, model, .. }, transport, credentials, .. } =
        connection;
    if !may_tell(endpoint) {
        return Inspection::default();
    }
    let root = server_root(&access.base_url);
    let answers = join_all(QUESTIONS.iter().map(|question| {
        let call = endpoint.dress(question.call(&root, model), access, credentials);
        async move { ask(&**transport, &call).await }
    }));
    let mut inspection = Inspection::default();
    for (question, answer) in QUESTIONS.iter().zip(answers.await) {
        if let Some(answer) = answer {
            inspection.take(question, &answer);
        }
    }
    inspection
}

/// How many requests it takes to ask.
pub(crate) fn questions(endpoint: &Endpoint) -> usize {
    if may_tell(endpoint) { QUESTIONS.len() } else { 0 }
}

fn may_tell(endpoint: &Endpoint) -> bool {
    let known_cloud = endpoint.hosting == Hosting::Cloud && endpoint.provider != "custom";
    !known_cloud || endpoint.provider == "ollama-cloud"
}

/// A page that is not there is an answer: the server is not of that kind.
fn judge_page(response: &Response) -> Judgement {
    if response.status == 404 { Judgement::Final } else { Judgement::ByStatus }
}

async fn ask(transport: &dyn Transport, call: &HttpCall) -> Option<Value> {
    let exchange = timeout(PATIENCE, transport.send(call, &judge_page)).await.ok()?;
    let response = exchange.response().ok()?;
    response.json().ok().filter(|_| response.is_success())
}

impl Question {
    fn call(&self, root: &Url, model: &str) -> HttpCall {
        let mut url = root.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(self.path.split('/'));
        }
        match self.ask {
            Ask::Plain => HttpCall::get(url),
            Ask::Query => {
                url.query_pairs_mut().append_pair("model", model);
                HttpCall::get(url)
            }
            Ask::Body => HttpCall::post(url, json!({"model": model})),
        }
    }
}

impl Inspection {
    /// What an answer adds; what is known already stays.
    fn take(&mut self, question: &Question, answer: &Value) {
        if self.template.is_none() {
            self.template = question.template.and_then(|read| read(answer));
        }
        self.claims.extend(server_claims(answer).into_iter().map(|claim| (question.path, claim)));
        for (pointer, name) in question.facts {
            let told = answer.pointer(pointer).and_then(Value::as_str);
            let told = if *pointer == "/model_path" { told.and_then(quantization) } else { told };
            if let Some(text) = told.filter(|text| !text.is_empty()) {
                self.facts.entry(name).or_insert_with(|| text.to_owned());
            }
        }
    }
}

/// The quantisation in a GGUF file's name, such as `Q4_K_M`. The rest of the path is nobody's
/// business.
fn quantization(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\']).next()?;
    let is_one = |word: &&str| {
        let bits = word.trim_start_matches("IQ").trim_start_matches('Q');
        let quantised = bits.len() < word.len() && bits.starts_with(|c: char| c.is_ascii_digit());
        quantised || matches!(*word, "F16" | "F32" | "BF16" | "MXFP4")
    };
    name.split(['.', '-']).rfind(is_one)
}

/// The address of the server itself: without the call, and without the version of its API.
fn server_root(base: &Url) -> Url {
    const CALLS: [&[&str]; 4] =
        [&["chat", "completions"], &["responses"], &["messages"], &["api", "chat"]];
    let path = base.path().to_owned();
    let mut segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    if let Some(call) = CALLS.iter().find(|call| segments.ends_with(call)) {
        segments.truncate(segments.len() - call.len());
    }
    if let Some(models) = segments.iter().rposition(|segment| *segment == "models") {
        segments.truncate(models);
    }
    let is_version = |s: &str| {
        s.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    segments.pop_if(|last| is_version(last) || *last == "api");
    let mut root = base.clone();
    root.set_path(&segments.join("/"));
    root.set_query(None);
    root.set_fragment(None);
    root
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::ir::Digest;
    use crate::target::testing::{Reply, Routes, connection, serve};
    use crate::target::{Defaults, TargetEntry, resolve_endpoint};

    /// Inspects a server with these routes, reached at this path.
    async fn inspected(routes: Routes, path: &str) -> (Inspection, Vec<String>) {
        let server = serve(routes).await;
        let entry = TargetEntry { base_url: Some(server.at(path)), ..TargetEntry::default() };
        let endpoint = resolve_endpoint(&entry, &Defaults::default(), Path::new(""), &|_| None);
        let endpoint = endpoint.unwrap();
        let told = inspect(&connection(&endpoint, "m"), &endpoint.accesses[0]).await;
        (told, server.requests())
    }

    fn facts(inspection: &Inspection) -> Vec<(&str, &str)> {
        inspection.facts.iter().map(|(name, value)| (*name, value.as_str())).collect()
    }

    #[tokio::test]
    async fn llama_cpp_tells_its_template_its_build_and_no_path() {
        let props = json!({
            "chat_template": "{{ m }}\n", "build_info": "b7000-abc",
            "model_path": "/home/me/models/SmolLM2-135M-Instruct.Q4_1.gguf",
            "chat_template_caps": {"supports_tools": false},
        });
        let (told, requests) =
            inspected(vec![("GET /props", Reply::Json(200, props))], "/v1").await;
        assert_eq!(told.template.as_ref().unwrap().hash(), Digest::of("{{ m }}"));
        assert_eq!(facts(&told), [("build", "b7000-abc"), ("quantization", "Q4_1")]);
        assert!(matches!(told.claims.as_slice(), [("props", claim)] if !claim.says));
        assert!(requests.iter().any(|request| request.starts_with("GET /props?model=m ")));
    }

    #[tokio::test]
    async fn ollama_tells_template_renderer_and_parser() {
        let show = json!({
            "template": "{{ .Prompt }}", "renderer": "qwen3-coder", "parser": "qwen3-coder",
            "details": {"family": "qwen3", "quantization_level": "Q4_K_M"},
        });
        let routes = vec![
            ("POST /api/show", Reply::Json(200, show.clone())),
            ("GET /api/version", Reply::Json(200, json!({"version": "0.30.1"}))),
        ];
        let (told, requests) = inspected(routes, "/").await;
        assert_eq!(told.template, Template::from_show(&show));
        assert_eq!(told.facts["build"], "0.30.1");
        assert_eq!(told.facts["renderer"], "qwen3-coder");
        assert_eq!(told.facts["quantization"], "Q4_K_M");
        assert!(requests.iter().any(|request| request.ends_with(r#"{"model":"m"}"#)));
    }

    #[tokio::test]
    async fn vllm_tells_its_tokenizer_and_sglang_its_parsers() {
        let info = json!({"tokenizer_class": "Qwen2Tokenizer", "chat_template": "T"});
        let routes = vec![("GET /tokenizer_info", Reply::Json(200, info))];
        let (told, _) = inspected(routes, "/v1/chat/completions").await;
        assert_eq!(told.template.unwrap().hash(), Digest::of("T"));
        let info = json!({"tool_call_parser": "qwen25", "reasoning_parser": null});
        let routes = vec![("GET /proxy/model_info", Reply::Json(200, info))];
        let (told, _) = inspected(routes, "/proxy/v1").await;
        assert_eq!(told.template, None);
        assert_eq!(facts(&told), [("toolCallParser", "qwen25")]);
    }

    #[tokio::test]
    async fn whatever_else_comes_back_tells_nothing() {
        let routes = vec![
            ("GET /props", Reply::Text(200, "text/html", "<html>chat_template</html>")),
            ("POST /api/show", Reply::Json(500, json!({"template": "not told"}))),
            ("GET /tokenizer_info", Reply::Json(200, json!([{"chat_template": 3}]))),
            ("GET /version", Reply::Json(200, json!("1.0"))),
        ];
        assert_eq!(inspected(routes, "/v1").await.0, Inspection::default());
        assert_eq!(inspected(Vec::new(), "/v1").await.0, Inspection::default());
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_hangs_costs_no_more_than_the_patience() {
        let endpoint = {
            let url = Some("http://127.0.0.1:9/v1".to_owned());
            let entry = TargetEntry { base_url: url, ..TargetEntry::default() };
            resolve_endpoint(&entry, &Defaults::default(), Path::new(""), &|_| None).unwrap()
        };
        let before = tokio::time::Instant::now();
        let transport = std::sync::Arc::new(Silent);
        let connection = Connection { transport, ..connection(&endpoint, "m") };
        let told = inspect(&connection, &endpoint.accesses[0]).await;
        assert_eq!(told, Inspection::default());
        assert!(before.elapsed() <= PATIENCE + Duration::from_millis(1));
    }

    /// Never answers.
    struct Silent;

    impl Transport for Silent {
        fn redact(&self, call: &HttpCall) -> crate::transport::SentRequest {
            crate::transport::SentRequest::redacted(call, &crate::transport::Scrubber::default())
        }

        fn send<'a>(
            &'a self,
            _call: &'a HttpCall,
            _judge: crate::transport::Judge<'a>,
        ) -> futures_util::future::BoxFuture<'a, crate::transport::Exchange> {
            Box::pin(std::future::pending())
        }
    }

    #[tokio::test]
    async fn a_known_cloud_is_not_asked() {
        let entry = TargetEntry { provider: Some("openai".to_owned()), ..TargetEntry::default() };
        let endpoint = resolve_endpoint(&entry, &Defaults::default(), Path::new(""), &|_| None);
        assert!(!may_tell(&endpoint.unwrap()));
    }

    #[test]
    fn quantisations_are_read_off_file_names() {
        for (path, expected) in [
            ("/m/Qwen3-8B-Q4_K_M.gguf", Some("Q4_K_M")),
            ("C:\\m\\x.IQ2_XS.gguf", Some("IQ2_XS")),
            ("x-BF16.gguf", Some("BF16")),
            ("Q8_0/model.gguf", None),
            ("Qwen.gguf", None),
        ] {
            assert_eq!(quantization(path), expected, "{path}");
        }
    }

    #[test]
    fn the_root_of_a_server_is_found_below_any_path() {
        for (base, root) in [
            ("http://h:1", "http://h:1/"),
            ("http://h/v1/", "http://h/"),
            ("http://h/a/v1/chat/completions?x=1", "http://h/a"),
            ("http://h/v1beta/models/m:generateContent", "http://h/"),
            ("http://h/api/chat", "http://h/"),
            ("http://h/api", "http://h/"),
            ("http://h/v1/messages", "http://h/"),
        ] {
            assert_eq!(server_root(&Url::parse(base).unwrap()).as_str(), root, "{base}");
        }
    }
}
