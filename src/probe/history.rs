//! Which trimmed or malformed histories are refused, and which are silently ignored?

use std::collections::BTreeMap;

use futures_util::future::join_all;

use super::bench::{Bench, Offer, Trial, blocked, variant, wanted};
use super::calls::no_call;
use super::closed_loop::{holds, receipt};
use super::outcome::settled;
use super::suite::Calls;
use super::{Probe, Seed, Wanted, ask_for};
use crate::conversation::{Answer, EvidencedAnswer};
use crate::ir::{Layer, Message, Part, Request, Role};
use crate::profile::{Finding, History, Taken, Variant};

/// How a history is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    /// Nothing is wrong: the control of all others.
    WellFormed,
    /// Calls without results, then the user speaks.
    DanglingCall,
    /// One of several results is missing.
    MissingResult,
    /// Results whose calls were trimmed away.
    OrphanResult,
    /// Results in another order than the calls.
    ResultsOutOfOrder,
    /// The tools are no longer offered.
    ToolsOmitted,
    /// The user's words before the results.
    TextBeforeResults,
    /// The user's words after the results, before the model has answered.
    TextAfterResults,
    /// The reasoning of the turn with the calls was trimmed away.
    TrimmedReasoning,
}

/// How many histories one trial sends.
pub(super) const SHAPES: usize = Shape::ALL.len();

impl Shape {
    const ALL: [Self; 9] = [
        Self::WellFormed,
        Self::DanglingCall,
        Self::MissingResult,
        Self::OrphanResult,
        Self::ResultsOutOfOrder,
        Self::ToolsOmitted,
        Self::TextBeforeResults,
        Self::TextAfterResults,
        Self::TrimmedReasoning,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Self::WellFormed => "well-formed",
            Self::DanglingCall => "dangling-call",
            Self::MissingResult => "missing-result",
            Self::OrphanResult => "orphan-result",
            Self::ResultsOutOfOrder => "results-out-of-order",
            Self::ToolsOmitted => "tools-omitted",
            Self::TextBeforeResults => "text-before-results",
            Self::TextAfterResults => "text-after-results",
            Self::TrimmedReasoning => "trimmed-reasoning",
        }
    }

    /// The request with its history made wrong; `None` where this cannot be done to it. The last
    /// three messages are the question, the turn with the calls, and the results.
    fn applied(self, request: &Request) -> Option<Request> {
        let [ask, called, results] = request.messages.as_slice() else { return None };
        let several = results.parts.len() > 1;
        let mut request = request.clone();
        request.messages = match self {
            Self::WellFormed => request.messages,
            Self::DanglingCall => {
                vec![ask.clone(), called.clone(), Message::user("Never mind. Say hello.")]
            }
            Self::MissingResult if several => {
                let kept = Message { role: Role::Tool, parts: results.parts.get(1..)?.to_vec() };
                vec![ask.clone(), called.clone(), kept]
            }
            Self::OrphanResult => vec![ask.clone(), results.clone()],
            Self::ResultsOutOfOrder if several => {
                let parts = results.parts.iter().rev().cloned().collect();
                vec![ask.clone(), called.clone(), Message { role: Role::Tool, parts }]
            }
            Self::ToolsOmitted => {
                request.tools.clear();
                request.messages
            }
            Self::TextBeforeResults => {
                let words = Part::Text("Here are the results.".to_owned());
                let parts = std::iter::once(words).chain(results.parts.clone()).collect();
                vec![ask.clone(), called.clone(), Message { role: Role::User, parts }]
            }
            Self::TextAfterResults => {
                let words = Message::user("These were the results. Now answer.");
                vec![ask.clone(), called.clone(), results.clone(), words]
            }
            Self::TrimmedReasoning => {
                let parts = without_reasoning(&called.parts)?;
                vec![ask.clone(), Message::assistant(parts), results.clone()]
            }
            Self::MissingResult | Self::ResultsOutOfOrder => return None,
        };
        Some(request)
    }
}

fn without_reasoning(parts: &[Part]) -> Option<Vec<Part>> {
    let kept: Vec<Part> =
        parts.iter().filter(|part| !matches!(part, Part::Reasoning(_))).cloned().collect();
    (kept.len() < parts.len()).then_some(kept)
}

/// What became of each shape in one trial, the well-formed one among them.
pub(super) type Shapes = BTreeMap<String, Variant>;

/// Has real calls answered in ways that no adapter should.
pub(super) async fn trials(bench: &Bench, probe: &Probe, ask: &Calls) -> Vec<Trial<Shapes>> {
    join_all(bench.seeds(&probe.id, "").iter().map(|seed| trial(bench, probe, ask, seed))).await
}

/// The result: of differing trials, the less forgiving.
pub(super) fn settle(probe: &str, trials: Vec<Trial<Shapes>>) -> History {
    let prompt_token_delta = trials.iter().find_map(|trial| taken_by_tools(&trial.facts));
    let mut shapes = Shapes::new();
    for (shape, variant) in trials.iter().flat_map(|trial| &trial.facts) {
        let graver =
            shapes.get(shape).is_none_or(|known| gravity(variant.taken) > gravity(known.taken));
        if graver {
            shapes.insert(shape.clone(), variant.clone());
        }
    }
    // It is what the others are held against, not one of them.
    shapes.remove(Shape::WellFormed.as_str());
    let unneeded = Finding::Skipped("settled within the trial".to_owned());
    let (outcome, _) = settled(probe, trials, &unneeded, "the well-formed history");
    History { outcome, prompt_token_delta, shapes }
}

/// Prompt tokens that the tools take, where the endpoint counts and takes the history without them.
fn taken_by_tools(shapes: &Shapes) -> Option<i64> {
    let counted = |shape: Shape| {
        let tokens = shapes.get(shape.as_str())?.prompt_tokens?;
        i64::try_from(tokens).ok()
    };
    Some(counted(Shape::WellFormed)? - counted(Shape::ToolsOmitted)?)
}

fn gravity(taken: Taken) -> u8 {
    match taken {
        Taken::Skipped => 0,
        Taken::Inconclusive => 1,
        Taken::Accepted => 2,
        Taken::Ignored => 3,
        Taken::Rejected => 4,
    }
}

async fn trial(bench: &Bench, probe: &Probe, ask: &Calls, seed: &Seed) -> Trial<Shapes> {
    let wanted: Vec<Wanted> = ask.calls.iter().map(|call| wanted(call, seed)).collect();
    let names: Vec<&str> = wanted.iter().map(|call| call.tool.as_str()).collect();
    let tools = match (Offer { probe, names: &names, among: 0, filler: 0 }).tools(seed) {
        Ok(tools) => tools,
        Err(error) => return Trial::skipped(error.to_string(), Shapes::new()),
    };
    let mut conversation =
        bench.conversation(&tools, &format!("{}\n\n{}", ask_for(&wanted), ask.then));
    conversation.want(wanted.len());
    let said = conversation.turn().await;
    let blocked = blocked(&said.answer, "no calls to build a history on").or_else(|| {
        match said.reading.layer {
            Some(Layer::Structured) => None,
            Some(_) => Some(Finding::Skipped("calls travel as text, and so do results".to_owned())),
            None => {
                Some(Finding::Skipped(format!("no calls to build on: {}", no_call(&said.reading))))
            }
        }
    });
    if let Some(finding) = blocked {
        return Trial::of(&conversation, finding, Shapes::new());
    }
    conversation.run_tools(&said).await;
    let mut trial = Trial::of(&conversation, Finding::pass("calls to build on"), Shapes::new());
    let mut sent = sent(bench, conversation.request()).await;
    trial.evidence.extend(sent.iter().map(|sent| sent.turn.evidence.clone()));
    // An endpoint may refuse the reasoning that it gave out itself: then histories go without.
    if matches!(control(&sent), Some(Answer::Refused(_)))
        && let Some(bare) = conversation.request().without_reasoning()
    {
        sent = self::sent(bench, &bare).await;
        trial.evidence.extend(sent.iter().map(|sent| sent.turn.evidence.clone()));
    }
    let finding =
        control(&sent).map_or_else(|| Finding::Skipped("nothing asked".into()), well_formed);
    if matches!(finding, Finding::Pass(_)) {
        trial.facts = shapes(&sent);
    }
    trial.observation = finding.into();
    trial
}

/// A history and what became of it.
struct Sent {
    shape: Shape,
    /// What only the results in it tell.
    receipts: Vec<String>,
    turn: EvidencedAnswer,
}

impl Sent {
    /// Whether the reply holds what only the results tell; `None` where they tell nothing.
    fn is_read(&self) -> Option<bool> {
        let text = self.turn.answer.reply()?.text();
        (!self.receipts.is_empty())
            .then(|| self.receipts.iter().any(|receipt| holds(&text, receipt)))
    }
}

/// Sends a conversation in every shape that can be given to it.
async fn sent(bench: &Bench, request: &Request) -> Vec<Sent> {
    let asks = Shape::ALL.into_iter().filter_map(|shape| Some((shape, shape.applied(request)?)));
    join_all(asks.map(|(shape, request)| async move {
        let results = request.messages.iter().flat_map(|message| &message.parts);
        let receipts = results.filter_map(|part| match part {
            Part::Result(result) => receipt(result).map(str::to_owned),
            _ => None,
        });
        Sent { shape, receipts: receipts.collect(), turn: bench.client.ask(&request).await }
    }))
    .await
}

fn control(sent: &[Sent]) -> Option<&Answer> {
    let control = sent.iter().find(|sent| sent.shape == Shape::WellFormed)?;
    Some(&control.turn.answer)
}

/// Without the well-formed history being taken, nothing can be said of the others.
fn well_formed(answer: &Answer) -> Finding {
    blocked(answer, "the well-formed history is not taken either")
        .unwrap_or_else(|| Finding::pass("the well-formed history is taken"))
}

/// How each shape was taken. That results are ignored shows only beside a well-formed history in
/// which they were read.
fn shapes(sent: &[Sent]) -> Shapes {
    let reads = sent.iter().any(|it| it.shape == Shape::WellFormed && it.is_read() == Some(true));
    sent.iter()
        .map(|sent| {
            let mut variant = variant(&sent.turn.answer);
            if reads && sent.is_read() == Some(false) && !asks_for_the_missing(sent) {
                variant.taken = Taken::Ignored;
            }
            (sent.shape.as_str().to_owned(), variant)
        })
        .collect()
}

/// A model that calls once more for the result that it did not get has read what it got.
fn asks_for_the_missing(sent: &Sent) -> bool {
    sent.shape == Shape::MissingResult
        && sent.turn.answer.reply().is_some_and(|reply| reply.calls().next().is_some())
}
