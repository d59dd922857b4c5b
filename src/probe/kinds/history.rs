//! `[ask.history]`: which trimmed or malformed histories are refused, and which silently ignored?

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Asking, CallAsk, Calls, Case, Costing, Estimate, Load, Offer, ProbeKind, Seed, SettledCase,
    Trial, ask_for, count, describe_missing_call, hold_together, holds, missing_start, outcome,
    receipt, variant,
};
use crate::conversation::{Answer, EvidencedAnswer, Turn};
use crate::ir::{Layer, Message, Part, Request, Role};
use crate::profile::{Finding, History as HistoryResult, ProbeResult, Taken, Variant};
use crate::telemetry::TurnEvent;
use crate::tools::RegistryError;

/// Trimmed and malformed histories.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct History(Calls);

/// How each shape was taken in one trial, the well-formed one among them.
type Shapes = BTreeMap<String, Variant>;

impl ProbeKind for History {
    const NAME: &'static str = "history";
    type Facts = Shapes;

    fn calls(&self) -> Vec<&CallAsk> {
        self.0.calls.iter().collect()
    }

    async fn ask(&self, asking: Asking<'_>) -> Vec<Case<Shapes>> {
        vec![asking.hold("", |seed| self.trial(asking, seed)).await]
    }

    /// Of differing trials, the less forgiving counts.
    fn result(probe: &str, cases: &[SettledCase<Shapes>]) -> ProbeResult {
        let facts = || cases.iter().flat_map(|case| &case.trials).map(|trial| &trial.facts);
        let prompt_token_delta = facts().find_map(tokens_of_tools);
        let mut shapes = Shapes::new();
        for (shape, variant) in facts().flatten() {
            let graver =
                shapes.get(shape).is_none_or(|known| gravity(variant.taken) > gravity(known.taken));
            if graver {
                shapes.insert(shape.clone(), variant.clone());
            }
        }
        // It is the control of the others.
        shapes.remove(WELL_FORMED);
        let outcome = outcome(probe, cases);
        ProbeResult::History(HistoryResult { outcome, prompt_token_delta, shapes })
    }

    fn turns(&self) -> u32 {
        3
    }

    fn estimate(&self, costing: &Costing<'_>) -> Estimate {
        let talk = costing.talk(self.calls(), &self.0.then);
        if costing.is_twin {
            return Estimate { likely: talk.turns(2), most: talk.turns(3) };
        }
        let shapes = count(Shape::ALL.len());
        // Without reasoning, there is none to trim.
        let likely = Load { requests: shapes, ..talk.turns(1 + shapes / 2) };
        // Histories that are refused for their reasoning are all sent again without it.
        Estimate { likely, most: talk.turns(1 + 2 * shapes) }
    }
}

impl History {
    /// Settles itself: the well-formed history is the control of all others.
    async fn trial(&self, asking: Asking<'_>, seed: Seed) -> Result<Trial<Shapes>, RegistryError> {
        let wanted = self.0.fill(&seed);
        let names = wanted.iter().map(|call| call.tool.as_str());
        let tools = Offer::new(asking.probe, names).tools(&seed)?;
        let words = format!("{}\n\n{}", ask_for(&wanted), self.0.then);
        let mut conversation = asking.conversation(&tools, &words);
        conversation.want(wanted.len());
        let turn = conversation.turn().await;
        if let Some(finding) = nothing_to_build_on(&turn) {
            return Ok(Trial::of(&conversation, finding, Shapes::new()));
        }
        conversation.run_tools(&turn).await;
        let mut trial = Trial::of(&conversation, Finding::pass("calls to build on"), Shapes::new());
        let mut sent = send_all(asking, conversation.request()).await;
        trial.add_answers(sent.iter().map(|sent| &sent.turn));
        // An endpoint may refuse the reasoning that it gave out itself: then histories go without.
        if matches!(control(&sent), Some(Answer::Refused(_)))
            && let Some(bare) = conversation.request().without_reasoning()
        {
            sent = send_all(asking, &bare).await;
            trial.add_answers(sent.iter().map(|sent| &sent.turn));
        }
        let finding =
            control(&sent).map_or_else(|| Finding::Skipped("nothing asked".into()), judge_control);
        if matches!(finding, Finding::Pass(_)) {
            trial.facts = judge_shapes(&sent);
        }
        if matches!(control(&sent), Some(Answer::Refused(_))) {
            trial.telemetry.push(TurnEvent { closure_errors: 1, ..TurnEvent::default() });
        }
        trial.shown = finding.into();
        Ok(trial)
    }
}

/// Why there are no structured calls to build histories on.
fn nothing_to_build_on(turn: &Turn) -> Option<Finding> {
    missing_start(&turn.answer, "no calls to build a history on").or_else(|| {
        Some(Finding::Skipped(match turn.reading.layer {
            Some(Layer::Structured) => return None,
            Some(_) => "calls travel as text, and so do results".to_owned(),
            None => format!("no calls to build on: {}", describe_missing_call(&turn.reading)),
        }))
    })
}

const WELL_FORMED: &str = "well-formed";
const TOOLS_OMITTED: &str = "tools-omitted";

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

impl Shape {
    const ALL: [(Self, &'static str); 9] = [
        (Self::WellFormed, WELL_FORMED),
        (Self::DanglingCall, "dangling-call"),
        (Self::MissingResult, "missing-result"),
        (Self::OrphanResult, "orphan-result"),
        (Self::ResultsOutOfOrder, "results-out-of-order"),
        (Self::ToolsOmitted, TOOLS_OMITTED),
        (Self::TextBeforeResults, "text-before-results"),
        (Self::TextAfterResults, "text-after-results"),
        (Self::TrimmedReasoning, "trimmed-reasoning"),
    ];

    /// The request with its history made wrong; `None` where this cannot be done to it. The last
    /// three messages are the question, the turn with the calls, and the results.
    fn apply(self, request: &Request) -> Option<Request> {
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

/// Prompt tokens that the tools take, where the endpoint counts and takes the history without them.
fn tokens_of_tools(shapes: &Shapes) -> Option<i64> {
    let counted = |shape: &str| i64::try_from(shapes.get(shape)?.prompt_tokens?).ok();
    Some(counted(WELL_FORMED)? - counted(TOOLS_OMITTED)?)
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

/// A history and what became of it.
struct SentHistory {
    shape: Shape,
    id: &'static str,
    /// What only the results in it tell.
    receipts: Vec<String>,
    turn: EvidencedAnswer,
}

impl SentHistory {
    /// Whether the reply holds what only the results tell; `None` where they tell nothing.
    fn is_read(&self) -> Option<bool> {
        // A cut reply does not show what would have followed.
        let text = self.turn.answer.reply().filter(|_| !self.turn.answer.is_cut_by_limit())?.text();
        (!self.receipts.is_empty())
            .then(|| self.receipts.iter().any(|receipt| holds(&text, receipt)))
    }
}

/// Sends a conversation in every shape that can be given to it; as a streamed twin, which is compared
/// by the well-formed one, only in that.
async fn send_all(asking: Asking<'_>, request: &Request) -> Vec<SentHistory> {
    let is_asked = |shape: Shape| !asking.bench.is_twin || shape == Shape::WellFormed;
    let asks = Shape::ALL.into_iter().filter(|(shape, _)| is_asked(*shape));
    let asks = asks.filter_map(|(shape, id)| Some((shape, id, shape.apply(request)?)));
    hold_together(asks.map(|(shape, id, request)| async move {
        let results = request.messages.iter().flat_map(|message| &message.parts);
        let receipts = results.filter_map(|part| match part {
            Part::Result(result) => receipt(result).map(str::to_owned),
            _ => None,
        });
        let receipts = receipts.collect();
        SentHistory { shape, id, receipts, turn: asking.bench.client.ask(&request).await }
    }))
    .await
}

fn control(sent: &[SentHistory]) -> Option<&Answer> {
    let control = sent.iter().find(|sent| sent.shape == Shape::WellFormed)?;
    Some(&control.turn.answer)
}

/// Without the well-formed history being taken, nothing can be said of the others.
fn judge_control(answer: &Answer) -> Finding {
    missing_start(answer, "the well-formed history is not taken either")
        .unwrap_or_else(|| Finding::pass("the well-formed history is taken"))
}

/// How each shape was taken. That results are ignored shows only beside a well-formed history in
/// which they were read.
fn judge_shapes(sent: &[SentHistory]) -> Shapes {
    let reads = sent.iter().any(|it| it.shape == Shape::WellFormed && it.is_read() == Some(true));
    sent.iter()
        .map(|sent| {
            let mut variant = variant(&sent.turn.answer);
            if reads && sent.is_read() == Some(false) && !asks_for_the_missing(sent) {
                variant.taken = Taken::Ignored;
            }
            (sent.id.to_owned(), variant)
        })
        .collect()
}

/// A model that calls once more for the result that it did not get has read what it got.
fn asks_for_the_missing(sent: &SentHistory) -> bool {
    sent.shape == Shape::MissingResult
        && sent.turn.answer.reply().is_some_and(|reply| reply.calls().next().is_some())
}
