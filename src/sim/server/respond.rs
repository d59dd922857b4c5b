//! Answering: from an HTTP request to its answer.
//!
//! Everything between the bytes of a request and the bytes of its answer, without a socket.

use axum::http::{HeaderMap, Method};
use serde_json::{Value, json};

use super::answer::HttpAnswer;
use super::faults;
use super::{Memory, Options, listing, whereabouts};
use crate::dialect::{Auth, DeltaLength, DialectId, Route, Stamp};
use crate::ir::{Digest, Request};
use crate::sim::quirks::{self, WireQuirk};
use crate::sim::rules::{self, RequestFacts, ServiceFault, Violation};
use crate::sim::{
    Draw, Fleet, ModelFile, NativeTools, RulesId, ThinkingWhen, brain, is_thinking, issue,
    official, output, routes,
};
use crate::wire::{Framing, LineEnd, SseStyle};

/// A request as it came in.
pub(super) struct IncomingRequest<'a> {
    pub(super) method: &'a Method,
    pub(super) path: &'a str,
    pub(super) query: &'a [(String, String)],
    pub(super) headers: &'a HeaderMap,
    /// The body, or nothing when it was longer than the limit.
    pub(super) body: Option<&'a [u8]>,
    /// The base URL of the server that it came to.
    pub(super) served_at: &'a str,
}

impl IncomingRequest<'_> {
    fn digest(&self) -> String {
        let asked = [self.path.as_bytes(), b"\0", self.body.unwrap_or_default()].concat();
        Digest::of(asked).hex().chars().take(24).collect()
    }

    fn parameter(&self, key: &str) -> Option<&str> {
        self.query.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// A header's text; empty where it is not there.
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    fn key(&self) -> Option<&str> {
        let headers = self.headers.iter();
        let texts = headers.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        Auth::key_in(texts).or_else(|| self.parameter("key").filter(|key| !key.is_empty()))
    }
}

/// The answer of one server.
pub(super) fn respond(
    fleet: &Fleet,
    options: &Options,
    memory: &Memory,
    incoming: &IncomingRequest<'_>,
) -> HttpAnswer {
    let body = incoming.body.unwrap_or_default();
    let (under, path) = routes::split_prefix(fleet, incoming.path);
    let Some((dialect, route)) = Route::parse(path) else {
        let IncomingRequest { method, path, query, headers, .. } = incoming;
        return listing::answer(fleet, method, path, query, headers, body)
            .unwrap_or_else(|| no_such_path(method, path));
    };
    if incoming.method != Method::POST {
        return wrong_method(incoming.method, incoming.path);
    }
    let id = incoming.digest();
    let call = Call { fleet, options, memory, incoming, under, dialect, route, id };
    call.answer()
}

pub(super) fn no_such_path(method: &Method, path: &str) -> HttpAnswer {
    openai_error(404, &format!("Invalid URL ({method} {path})"))
}

/// What is said where too much is being sent at the same time.
pub(super) fn busy() -> HttpAnswer {
    openai_error(503, "The server is overloaded: too many large requests at the same time.")
        .header("retry-after", "1")
}

pub(super) fn wrong_method(method: &Method, path: &str) -> HttpAnswer {
    openai_error(
        405,
        &format!(
            "Not allowed to {method} on {path}. (HINT: Perhaps you meant to use a different HTTP method?)"
        ),
    )
    .header("allow", "POST")
}

fn openai_error(status: u16, message: &str) -> HttpAnswer {
    let error = json!({"message": message, "type": "invalid_request_error", "param": null,
                       "code": null});
    HttpAnswer::json(status, &json!({"error": error}))
}

/// One call on a provider's path.
struct Call<'a> {
    fleet: &'a Fleet,
    options: &'a Options,
    memory: &'a Memory,
    incoming: &'a IncomingRequest<'a>,
    /// The first segment of the path, where a model is offered under one.
    under: Option<&'a str>,
    dialect: DialectId,
    route: Route,
    id: String,
}

impl Call<'_> {
    fn answer(&self) -> HttpAnswer {
        let Some(bytes) = self.incoming.body else {
            return self.fault(RulesId::of(self.dialect), &ServiceFault::TooLarge);
        };
        let Ok(body) = serde_json::from_slice::<Value>(bytes) else {
            return self.fault(RulesId::of(self.dialect), &ServiceFault::NotJson);
        };
        let in_body = body.get("model").and_then(Value::as_str);
        let name = self.route.model.as_deref().or(in_body);
        let found = name.and_then(|name| self.fleet.get(name));
        let served = found.and_then(|model| model.offered(self.under, self.dialect));
        let rules = served.as_deref().map_or(RulesId::of(self.dialect), ModelFile::rules);
        if let Some(fault) = self.find_access_fault(rules) {
            return self.fault(rules, &fault);
        }
        match (served, found, name) {
            (Some(model), _, _) => self.model(&model, &body),
            (None, Some(model), _) => self.other_path(rules, model),
            (None, None, Some(name)) => self.fault(rules, &ServiceFault::NoModel(name)),
            (None, None, None) => self.no_model_named(rules, &body),
        }
    }

    fn fault(&self, rules: RulesId, fault: &ServiceFault<'_>) -> HttpAnswer {
        self.refuse(rules, &rules::fault(rules, fault))
    }

    /// Errors of Gemini's array streams are arrays too.
    fn refuse(&self, rules: RulesId, violation: &Violation) -> HttpAnswer {
        let mut refusal = rules::refuse(rules, violation, &format!("req_{}", self.id));
        if framing(self.dialect, self.incoming) == Framing::JsonArray
            && self.route.stream == Some(true)
        {
            refusal.body = json!([refusal.body]);
        }
        refusal.into()
    }

    /// Why the request is refused before it reaches the model.
    fn find_access_fault(&self, rules: RulesId) -> Option<ServiceFault<'static>> {
        if let Some(expected) = &self.options.api_key {
            match self.incoming.key() {
                None => return Some(ServiceFault::NoKey),
                Some(key) if key != expected => return Some(ServiceFault::WrongKey),
                Some(_) => {}
            }
        }
        let versioned = self.incoming.headers.contains_key("anthropic-version");
        let wanted = self.dialect == DialectId::AnthropicMessages
            // "anthropic-version: ignored": https://api-docs.deepseek.com/guides/anthropic_api
            && rules != RulesId::DeepseekMessages;
        (wanted && !versioned).then_some(ServiceFault::NoVersion)
    }

    fn other_path(&self, rules: RulesId, model: &ModelFile) -> HttpAnswer {
        let served = match model.dialect {
            DialectId::AnthropicMessages => "v1/messages".to_owned(),
            DialectId::OpenAiChat => "v1/chat/completions".to_owned(),
            DialectId::OpenAiResponses => "v1/responses".to_owned(),
            DialectId::Gemini => format!("v1beta/models/{}:generateContent", model.name),
            DialectId::Ollama => "api/chat".to_owned(),
        };
        let called = self.incoming.path.trim_start_matches('/');
        self.fault(rules, &ServiceFault::OtherPath { called, served: &served })
    }

    fn no_model_named(&self, rules: RulesId, body: &Value) -> HttpAnswer {
        let tools = NativeTools::Used;
        let facts = RequestFacts { model: "", thinking: false, can_think: true, tools, betas: "" };
        match rules::check(rules, body, facts) {
            Err(violation) => self.refuse(rules, &violation),
            Ok(()) => {
                self.fault(rules, &ServiceFault::Unreadable("you must provide a model parameter"))
            }
        }
    }

    fn model(&self, model: &ModelFile, body: &Value) -> HttpAnswer {
        if let Some(answer) = faults::answer_instead(model, &self.id, &self.memory.seen) {
            return answer;
        }
        let rules = model.rules();
        let read = official::read_request(rules, body, &self.memory.stored);
        let request = model.dialect.codec().decode_request(&read, &self.route);
        let facts = RequestFacts {
            model: &model.name,
            thinking: request.as_ref().is_ok_and(|request| is_thinking(model, request)),
            can_think: model.thinking.when != ThinkingWhen::Never,
            tools: model.tools,
            betas: self.incoming.header("anthropic-beta"),
        };
        if rules == RulesId::OpenAiResponses
            && let Some((n, why)) = official::unreadable_grammar(body)
        {
            return self.refuse(rules, &rules::refuse_grammar(n, &why));
        }
        // The provider's own checks come first: their words are more exact.
        if let Err(violation) = rules::check(rules, &read, facts) {
            return self.refuse(rules, &violation);
        }
        match request {
            Ok(request) => match faults::wants_stream(model, &request) {
                Some(message) => self.fault(rules, &ServiceFault::Unreadable(message)),
                None => self.reply(model, body, &request),
            },
            Err(problem) => self.fault(rules, &ServiceFault::Unreadable(&problem.to_string())),
        }
    }

    fn reply(&self, model: &ModelFile, body: &Value, request: &Request) -> HttpAnswer {
        let codec = model.dialect.codec();
        let own = whereabouts::answer(request, self.incoming.served_at);
        let (pace, piece) =
            own.as_ref().and_then(|own| own.manner).unwrap_or((model.pace, model.piece_length));
        let mut reply =
            own.map_or_else(|| brain::answer(request, model, &Draw::of(request)), |own| own.reply);
        if let Some(body) = output::refusal(&reply, request, model.rules()) {
            return HttpAnswer::json(400, &body);
        }
        issue::ids(&mut reply, request, model);
        let stamp = Stamp { created: self.options.clock.now(), usage: wants_usage(model, body) };
        let streamed = request.stream && !faults::ignores_stream(model);
        let rules = model.rules();
        let whole = codec.encode_reply(&reply, &stamp);
        let whole = official::complete_body(rules, whole, body, &self.memory.stored);
        let answer = if streamed {
            let frames = codec.encode_stream(&reply, &stamp, DeltaLength(piece));
            let frames = official::complete_frames(rules, frames, body);
            let frames = quirks::distort_frames(frames, model.dialect, &model.wire_quirks);
            let framing = framing(self.dialect, self.incoming);
            HttpAnswer::stream(framing, style(self.dialect), &frames).pace(pace)
        } else {
            let whole = quirks::distort_body(whole, model.dialect, &model.wire_quirks);
            HttpAnswer::json(200, &whole)
        };
        let header = rules::request_id_header(model.rules(), &format!("req_{}", self.id));
        let answer = header.into_iter().fold(answer, |answer, (name, id)| answer.header(name, id));
        faults::with_ending(model, answer, streamed)
    }
}

/// Gemini streams an array unless server-sent events are asked for.
pub(super) fn framing(dialect: DialectId, incoming: &IncomingRequest<'_>) -> Framing {
    match dialect {
        DialectId::Gemini if incoming.parameter("alt") != Some("sse") => Framing::JsonArray,
        dialect => dialect.codec().framing(),
    }
}

/// Google ends lines with CR and LF: Routstr/routstr-core#543, nyroway/nyro#265.
pub(super) fn style(dialect: DialectId) -> SseStyle {
    match dialect {
        DialectId::Gemini => SseStyle { line_end: LineEnd::CrLf, ..SseStyle::default() },
        _ => SseStyle::default(),
    }
}

/// Chat streams tell their usage when asked; the other dialects always do.
fn wants_usage(model: &ModelFile, body: &Value) -> bool {
    let asked = body.pointer("/stream_options/include_usage").and_then(Value::as_bool);
    model.dialect != DialectId::OpenAiChat
        || asked == Some(true)
        || model.wire_quirks.contains(&WireQuirk::UsageInFinishChunk)
}
