//! Conversation with tools, turn by turn: send, read the reply, run its calls, put the results back.
//!
//! The one engine for the probes, which decide after every turn themselves, and for
//! [`AgentLoop`](super::AgentLoop), which decides for them.

use super::reading::{LONG, read_apart};
use super::{Answer, Client, Ending, Miss, Reading, missing_results, token_limit, turn_event};
use crate::adapt::apply::{Rewriter, Rewritten};
use crate::ir::{
    Defect, Digest, Layer, Message, Part, Reply, Request, ToolCall, ToolResult, ToolSpec,
};
use crate::prompted::{Protocol, ToolDelivery};
use crate::telemetry::TurnEvent;
use crate::tools::{ErrorCode, Registry, ToolFailure};
use crate::transport::{Oversize, apart};

/// How often the same call in a row makes a loop.
const LOOP_LENGTH: usize = 3;

const EMPTY_REPLY: &str = "the reply has neither a call nor words";

/// What one turn gave.
#[derive(Debug, Clone)]
pub struct Turn {
    /// What the request led to.
    pub answer: Answer,
    /// What was found in the reply; empty without one.
    pub reading: Reading,
}

impl Turn {
    /// The reply, if there is one.
    pub fn reply(&self) -> Option<&Reply> {
        self.answer.reply()
    }
}

/// A request that is ready to be sent.
#[derive(Debug, Clone)]
pub struct Encoded {
    sent: Rewritten,
    about: turn_event::Sent,
    next: turn_event::Next,
}

/// What came back, still as the endpoint wrote it.
#[derive(Debug, Clone)]
pub struct Received {
    answer: Answer,
    sent: Rewritten,
    about: turn_event::Sent,
}

impl Received {
    /// Why there is no reply to read; `None` where there is one.
    pub fn miss(&self) -> Option<Miss> {
        self.answer.miss()
    }
}

/// One conversation about one set of tools.
pub struct Conversation<'a> {
    client: &'a Client,
    delivery: ToolDelivery,
    tools: &'a Registry,
    request: Request,
    evidence: Vec<Digest>,
    defects: Vec<Defect>,
    /// The calls of each turn so far.
    turns: Vec<Vec<ToolCall>>,
    /// Where calls stood so far: the layer that a client looks into last.
    layer: Option<Layer>,
    /// The event of each answered turn so far.
    telemetry: Vec<TurnEvent>,
    /// Whether a request was refused.
    was_refused: bool,
    /// Whether the token limit ended a reply.
    was_cut: bool,
    /// What is known of the next turn before it is sent.
    next: turn_event::Next,
}

impl<'a> Conversation<'a> {
    /// Begins with a user's words. Options of the request (choice, stream, …) are the caller's.
    pub fn new(client: &'a Client, delivery: ToolDelivery, tools: &'a Registry, ask: &str) -> Self {
        Self::resume(client, delivery, tools, vec![Message::user(ask)])
    }

    /// Goes on from the messages of an earlier conversation.
    pub fn resume(
        client: &'a Client,
        delivery: ToolDelivery,
        tools: &'a Registry,
        messages: Vec<Message>,
    ) -> Self {
        let mut request = Request { messages, ..Request::default() };
        let specs: Vec<ToolSpec> = tools.specs().cloned().collect();
        match delivery {
            ToolDelivery::Native => request.tools = specs,
            ToolDelivery::Forced(force) => {
                request.tool_choice = Some(force.choice(&specs));
                request.tools = specs;
            }
            ToolDelivery::Prompted(protocol) => request.system = Some(protocol.teach(&specs)),
        }
        Self {
            client,
            delivery,
            tools,
            request,
            evidence: Vec::new(),
            defects: Vec::new(),
            turns: Vec::new(),
            layer: None,
            telemetry: Vec::new(),
            was_refused: false,
            was_cut: false,
            next: turn_event::Next::default(),
        }
    }

    /// The request that the next turn sends.
    pub fn request(&mut self) -> &mut Request {
        &mut self.request
    }

    /// Adds the user's next words, which may want calls again.
    pub(super) fn say(&mut self, words: &str) {
        self.request.messages.push(Message::user(words));
        if let ToolDelivery::Forced(force) = self.delivery {
            self.request.tool_choice = Some(force.choice(&self.request.tools));
        }
    }

    /// Everything said so far, reasoning included.
    pub fn messages(&self) -> &[Message] {
        &self.request.messages
    }

    /// The exchanges so far.
    pub fn evidence(&self) -> &[Digest] {
        &self.evidence
    }

    /// What a strict client would not have taken of the replies so far.
    pub fn defects(&self) -> &[Defect] {
        &self.defects
    }

    /// Where the calls so far stood: the layer that a client looks into last, if they differ.
    pub fn layer(&self) -> Option<Layer> {
        self.layer
    }

    /// The event of each answered turn so far: what was called, what was blocked and why.
    pub fn telemetry(&self) -> &[TurnEvent] {
        &self.telemetry
    }

    /// Whether a request was refused, with its reasoning and without.
    pub fn was_refused(&self) -> bool {
        self.was_refused
    }

    /// Whether the token limit ended a reply, said or not.
    pub fn was_cut(&self) -> bool {
        self.was_cut
    }

    /// Says how many calls the next turn should give at once.
    pub fn want(&mut self, calls: usize) {
        self.next.wanted = u32::try_from(calls).ok();
    }

    /// Sends the conversation so far. A reply becomes part of it, word for word.
    pub async fn turn(&mut self) -> Turn {
        let encoded = self.encode();
        let received = self.receive(encoded).await;
        let turn = self.parse(received).await;
        self.keep(&turn);
        turn
    }

    /// Writes the conversation so far as the endpoint needs it.
    pub(crate) fn encode(&mut self) -> Encoded {
        let next = std::mem::take(&mut self.next);
        let about = turn_event::Sent::of(&self.request, next.clone());
        Encoded { sent: self.client.rewrite(&self.request), about, next }
    }

    /// Sends a request and waits for what comes back.
    ///
    /// Some endpoints refuse the reasoning that they gave out themselves. Then the same request is
    /// sent without it. The conversation keeps the reasoning all the same: a refusal can have other
    /// causes, and a model that needs its reasoning must find it in the next request.
    pub(crate) async fn receive(&mut self, encoded: Encoded) -> Received {
        let Encoded { sent, about, next } = encoded;
        let answer = send(self.client, &sent.request, &mut self.evidence).await;
        if matches!(answer, Answer::Refused(_))
            && let Some(bare) = self.request.without_reasoning()
        {
            let sent = self.client.rewrite(&bare);
            let answer = send(self.client, &sent.request, &mut self.evidence).await;
            // A reply that was cut short counts: the request was accepted, then the stream failed.
            if matches!(answer, Answer::Reply(_) | Answer::CutShort(_)) {
                self.telemetry.push(turn_event::reasoning_refused());
                return Received { answer, sent, about: turn_event::Sent::of(&bare, next) };
            }
        }
        Received { answer, sent, about }
    }

    /// Reads what came back. Nothing of it is part of the conversation yet.
    pub(crate) async fn parse(&mut self, received: Received) -> Turn {
        let Received { answer, sent, about } = received;
        let answer = self.client.restore(&sent, answer);
        self.was_refused |= matches!(answer, Answer::Refused(_));
        self.was_cut |= answer.is_cut_by_limit();
        if let Answer::Reply(reply) | Answer::CutShort(reply) = &answer {
            self.defects.extend(reply.defects.iter());
        }
        let (answer, reading) = match answer {
            Answer::Reply(reply) => self.read(*reply).await,
            other => (other, Reading::default()),
        };
        self.turns.push(reading.calls.clone());
        self.layer = self.layer.max(reading.layer);
        self.telemetry.extend(about.event(&answer, &reading, self.tools));
        Turn { answer, reading }
    }

    /// A reply that the token limit ended before it said anything does not count.
    async fn read(&self, mut reply: Reply) -> (Answer, Reading) {
        let call_was_cut = token_limit::take_cut_call(&mut reply);
        let (reply, reading) = read_apart(reply, self.tools).await;
        if let Err(error) = self.client.limits().check(Oversize::Calls, reading.attempts()) {
            return (Answer::Nothing(error.to_string()), Reading::default());
        }
        if token_limit::ended_early(&reply, &reading, call_was_cut) {
            return (Answer::Nothing(token_limit::ENDED_EARLY.to_owned()), Reading::default());
        }
        (Answer::Reply(Box::new(reply)), reading)
    }

    /// Makes a reply part of the conversation, reasoning and calls as they came.
    pub(crate) fn keep(&mut self, turn: &Turn) {
        if let Some(reply) = turn.reply() {
            self.request.messages.push(Message::assistant(reply.parts.clone()));
        }
    }

    /// Runs the calls of a turn and puts the results where the model looks for them. An attempt at a
    /// call that could not be read is answered with what is wrong with it.
    pub async fn run_tools(&mut self, turn: &Turn) -> Vec<ToolResult> {
        let limit = self.calls_per_turn().unwrap_or(usize::MAX).min(turn.reading.calls.len());
        let (allowed, surplus) = turn.reading.calls.split_at(limit);
        let mut results = self.tools.run(allowed).await;
        results.extend(surplus.iter().map(|call| one_at_a_time().result_of(call)));
        results.extend(broken_results(turn));
        self.count_results(&results);
        let message = self.encode_results(turn, &results);
        self.request.messages.extend(message);
        results
    }

    /// How many calls of one reply may run, where a plan limits them.
    pub(crate) fn calls_per_turn(&self) -> Option<usize> {
        self.client.rewriter().and_then(Rewriter::calls_per_turn)
    }

    /// Counts the outcomes of the calls of the last turn.
    pub(crate) fn count_results(&mut self, results: &[ToolResult]) {
        if let Some(event) = self.telemetry.last_mut() {
            turn_event::count_results(event, results);
        }
        self.next.after_error = results.iter().any(|result| result.is_error);
    }

    /// The message that brings results back; `None` without any.
    pub(crate) fn encode_results(
        &mut self,
        turn: &Turn,
        results: &[ToolResult],
    ) -> Option<Message> {
        // Under force, a model that has its result would call for ever. One that has an error still owes
        // the call.
        if matches!(self.delivery, ToolDelivery::Forced(_)) && results.iter().any(|it| !it.is_error)
        {
            self.request.tool_choice = None;
        }
        // A call that came as text is answered as text: the endpoint issued no id to pair with.
        let as_text = !self.delivery.is_declared() || !is_structured(turn);
        let message = if as_text {
            Message::user(self.text_protocol().results(results))
        } else {
            Message::results(results.iter().cloned())
        };
        (!results.is_empty()).then_some(message)
    }

    /// How often the model may try to correct an error, where a plan limits it.
    pub(crate) fn retries(&self) -> Option<u32> {
        self.client.rewriter().and_then(Rewriter::retries)
    }

    fn text_protocol(&self) -> Protocol {
        match self.delivery {
            ToolDelivery::Prompted(protocol) => protocol,
            ToolDelivery::Native | ToolDelivery::Forced(_) => Protocol::ToolCall,
        }
    }

    /// Gives an error result to every call of the history that has no result.
    pub(crate) async fn repair_history(&mut self) -> u32 {
        let (specs, protocol) = (self.specs(), self.text_protocol());
        let mut messages = self.request.messages.clone();
        let length: usize = messages.iter().map(|message| message.text().len()).sum();
        let repair = move || {
            let repaired = missing_results::add(&mut messages, &specs, protocol);
            (messages, repaired)
        };
        (self.request.messages, self.next.unanswered_calls) =
            if length < LONG { repair() } else { apart(repair).await };
        self.next.unanswered_calls
    }

    fn specs(&self) -> Vec<ToolSpec> {
        self.tools.specs().cloned().collect()
    }

    /// How a turn ends the conversation; `None` where its calls are to be run.
    pub(crate) fn ending(&self, turn: &Turn) -> Option<Ending> {
        let Turn { answer, reading } = turn;
        if let Some(miss) = answer.miss() {
            return Some(Ending::NoReply(miss));
        }
        if reading.attempted() {
            return self.repeated_call().map(Ending::Loop);
        }
        let empty = || reading.text.trim().is_empty().then(|| EMPTY_REPLY.to_owned());
        Some(match reading.ending.clone().or_else(empty) {
            Some(why) => Ending::NoReply(Miss::Clear(why)),
            None => Ending::Answered(reading.text.clone()),
        })
    }

    /// The call that came three turns in a row, ids aside.
    pub fn repeated_call(&self) -> Option<ToolCall> {
        let tail = self.turns.get(self.turns.len().checked_sub(LOOP_LENGTH)?..)?;
        let last = tail.last()?;
        tail.iter().all(|calls| same_calls(calls, last)).then(|| last.first().cloned())?
    }
}

/// Whether the reply holds a call, whole or broken, in the provider's own fields.
fn is_structured(turn: &Turn) -> bool {
    let is_call = |part: &Part| matches!(part, Part::Call(_) | Part::BrokenCall(_));
    turn.reply().is_some_and(|reply| reply.parts.iter().any(is_call))
}

/// What the model is told of calls beyond those that a plan allows in one turn.
pub(crate) fn one_at_a_time() -> ToolFailure {
    ToolFailure::correctable(ErrorCode::Refused, "not run: make one call at a time")
}

/// What the model is told of attempts at a call that could not be read.
pub(crate) fn broken_results(turn: &Turn) -> Vec<ToolResult> {
    if !is_structured(turn) {
        let unreadable = |problem: &String| ToolFailure::result_without_call(problem);
        return turn.reading.broken.iter().map(unreadable).collect();
    }
    let parts = turn.reply().into_iter().flat_map(|reply| &reply.parts);
    let broken = parts.filter_map(|part| match part {
        Part::BrokenCall(call) => Some(ToolFailure::result_of_broken(call)),
        _ => None,
    });
    broken.collect()
}

/// Every request of a conversation leaves here, and every answer arrives here.
async fn send(client: &Client, request: &Request, evidence: &mut Vec<Digest>) -> Answer {
    let answered = client.ask_as_is(request).await;
    evidence.push(answered.evidence);
    answered.answer
}

fn same_calls(one: &[ToolCall], other: &[ToolCall]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(a, b)| a.name == b.name && a.input == b.input)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::read;
    use crate::ir::{Stop, StopKind};

    #[test]
    fn text_that_is_half_a_call_is_answered_with_what_is_wrong() {
        let text = "<tool_call>{\"name\": \"add\", \"arguments\": {\"a\" 1}}</tool_call>";
        let parts = vec![Part::Text(text.to_owned())];
        let reply = Reply::new(parts, Stop::unlabelled(StopKind::EndTurn));
        let reading = read(&reply, &[]);
        let turn = Turn { answer: Answer::Reply(Box::new(reply)), reading };
        let results = broken_results(&turn);
        assert_eq!(results[0].error_code.as_deref(), Some("INVALID_JSON"));
        assert_eq!(results[0].content["message"], turn.reading.broken[0].as_str());
    }
}
