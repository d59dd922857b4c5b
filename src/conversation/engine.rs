//! How does a conversation with tools go on, and when does it end?
//!
//! The state machine that an agent runs: encode, send, parse, validate, run the tool or return a
//! structured error, put the result back, keep the reasoning state, record. Bounded in turns, and
//! stopped when the same call comes three times in a row.

use super::{Answer, Client, Reading, limit, read, telling};
use crate::ir::{
    Defect, Digest, Layer, Message, Part, Reply, Request, ToolCall, ToolResult, ToolSpec,
};
use crate::prompted::{Protocol, ToolDelivery};
use crate::telemetry::TurnEvent;
use crate::tools::{Registry, ToolFailure};

/// How often the same call in a row makes a loop.
const LOOP_LENGTH: usize = 3;

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

/// How a conversation ended.
#[derive(Debug, Clone)]
pub enum Ending {
    /// With an answer in words.
    Answered(String),
    /// With the same call, again and again.
    Loop(ToolCall),
    /// With calls still coming when the turns were used up.
    OutOfTurns,
    /// With a refusal, or without an answer: the last turn says which.
    NoReply,
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
    /// What each answered turn so far comes to.
    telemetry: Vec<TurnEvent>,
    /// What is known of the next turn before it is held.
    next: telling::Next,
}

impl<'a> Conversation<'a> {
    /// Begins with a user's words. Options of the request (choice, stream, …) are the caller's.
    pub fn new(client: &'a Client, delivery: ToolDelivery, tools: &'a Registry, ask: &str) -> Self {
        let mut request = Request { messages: vec![Message::user(ask)], ..Request::default() };
        let specs: Vec<ToolSpec> = tools.specs().cloned().collect();
        match delivery {
            ToolDelivery::Native => request.tools = specs,
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
            next: telling::Next::default(),
        }
    }

    /// The request that the next turn sends.
    pub fn request(&mut self) -> &mut Request {
        &mut self.request
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

    /// What each answered turn so far comes to.
    pub fn telemetry(&self) -> &[TurnEvent] {
        &self.telemetry
    }

    /// Says that the next turn is to give so many calls at once.
    pub fn want(&mut self, calls: usize) {
        self.next.wanted = u32::try_from(calls).ok();
    }

    /// Sends the conversation so far. A reply becomes part of it, word for word.
    ///
    /// Some endpoints refuse the reasoning that they gave out themselves. Where that is so, the
    /// conversation goes on without it: what else the endpoint can do is another question.
    pub async fn turn(&mut self) -> Turn {
        let next = std::mem::take(&mut self.next);
        let mut sent = telling::Sent::of(&self.request, next.clone());
        let mut turn = self.client.ask(&self.request).await;
        self.evidence.push(turn.evidence.clone());
        if matches!(turn.answer, Answer::Refused(_))
            && let Some(bare) = self.request.without_reasoning()
        {
            let second = self.client.ask(&bare).await;
            self.evidence.push(second.evidence.clone());
            // A cut-short answer was an answer too: the refusal is over, the stream is what failed.
            if matches!(second.answer, Answer::Reply(_) | Answer::CutShort(_)) {
                self.telemetry.push(telling::reasoning_refused());
                sent = telling::Sent::of(&bare, next);
                self.request = bare;
                turn = second;
            }
        }
        self.take(turn.answer, &sent)
    }

    fn take(&mut self, answer: Answer, sent: &telling::Sent) -> Turn {
        if let Answer::Reply(reply) | Answer::CutShort(reply) = &answer {
            self.defects.extend(reply.defects.iter());
        }
        let (answer, reading) = match answer {
            Answer::Reply(reply) => self.heard(*reply),
            other => (other, Reading::default()),
        };
        self.turns.push(reading.calls.clone());
        self.layer = self.layer.max(reading.layer);
        self.telemetry.extend(sent.answered(&answer, &reading, self.tools));
        Turn { answer, reading }
    }

    /// A reply as it is to be judged and sent back, with what was found in it.
    fn heard(&mut self, mut reply: Reply) -> (Answer, Reading) {
        let call_was_cut = limit::take_cut_call(&mut reply);
        let specs: Vec<ToolSpec> = self.tools.specs().cloned().collect();
        let reading = read(&reply, &specs);
        if limit::ended_early(&reply, &reading, call_was_cut) {
            return (Answer::Nothing(limit::ENDED_EARLY.to_owned()), Reading::default());
        }
        self.request.messages.push(Message::assistant(reply.parts.clone()));
        (Answer::Reply(Box::new(reply)), reading)
    }

    /// Runs the calls of a turn and puts the results where the model looks for them.
    pub async fn run_tools(&mut self, said: &Turn) -> Vec<ToolResult> {
        let mut results = self.tools.run(&said.reading.calls).await;
        let broken = said.reply().into_iter().flat_map(|reply| &reply.parts);
        results.extend(broken.filter_map(|part| match part {
            Part::BrokenCall(call) => Some(ToolFailure::result_of_broken(call)),
            _ => None,
        }));
        if let Some(event) = self.telemetry.last_mut() {
            telling::ran(event, &results);
        }
        self.next.after_error = results.iter().any(|result| result.is_error);
        self.put_back(said.reading.layer, &results);
        results
    }

    /// A call that came as text is answered as text: the endpoint issued no id to pair with.
    fn put_back(&mut self, layer: Option<Layer>, results: &[ToolResult]) {
        let message = match (self.delivery, layer) {
            (ToolDelivery::Prompted(protocol), _) => Message::user(protocol.results(results)),
            (ToolDelivery::Native, Some(Layer::Content | Layer::Reasoning)) => {
                Message::user(Protocol::ToolCall.results(results))
            }
            (ToolDelivery::Native, Some(Layer::Structured) | None) => {
                Message::results(results.iter().cloned())
            }
        };
        self.request.messages.push(message);
    }

    /// Takes turns until the model answers in words, or cannot go on.
    pub async fn run(&mut self, turns: usize) -> (Ending, Option<Turn>) {
        let mut last = None;
        for _ in 0..turns {
            let said = self.turn().await;
            let ending = match (&said.answer, said.reading.attempted()) {
                (Answer::Reply(_), false) => Some(Ending::Answered(said.reading.text.clone())),
                (Answer::Reply(_), true) => self.loop_seen().map(Ending::Loop),
                _ => Some(Ending::NoReply),
            };
            if let Some(ending) = ending {
                return (ending, Some(said));
            }
            self.run_tools(&said).await;
            last = Some(said);
        }
        (Ending::OutOfTurns, last)
    }

    /// The call that came three turns in a row, ids aside.
    pub fn loop_seen(&self) -> Option<ToolCall> {
        let tail = self.turns.get(self.turns.len().checked_sub(LOOP_LENGTH)?..)?;
        let last = tail.last()?;
        tail.iter().all(|calls| same_calls(calls, last)).then(|| last.first().cloned())?
    }
}

fn same_calls(one: &[ToolCall], other: &[ToolCall]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(a, b)| a.name == b.name && a.input == b.input)
}
