//! Trials: one conversation each, before and after its control is known.

use crate::conversation::{Answer, Conversation, EvidencedAnswer, Miss};
use crate::ir::{Defect, Digest, Layer};
use crate::profile::{Finding, Observation, Taken, Variant};
use crate::telemetry::TurnEvent;

/// One trial: what it showed, the exchanges that show it, and what its kind makes of them.
#[derive(Debug, Clone)]
pub(crate) struct Trial<F, S = Observation> {
    pub(crate) shown: S,
    pub(crate) evidence: Vec<Digest>,
    pub(crate) defects: Vec<Defect>,
    pub(crate) telemetry: Vec<TurnEvent>,
    /// Where its calls stood.
    pub(crate) layer: Option<Layer>,
    /// Whether its calls had the very values asked for.
    pub(crate) is_exact: bool,
    /// Whether a request of it was refused.
    pub(crate) was_refused: bool,
    /// Whether the token limit ended a reply.
    pub(crate) was_cut: bool,
    pub(crate) facts: F,
}

/// The trials of one case of a probe. A probe that is one case calls it "".
#[derive(Debug, Clone)]
pub(crate) struct Case<F, S = Observation> {
    pub(crate) id: String,
    pub(crate) trials: Vec<Trial<F, S>>,
}

/// A case whose negatives have been held against their control.
pub(crate) type SettledCase<F> = Case<F, Finding>;

impl<F> Trial<F> {
    /// A trial whose finding was known without holding it.
    pub(crate) fn unheld(finding: Finding, facts: F) -> Self {
        Self {
            shown: finding.into(),
            evidence: Vec::new(),
            defects: Vec::new(),
            telemetry: Vec::new(),
            layer: None,
            is_exact: false,
            was_refused: false,
            was_cut: false,
            facts,
        }
    }

    /// A trial that was one conversation.
    pub(crate) fn of(
        conversation: &Conversation<'_>,
        shown: impl Into<Observation>,
        facts: F,
    ) -> Self {
        Self {
            shown: shown.into(),
            evidence: conversation.evidence().to_vec(),
            defects: conversation.defects().to_vec(),
            telemetry: conversation.telemetry().to_vec(),
            layer: conversation.layer(),
            is_exact: false,
            was_refused: conversation.was_refused(),
            was_cut: conversation.was_cut(),
            facts,
        }
    }

    /// With the answers to requests that were made wrong on purpose.
    pub(crate) fn add_answers<'a>(
        &mut self,
        answers: impl IntoIterator<Item = &'a EvidencedAnswer>,
    ) {
        for answered in answers {
            self.evidence.push(answered.evidence.clone());
            self.was_refused |= matches!(answered.answer, Answer::Refused(_));
        }
    }

    /// The same exchanges with nothing concluded from them.
    pub(crate) fn leave_open(self, words: &str) -> Self
    where
        F: Default,
    {
        let shown = Finding::Inconclusive(words.to_owned()).into();
        let telemetry = Vec::new();
        Self { shown, telemetry, is_exact: false, layer: None, facts: F::default(), ..self }
    }

    pub(crate) fn with_facts<G>(self, facts: G) -> Trial<G> {
        self.map(|shown, _| (shown, facts))
    }

    /// The trial with its verdict, without what only its kind understands.
    pub(crate) fn with_finding(self, finding: Finding) -> Trial<(), Finding> {
        self.map(|_, _| (finding, ()))
    }

    fn settle(self, control: &Finding, what: &str) -> Trial<F, Finding> {
        self.map(|shown, facts| (shown.settle(control, what), facts))
    }

    fn map<G, S>(self, change: impl FnOnce(Observation, F) -> (S, G)) -> Trial<G, S> {
        let (shown, facts) = change(self.shown, self.facts);
        Trial {
            shown,
            evidence: self.evidence,
            defects: self.defects,
            telemetry: self.telemetry,
            layer: self.layer,
            is_exact: self.is_exact,
            was_refused: self.was_refused,
            was_cut: self.was_cut,
            facts,
        }
    }

    pub(crate) fn is_pass(&self) -> bool {
        matches!(self.shown, Observation::Settled(Finding::Pass(_)))
    }

    /// Whether it passed with calls that stand where a client that reads those of `usual` does not
    /// look: the model called, and the server lost it on the way.
    pub(crate) fn is_displaced(&self, usual: Option<Layer>) -> bool {
        self.is_pass() && usual.is_some_and(|usual| self.layer > Some(usual))
    }
}

impl<F> Case<F> {
    /// Holds every negative against a control; `what` names it.
    pub(crate) fn settle(self, control: &Finding, what: &str) -> SettledCase<F> {
        let trials = self.trials.into_iter().map(|trial| trial.settle(control, what));
        Case { id: self.id, trials: trials.collect() }
    }
}

/// What a request without a reply shows; `None` where there is a reply to judge.
pub(crate) fn missing_reply(answer: &Answer) -> Option<Observation> {
    Some(match answer.miss()? {
        Miss::Open(words) => Finding::Inconclusive(words).into(),
        Miss::Clear(words) => Observation::Negative(words),
    })
}

/// What is left of a trial whose first request got no reply; `what` names what was needed of it.
pub(crate) fn missing_start(answer: &Answer, what: &str) -> Option<Finding> {
    Some(match answer.miss()? {
        Miss::Open(words) => Finding::Inconclusive(words),
        Miss::Clear(words) => Finding::Skipped(format!("{what}: {words}")),
    })
}

/// How the endpoint took one variant of a follow-up.
pub(crate) fn variant(answer: &Answer) -> Variant {
    let taken = match answer {
        Answer::Reply(_) => Taken::Accepted,
        Answer::Refused(_) => Taken::Rejected,
        Answer::CutShort(_) | Answer::OutputRejected(_) | Answer::Nothing(_) => Taken::Inconclusive,
    };
    let said = match answer {
        Answer::Refused(error) | Answer::OutputRejected(error) => Some(error.message.clone()),
        Answer::Nothing(words) => Some(words.clone()),
        Answer::Reply(_) | Answer::CutShort(_) => None,
    };
    Variant { taken, said, prompt_tokens: answer.reply().and_then(|reply| reply.usage.input) }
}
