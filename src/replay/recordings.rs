//! Recordings as an upstream: transcripts answer the requests of an adapter.
//!
//! A request is recognised by its meaning, because the adapter writes its own bytes. The same request is
//! answered in the order in which its answers were recorded, and the last answer is repeated. Of requests
//! that mean the same, the one with the most alike limits and settings is answered.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use super::meaning::Meaning;
use super::transcript::Transcript;
use super::transcript_exchange::{TranscriptBody, TranscriptExchange, TranscriptReply};
use crate::dialect::{DialectId, NOT_RECORDED, NOT_RECORDED_END, Route};
use crate::ir::{Message, Part, Reply, Request, Stop, StopKind, Usage};
use crate::sim::{RecordedAnswer, RecordedAnswers, RecordedHead};
use crate::target::GREETINGS;
use crate::transport::{JsonDifference, difference_size, differences};

/// What the server says to a greeting, which nobody recorded.
const GREETED: &str = "Good morning. This server replays recordings.";

/// How many differences from the nearest recording are told.
const SHOWN: usize = 3;

/// How long a value in a difference may be told.
const SHOWN_VALUE: usize = 60;

/// Hears of requests that no recording fits.
pub(crate) type MissListener = Arc<dyn Fn(&str) + Send + Sync>;

/// The exchanges of transcripts, by what was asked.
pub(crate) struct Recordings {
    models: BTreeMap<String, Vec<Recording>>,
    on_miss: Option<MissListener>,
}

/// One request of a transcript, and what it was answered.
struct Recording {
    dialect: DialectId,
    meaning: Meaning,
    key: String,
    /// Limits, sampling, metadata: what decides between requests that mean the same.
    settings: Value,
    answers: Vec<RecordedAnswer>,
    played: AtomicUsize,
}

impl std::fmt::Debug for Recordings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = |(name, it): (&String, &Vec<Recording>)| (name.clone(), it.len());
        f.debug_map().entries(self.models.iter().map(count)).finish()
    }
}

impl Recordings {
    /// The exchanges of these transcripts, by the model's name and by the target's.
    pub(crate) fn of<'a>(transcripts: impl IntoIterator<Item = &'a Transcript>) -> Self {
        let mut models: BTreeMap<String, Vec<Recording>> = BTreeMap::new();
        for transcript in transcripts {
            let recorded = models.entry(transcript.subject.model.clone()).or_default();
            for exchange in &transcript.exchanges {
                take(recorded, transcript.dialect, exchange);
            }
        }
        Self { models, on_miss: None }
    }

    /// The same, with somebody who hears of requests that no recording fits.
    #[must_use]
    pub(crate) fn telling(self, on_miss: MissListener) -> Self {
        Self { on_miss: Some(on_miss), ..self }
    }

    /// Whether the model that is asked for was recorded in this dialect.
    fn speaks(&self, dialect: DialectId, request: &Request) -> bool {
        let recorded = self.models.get(&request.model).into_iter().flatten();
        recorded.into_iter().any(|it| it.dialect == dialect)
    }

    fn miss(&self, dialect: DialectId, request: &Request, meaning: &Meaning) -> RecordedAnswer {
        let why = self.why_not(dialect, request, meaning);
        if let Some(tell) = self.on_miss.as_ref().filter(|_| !is_greeting(request)) {
            tell(&format!("{NOT_RECORDED}: {why}"));
        }
        RecordedAnswer::NotRecorded(format!("{NOT_RECORDED}: {why} {NOT_RECORDED_END}"))
    }

    fn why_not(&self, dialect: DialectId, request: &Request, meaning: &Meaning) -> String {
        let model = &request.model;
        let Some(recorded) = self.models.get(model) else {
            let names: Vec<&str> = self.models.keys().map(String::as_str).collect();
            return format!("no model is called '{model}'; recorded are: {}", names.join(", "));
        };
        let alike = recorded.iter().filter(|it| it.dialect == dialect);
        tell_nearest(alike.map(|it| &it.meaning), meaning).unwrap_or_else(|| {
            let spoken = recorded.first().map_or_else(String::new, |it| it.dialect.to_string());
            format!("'{model}' was recorded in the dialect {spoken}, and this is {dialect}")
        })
    }
}

impl RecordedAnswers for Recordings {
    fn models(&self) -> Vec<(String, DialectId)> {
        let first = |(name, recorded): (&String, &Vec<Recording>)| {
            Some((name.clone(), recorded.first()?.dialect))
        };
        self.models.iter().filter_map(first).collect()
    }

    fn answer(&self, dialect: DialectId, request: &Request) -> RecordedAnswer {
        let meaning = Meaning::of(request);
        let (key, settings) = (meaning.key(), settings(request));
        let recorded = self.models.get(&request.model).into_iter().flatten();
        let alike = recorded.filter(|it| it.dialect == dialect && it.key == key);
        let distance = |it: &&Recording| difference_size(&differences(&it.settings, &settings));
        match alike.min_by_key(distance).and_then(Recording::next) {
            Some(answer) => answer,
            None if self.speaks(dialect, request) && is_greeting(request) => {
                greeting(&request.model)
            }
            None => self.miss(dialect, request, &meaning),
        }
    }
}

impl Recording {
    fn next(&self) -> Option<RecordedAnswer> {
        let turn = self.played.fetch_add(1, Ordering::Relaxed);
        self.answers.get(turn).or(self.answers.last()).cloned()
    }
}

/// Where a meaning differs from the nearest of these, in words; `None` where there are none.
pub(super) fn tell_nearest<'a>(
    known: impl Iterator<Item = &'a Meaning>,
    meaning: &Meaning,
) -> Option<String> {
    let nearest = known.map(|it| it.differences(meaning)).min_by_key(|it| difference_size(it))?;
    Some(format!("the nearest recording differs: {}", tell(&nearest)))
}

/// Adds an exchange to what was recorded. One that was not answered, or whose request cannot be read,
/// answers nothing.
fn take(recorded: &mut Vec<Recording>, dialect: DialectId, exchange: &TranscriptExchange) {
    let (Some(request), Ok(reply)) = (read(dialect, exchange), &exchange.reply) else { return };
    let answer = answer_of(reply);
    let (meaning, settings) = (Meaning::of(&request), settings(&request));
    let key = meaning.key();
    let known = recorded
        .iter_mut()
        .find(|it| it.dialect == dialect && it.key == key && it.settings == settings);
    if let Some(known) = known {
        known.answers.push(answer);
        return;
    }
    let (answers, played) = (vec![answer], AtomicUsize::new(0));
    recorded.push(Recording { dialect, meaning, key, settings, answers, played });
}

/// The request of an exchange, as the provider would read it.
pub(super) fn read(dialect: DialectId, exchange: &TranscriptExchange) -> Option<Request> {
    let path = exchange.request.path.split('?').next().unwrap_or_default();
    let route = Route::of_call(path).map(|(_, route)| route).unwrap_or_default();
    dialect.codec().decode_request(exchange.request.body.as_ref()?, &route).ok()
}

fn settings(request: &Request) -> Value {
    let mut settings = request.extra.clone();
    settings.insert("maxTokens".to_owned(), request.max_tokens.into());
    Value::Object(settings)
}

fn answer_of(reply: &TranscriptReply) -> RecordedAnswer {
    let headers = reply.headers.iter().map(|(name, value)| (name.to_lowercase(), value.clone()));
    let head = RecordedHead { status: reply.status, headers: headers.collect() };
    match &reply.body {
        TranscriptBody::Json(value) => RecordedAnswer::Whole(head, value.to_string()),
        TranscriptBody::Text(text) => RecordedAnswer::Whole(head, text.clone()),
        TranscriptBody::Frames(frames) => {
            RecordedAnswer::Frames(head, frames.iter().map(|frame| frame.0.clone()).collect())
        }
    }
}

/// Whether it is only asked whether anybody is there.
fn is_greeting(request: &Request) -> bool {
    let said: Vec<String> = request.messages.iter().map(Message::text).collect();
    let is_ours = |text: &String| GREETINGS.contains(&text.trim());
    request.tools.is_empty() && matches!(said.as_slice(), [text] if is_ours(text))
}

fn greeting(model: &str) -> RecordedAnswer {
    let parts = vec![Part::Text(GREETED.to_owned())];
    let mut reply = Reply::new(parts, Stop::unlabelled(StopKind::EndTurn));
    // Some gateways take no reply without its model and its cost.
    reply.model_echo = Some(model.to_owned());
    reply.usage = Usage { input: Some(16), output: Some(16), ..Usage::default() };
    RecordedAnswer::Reply(Box::new(reply))
}

/// The first differences, in words that stand being quoted by an adapter inside other JSON.
fn tell(found: &[JsonDifference]) -> String {
    let side = |value: &Option<Value>| match value {
        None => "nothing".to_owned(),
        Some(value) => short(&value.to_string()),
    };
    let one = |it: &JsonDifference| {
        format!("{}: recorded {}, came {}", it.path, side(&it.old), side(&it.new))
    };
    let mut told: Vec<String> = found.iter().take(SHOWN).map(one).collect();
    if found.len() > SHOWN {
        told.push(format!("and {} more", found.len() - SHOWN));
    }
    told.join("; ")
}

fn short(text: &str) -> String {
    let plain = text.replace('\\', "").replace('"', "'");
    let start: String = plain.chars().take(SHOWN_VALUE).collect();
    if start.len() < plain.len() { format!("{start}...") } else { start }
}
