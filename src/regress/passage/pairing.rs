//! Pairing of requests: which one that left a client is which one that arrived upstream.
//!
//! An adapter may rewrite anything, so nothing but the conversation itself can tell. Prompts and
//! results carry seeded values, one line each, that occur in no other conversation; two requests
//! belong together when they share most of what they say.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, VecDeque};
use std::hash::{Hash, Hasher};

use serde_json::{Value, json};

use super::bodies::sorted;
use super::contents::seals;
use super::replies::{ReplySaid, SeenReply};
use crate::ir::{Part, Reply, Request};

/// The least share of what two requests say that must be the same.
const LEAST_SHARE: f64 = 0.25;

/// How much the id of a reply counts, in lines.
const OWN_ID: u8 = 4;

/// A request, and what it was answered with at the same end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Traveller<'a> {
    /// What was asked.
    pub request: &'a Request,
    /// The answer, where there was one.
    pub answer: Option<&'a SeenReply>,
}

/// For each request that left, which of those that arrived it became; `None` where none did.
///
/// The pairs that are most alike are found first; of those that are equally alike, those whose answers
/// say the same. So an adapter that makes requests alike, for example by emptying results, is found out
/// in whatever order they arrive. What is the same in all this is paired in its order, so both lists
/// must be in the order of time.
pub(crate) fn pair_travellers(
    left: &[Traveller<'_>],
    arrived: &[Traveller<'_>],
) -> Vec<Option<usize>> {
    let leaving: Vec<Said> = left.iter().map(Said::of).collect();
    let arriving: Vec<Said> = arrived.iter().map(Said::of).collect();
    let mut found = pair_equal(&leaving, &arriving);
    let mut taken = vec![false; arriving.len()];
    for place in found.iter().flatten() {
        taken.get_mut(*place).into_iter().for_each(|it| *it = true);
    }
    for (from, to) in by_likeness(&leaving, &arriving, &found, &taken) {
        let (Some(place), Some(taken)) = (found.get_mut(from), taken.get_mut(to)) else { continue };
        if place.is_none() && !*taken {
            (*place, *taken) = (Some(to), true);
        }
    }
    found
}

/// Requests that mean exactly the same, in their order.
fn pair_equal(leaving: &[Said], arriving: &[Said]) -> Vec<Option<usize>> {
    let mut places: HashMap<u64, VecDeque<usize>> = HashMap::new();
    for (place, said) in arriving.iter().enumerate() {
        places.entry(said.whole).or_default().push_back(place);
    }
    leaving.iter().map(|said| places.get_mut(&said.whole)?.pop_front()).collect()
}

/// All pairs of unpaired requests, the most alike first.
fn by_likeness(
    leaving: &[Said],
    arriving: &[Said],
    found: &[Option<usize>],
    taken: &[bool],
) -> Vec<(usize, usize)> {
    let open = || arriving.iter().zip(taken).enumerate().filter(|(_, (_, taken))| !**taken);
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (from, (said, _)) in
        leaving.iter().zip(found).enumerate().filter(|(_, (_, it))| it.is_none())
    {
        let shares = open().map(|(to, (other, _))| (said.share(other), from, to));
        pairs.extend(shares.filter(|(share, ..)| *share >= LEAST_SHARE));
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    pairs.into_iter().map(|(_, from, to)| (from, to)).collect()
}

/// What a request says, line by line: how often each line occurs, by its hash.
#[derive(Default)]
struct Said {
    /// The hash of all of it.
    whole: u64,
    lines: HashMap<u64, usize>,
    count: usize,
    /// What was answered; it tells apart what is alike, and pairs nothing by itself.
    answer: Vec<u64>,
    /// How it is asked and answered, which tells apart what says the same.
    manner: [String; 5],
}

impl Said {
    fn of(traveller: &Traveller<'_>) -> Self {
        let Traveller { request, answer } = traveller;
        let status = answer.map(|it| it.status);
        let mut said = Self::default();
        said.add("system", request.system.as_deref().unwrap_or_default());
        let mut before = 0;
        for part in request.messages.iter().flat_map(|message| &message.parts) {
            let (kind, text) = spoken(part);
            said.add(kind, &text);
            let own = hash(&(kind, &text));
            said.add("order", &format!("{before} {own}"));
            before = own;
            // Some conversations differ in nothing else.
            for seal in seals(std::iter::once(part)) {
                said.add("seal", &seal);
            }
        }
        for tool in &request.tools {
            said.add("tool", &format!("{} {}", tool.name, tool.description));
        }
        for (key, value) in &request.extra {
            said.add("field", &format!("{key} {}", sorted(value)));
        }
        match answer.map(|it| &it.said) {
            Some(ReplySaid::Reply(reply)) => said.add_reply(reply),
            Some(ReplySaid::Error(error)) => said.answer = vec![hash(&error.message)],
            Some(ReplySaid::Nothing) | None => {}
        }
        said.whole = hash(&(whole(request, status), &said.answer));
        let Request { tool_choice, parallel, stream, max_tokens, .. } = request;
        said.manner = [
            format!("choice {tool_choice:?}"),
            format!("parallel {parallel:?}"),
            format!("stream {stream}"),
            format!("status {status:?}"),
            format!("limit {max_tokens:?}"),
        ];
        said
    }

    fn add_reply(&mut self, reply: &Reply) {
        let parts = reply.parts.iter().map(|part| hash(&spoken(part)));
        let ids = reply.calls().map(|call| hash(&call.id.as_str()));
        let counts = hash(&(reply.usage.input, reply.usage.output));
        // No two replies of a provider have the same id.
        let own = (0..OWN_ID).map(|place| hash(&(place, &reply.id)));
        self.answer = parts.chain(ids).chain([counts]).chain(own).collect();
    }

    fn add(&mut self, kind: &str, text: &str) {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            *self.lines.entry(hash(&(kind, line))).or_default() += 1;
            self.count += 1;
        }
    }

    /// How much of the longer of the two is the same, from 0 to 1.
    fn share(&self, other: &Self) -> f64 {
        let shared: usize = self
            .lines
            .iter()
            .map(|(line, count)| (*count).min(other.lines.get(line).copied().unwrap_or(0)))
            .sum();
        if shared == 0 {
            return 0.0;
        }
        let manner = self.manner.iter().zip(&other.manner).filter(|(one, two)| one == two).count();
        let answer = self.answer.iter().filter(|it| other.answer.contains(it)).count();
        let alike = manner + answer;
        let all = self.count.max(other.count)
            + self.manner.len()
            + self.answer.len().max(other.answer.len());
        #[expect(clippy::cast_precision_loss, reason = "requests have few lines")]
        let share = (shared + alike) as f64 / all as f64;
        share
    }
}

/// What a part says, in the same words in every dialect.
fn spoken(part: &Part) -> (&'static str, String) {
    match part {
        Part::Text(text) => ("text", text.clone()),
        Part::Reasoning(state) => ("reasoning", state.text()),
        Part::Call(call) => ("call", format!("{} {}", call.name, call.input)),
        Part::BrokenCall(call) => ("call", call.name.clone()),
        Part::Result(result) => ("result", words(&result.content)),
    }
}

/// Everything but the model's name, which adapters translate, and the order of keys.
fn whole(request: &Request, status: Option<u16>) -> u64 {
    let nameless = Request { model: String::new(), ..request.clone() };
    hash(&(sorted(&json!(nameless)), status))
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::shape::BodyShape;
    use super::*;
    use crate::dialect::{ApiError, DialectId};
    use crate::ir::{CallId, Message, ToolResult};
    use crate::profile::ReplyMode;

    fn asked(value: &str) -> Request {
        let text = format!("Call the tool `probe_echo` once, with:\n- message = \"{value}\"\n");
        Request { messages: vec![Message::user(text)], ..Request::default() }
    }

    fn answered(value: &str, result: &str) -> Request {
        let mut request = asked(value);
        request.messages.push(Message::results([ToolResult::success(
            CallId::new("call_1"),
            "f",
            Value::from(result),
        )]));
        request
    }

    fn answer(status: u16, said: ReplySaid) -> SeenReply {
        let (dialect, shape) = (DialectId::OpenAiChat, BodyShape::default());
        let (headers, mode) = (Vec::new(), ReplyMode::Plain);
        SeenReply { dialect, status, headers, mode, shape, said }
    }

    fn pair_requests(left: &[Request], arrived: &[Request]) -> Vec<Option<usize>> {
        let alone = |request| Traveller { request, answer: None };
        let left: Vec<Traveller<'_>> = left.iter().map(alone).collect();
        pair_travellers(&left, &arrived.iter().map(alone).collect::<Vec<_>>())
    }

    #[test]
    fn requests_are_known_again_by_their_values_in_whatever_order_they_arrive() {
        let left = [asked("violet-1"), asked("amber-2"), answered("violet-1", "k8x")];
        let arrived = [answered("violet-1", "k8x"), asked("violet-1"), asked("amber-2")];
        assert_eq!(pair_requests(&left, &arrived), [Some(1), Some(2), Some(0)]);
    }

    #[test]
    fn requests_that_an_adapter_makes_alike_are_known_by_their_replies() {
        use crate::ir::{Stop, StopKind};
        let said = |text: &str| {
            let parts = vec![Part::Text(text.to_owned())];
            let reply = Reply::new(parts, Stop::new(StopKind::EndTurn, "stop"));
            answer(200, ReplySaid::Reply(Box::new(reply)))
        };
        let (one, two) = (said("It is k8x."), said("It is p3z."));
        let left = [answered("violet-1", "k8x"), answered("violet-1", "p3z")];
        let emptied = answered("violet-1", "");
        let meet = |request, answer| Traveller { request, answer: Some(answer) };
        let left = [meet(&left[0], &one), meet(&left[1], &two)];
        let arrived = [meet(&emptied, &two), meet(&emptied, &one)];
        assert_eq!(pair_travellers(&left, &arrived), [Some(1), Some(0)]);
        let foreign = Request { messages: vec![Message::user("Hello")], ..Request::default() };
        assert_eq!(pair_travellers(&[left[0]], &[meet(&foreign, &one)]), [None]);
    }

    #[test]
    fn what_an_adapter_adds_or_drops_does_not_part_them() {
        let mut grown = asked("violet-1");
        grown.system = Some("You are helpful.".to_owned());
        let left = [asked("violet-1"), asked("amber-2")];
        assert_eq!(pair_requests(&left, &[asked("amber-2"), grown]), [Some(1), Some(0)]);
    }

    #[test]
    fn requests_that_differ_in_a_seal_alone_are_known_by_it() {
        use crate::ir::{ReasoningField, ReasoningState};
        let sealed = |seal: &str, system: Option<&str>| {
            let state = ReasoningState::new(ReasoningField::ThoughtSignature, json!(seal));
            let mut request = asked("violet-1");
            request.messages.push(Message::assistant(vec![Part::Reasoning(state)]));
            request.system = system.map(str::to_owned);
            request
        };
        let left = [sealed("AAAA", None), sealed("BBBB", None)];
        let added = Some("You are helpful.");
        let arrived = [sealed("BBBB", added), sealed("AAAA", added)];
        assert_eq!(pair_requests(&left, &arrived), [Some(1), Some(0)]);
    }

    #[test]
    fn the_order_of_keys_does_not_part_equal_requests() {
        let with = |field: Value| {
            let mut request = asked("violet-1");
            request.extra.insert("metadata".to_owned(), field);
            request
        };
        let (one, two) = (json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}));
        let left = [with(one), with(json!({"a": 1, "b": 3}))];
        let arrived = [with(json!({"b": 3, "a": 1})), with(two)];
        assert_eq!(pair_requests(&left, &arrived), [Some(1), Some(0)]);
    }

    #[test]
    fn equal_requests_are_paired_in_their_order_and_what_never_arrived_is_not() {
        let left = [asked("violet-1"), asked("violet-1"), asked("amber-2")];
        let arrived = [asked("violet-1"), asked("violet-1")];
        assert_eq!(pair_requests(&left, &arrived)[..2], [Some(0), Some(1)]);
        let foreign = Request { messages: vec![Message::user("Hello")], ..Request::default() };
        assert_eq!(pair_requests(&[answered("a", "b")], &[foreign]), [None]);
        let statuses = [429, 200].map(|status| answer(status, ReplySaid::Nothing));
        let [limited, fine] =
            [0, 1].map(|place| Traveller { request: &left[0], answer: Some(&statuses[place]) });
        assert_eq!(pair_travellers(&[fine], &[limited, fine]), [Some(1)]);
    }

    #[test]
    fn requests_that_an_adapter_makes_alike_are_known_by_the_words_of_their_refusals() {
        let refused = |why: &str| {
            let body = json!({"error": {"message": why}}).to_string();
            let error = ApiError::from_response(400, Vec::new(), &body);
            answer(400, ReplySaid::Error(Box::new(error)))
        };
        let (one, two) = (refused("the state is missing"), refused("the item is missing"));
        let left = [answered("violet-1", "k8x"), answered("violet-1", "p3z")];
        let emptied = answered("violet-1", "");
        let meet = |request, answer| Traveller { request, answer: Some(answer) };
        let arrived = [meet(&emptied, &two), meet(&emptied, &one)];
        let left = [meet(&left[0], &one), meet(&left[1], &two)];
        assert_eq!(pair_travellers(&left, &arrived), [Some(1), Some(0)]);
    }
}
