//! What is the answer to this HTTP request?
//!
//! Everything between the bytes of a request and the bytes of its answer, without a socket.

use axum::http::{HeaderMap, Method};
use serde_json::{Value, json};

use super::faults::{self, Seen};
use super::openings::Openings;
use super::outcome::Outcome;
use super::{Options, listing};
use crate::dialect::{Auth, DeltaLength, DialectId, Route, Stamp};
use crate::ir::{Digest, Request};
use crate::sim::quirks::{self, WireQuirk};
use crate::sim::rules::{self, Facts, Fault, Violation};
use crate::sim::{
    Draw, Fleet, ModelFile, NativeTools, RulesId, ThinkingWhen, brain, is_thinking, issue, output,
};
use crate::wire::Framing;

/// A request as it came in.
pub(super) struct Incoming<'a> {
    pub(super) method: &'a Method,
    pub(super) path: &'a str,
    pub(super) query: &'a [(String, String)],
    pub(super) headers: &'a HeaderMap,
    /// The body, or nothing when it was longer than the limit.
    pub(super) body: Option<&'a [u8]>,
}

impl Incoming<'_> {
    fn digest(&self) -> String {
        let asked = [self.path.as_bytes(), b"\0", self.body.unwrap_or_default()].concat();
        Digest::of(asked).hex().chars().take(24).collect()
    }

    fn parameter(&self, key: &str) -> Option<&str> {
        self.query.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
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
    seen: &Seen,
    openings: &Openings,
    incoming: &Incoming<'_>,
) -> Outcome {
    let body = incoming.body.unwrap_or_default();
    let Some((dialect, route)) = Route::parse(incoming.path) else {
        let Incoming { method, path, query, headers, .. } = incoming;
        return listing::answer(fleet, method, path, query, headers, body)
            .unwrap_or_else(|| no_such_path(method, path));
    };
    if incoming.method != Method::POST {
        return wrong_method(incoming.method, incoming.path);
    }
    let call =
        Call { fleet, options, seen, openings, incoming, dialect, route, id: incoming.digest() };
    call.answer()
}

fn no_such_path(method: &Method, path: &str) -> Outcome {
    openai_error(404, &format!("Invalid URL ({method} {path})"))
}

fn wrong_method(method: &Method, path: &str) -> Outcome {
    openai_error(
        405,
        &format!(
            "Not allowed to {method} on {path}. (HINT: Perhaps you meant to use a different HTTP method?)"
        ),
    )
    .header("allow", "POST")
}

fn openai_error(status: u16, message: &str) -> Outcome {
    let error = json!({"message": message, "type": "invalid_request_error", "param": null,
                       "code": null});
    Outcome::json(status, &json!({"error": error}))
}

/// One call on a provider's path.
struct Call<'a> {
    fleet: &'a Fleet,
    options: &'a Options,
    seen: &'a Seen,
    openings: &'a Openings,
    incoming: &'a Incoming<'a>,
    dialect: DialectId,
    route: Route,
    id: String,
}

impl Call<'_> {
    fn answer(&self) -> Outcome {
        let Some(bytes) = self.incoming.body else {
            return self.fault(RulesId::of(self.dialect), &Fault::TooLarge);
        };
        let Ok(body) = serde_json::from_slice::<Value>(bytes) else {
            return self.fault(RulesId::of(self.dialect), &Fault::NotJson);
        };
        let in_body = body.get("model").and_then(Value::as_str);
        let name = self.route.model.as_deref().or(in_body);
        let found = name.and_then(|name| self.fleet.get(name));
        let served = found.filter(|model| model.dialect == self.dialect);
        let rules = served.map_or(RulesId::of(self.dialect), ModelFile::rules);
        if let Some(fault) = self.not_admitted() {
            return self.fault(rules, &fault);
        }
        match (served, found, name) {
            (Some(model), _, _) => self.model(model, &body),
            (None, Some(model), _) => self.other_path(rules, model),
            (None, None, Some(name)) => self.fault(rules, &Fault::NoModel(name)),
            (None, None, None) => self.no_model_named(rules, &body),
        }
    }

    fn fault(&self, rules: RulesId, fault: &Fault<'_>) -> Outcome {
        self.refuse(rules, &rules::fault(rules, fault))
    }

    /// Errors of Gemini's array streams are arrays too.
    fn refuse(&self, rules: RulesId, violation: &Violation) -> Outcome {
        let mut refusal = rules::refuse(rules, violation, &format!("req_{}", self.id));
        if self.framing() == Framing::JsonArray && self.route.stream == Some(true) {
            refusal.body = json!([refusal.body]);
        }
        refusal.into()
    }

    /// Why the request does not even get to the model.
    fn not_admitted(&self) -> Option<Fault<'static>> {
        if let Some(expected) = &self.options.api_key {
            match self.incoming.key() {
                None => return Some(Fault::NoKey),
                Some(key) if key != expected => return Some(Fault::WrongKey),
                Some(_) => {}
            }
        }
        let versioned = self.incoming.headers.contains_key("anthropic-version");
        (self.dialect == DialectId::AnthropicMessages && !versioned).then_some(Fault::NoVersion)
    }

    fn other_path(&self, rules: RulesId, model: &ModelFile) -> Outcome {
        let served = match model.dialect {
            DialectId::AnthropicMessages => "v1/messages".to_owned(),
            DialectId::OpenAiChat => "v1/chat/completions".to_owned(),
            DialectId::OpenAiResponses => "v1/responses".to_owned(),
            DialectId::Gemini => format!("v1beta/models/{}:generateContent", model.name),
            DialectId::Ollama => "api/chat".to_owned(),
        };
        let called = self.incoming.path.trim_start_matches('/');
        self.fault(rules, &Fault::OtherPath { called, served: &served })
    }

    fn no_model_named(&self, rules: RulesId, body: &Value) -> Outcome {
        let facts = Facts { model: "", thinking: false, can_think: true, tools: NativeTools::Used };
        match rules::check(rules, body, facts) {
            Err(violation) => self.refuse(rules, &violation),
            Ok(()) => self.fault(rules, &Fault::Unreadable("you must provide a model parameter")),
        }
    }

    fn model(&self, model: &ModelFile, body: &Value) -> Outcome {
        if let Some(outcome) = faults::instead(model, &self.id, self.seen) {
            return outcome;
        }
        let rules = model.rules();
        let request = model.dialect.codec().decode_request(body, &self.route);
        let facts = Facts {
            model: &model.name,
            thinking: request.as_ref().is_ok_and(|request| is_thinking(model, request)),
            can_think: model.thinking.when != ThinkingWhen::Never,
            tools: model.tools,
        };
        // The provider's complaint first: it is about the same body, and in its own words.
        if let Err(violation) = rules::check(rules, body, facts) {
            return self.refuse(rules, &violation);
        }
        match request {
            Ok(request) => self.reply(model, body, &request),
            Err(problem) => self.fault(rules, &Fault::Unreadable(&problem.to_string())),
        }
    }

    fn reply(&self, model: &ModelFile, body: &Value, request: &Request) -> Outcome {
        let codec = model.dialect.codec();
        let mut reply = brain::answer(
            request,
            model,
            &Draw::of(request).numbered(self.openings.number(request)),
        );
        if let Some(body) = output::refusal(&reply, request, model.rules()) {
            return Outcome::json(400, &body);
        }
        issue::ids(&mut reply, request, model);
        let stamp = Stamp { created: self.options.clock.now(), usage: wants_usage(model, body) };
        let streamed = request.stream && !faults::ignores_stream(model);
        let answer = if streamed {
            let frames = codec.encode_stream(&reply, &stamp, DeltaLength(model.piece_length));
            let frames = quirks::distort_frames(frames, model.dialect, &model.wire_quirks);
            Outcome::stream(self.framing(), &frames)
        } else {
            let body = codec.encode_reply(&reply, &stamp);
            let body = quirks::distort_body(body, model.dialect, &model.wire_quirks);
            Outcome::json(200, &body)
        };
        let header = rules::request_id_header(model.rules(), &format!("req_{}", self.id));
        let answer = header.into_iter().fold(answer, |answer, (name, id)| answer.header(name, id));
        faults::ended(model, answer, streamed)
    }

    /// Gemini streams an array unless server-sent events are asked for.
    fn framing(&self) -> Framing {
        match self.dialect {
            DialectId::Gemini if self.incoming.parameter("alt") != Some("sse") => {
                Framing::JsonArray
            }
            dialect => dialect.codec().framing(),
        }
    }
}

/// Chat streams tell their usage when asked; the other dialects always do.
fn wants_usage(model: &ModelFile, body: &Value) -> bool {
    let asked = body.pointer("/stream_options/include_usage").and_then(Value::as_bool);
    model.dialect != DialectId::OpenAiChat
        || asked == Some(true)
        || model.wire_quirks.contains(&WireQuirk::UsageInFinishChunk)
}
