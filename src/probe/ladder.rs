//! The ladder: which way of making tools known leads to calls?
//!
//! Native tools come first, with the call in its own field, in the visible text or in the reasoning;
//! then text protocols taught in the system prompt; only then none.

use std::collections::BTreeMap;

use futures_util::future::{join_all, join3};

use super::Probe;
use super::bench::Bench;
use super::kind::{Asking, Blocked, PlainTrial};
use super::kinds::{BasicFormat, Heard, mark_other_layers, single_tool};
use super::trial::{Case, Trial};
use crate::conversation::Miss;
use crate::ir::{Digest, Message, Request};
use crate::profile::{Finding, Observation, SingleTool, Status};
use crate::prompted::ToolDelivery;
use crate::telemetry::TurnEvent;

/// The built-in probe that climbs. It is preferred to others of its kind.
const BASIC_FORMAT: &str = "basic-format";

/// The case whose values a rung's trials get, and that of those asked for once more.
const FIRST: &str = "";
const ONCE_MORE: &str = "once more";

/// A probe that climbs the ladder.
#[derive(Clone, Copy)]
pub(super) struct Ladder<'a> {
    pub(super) probe: &'a Probe,
    question: &'a BasicFormat,
}

/// What climbing gave: the result on the rung that worked, and each of its trials.
pub(super) struct Climb {
    pub(super) result: SingleTool,
    pub(super) trials: Vec<PlainTrial>,
    pub(super) telemetry: Vec<TurnEvent>,
}

/// What the first rung gave.
pub(super) enum Native {
    /// The ladder ends here: calls arrived, or the endpoint gave no answer to judge, and then another
    /// rung would only hide that.
    Ends(Box<Climb>),
    /// Answers, but no call in any of them.
    Fails(Case<Heard>),
}

impl<'a> Ladder<'a> {
    pub(super) fn among(probes: &[&'a Probe]) -> Option<Self> {
        let ladder = |probe: &&'a Probe| Some(Self { question: probe.question.ladder()?, probe });
        probes.iter().filter_map(ladder).min_by_key(|ladder| ladder.probe.id != BASIC_FORMAT)
    }

    /// The protocol that is most likely to work where native tools do not.
    pub(super) fn likely(self) -> Option<ToolDelivery> {
        self.question.protocols.first().copied().map(ToolDelivery::Prompted)
    }

    /// Offers tools in the dialect's own field.
    pub(super) async fn try_native(self, bench: &Bench) -> Native {
        let case = self.hold(bench, FIRST).await;
        if count_calls(&case) > 0 {
            return Native::Ends(Box::new(self.conclude(case, None)));
        }
        if case.trials.iter().all(|trial| matches!(trial.shown, Observation::Settled(_))) {
            let silent = Finding::Skipped("the endpoint did not answer".to_owned());
            return Native::Ends(Box::new(self.conclude(case, Some(&silent))));
        }
        Native::Fails(case)
    }

    /// Teaches text protocols, all at once, where native tools led to no call.
    pub(super) async fn teach(self, bench: &Bench, mut native: Case<Heard>) -> Climb {
        let protocols = self.question.protocols.iter().map(|protocol| async {
            let delivery = ToolDelivery::Prompted(*protocol);
            (delivery, self.hold(&Bench { delivery, ..bench.clone() }, FIRST).await)
        });
        let more = self.try_native_again(bench, &native);
        let (taught, (control, spoke), more) =
            join3(join_all(protocols), speaks(bench), more).await;
        native.trials.extend(more);
        if count_calls(&native) > 0 {
            return self.conclude(native, None);
        }
        let mut rungs = BTreeMap::from([("native".to_owned(), words(&native))]);
        rungs.extend(taught.iter().map(|(delivery, case)| ((*delivery).into(), words(case))));
        let all = taught.iter().map(|(_, case)| case).chain([&native]);
        let all = all.flat_map(|case| &case.trials).flat_map(|trial| trial.evidence.clone());
        let witnesses: Vec<Digest> = all.chain([spoke]).collect();
        // The first of those that led to most calls: they stand in the order they are worth trying.
        let best = taught.into_iter().rev().max_by_key(|(_, case)| count_calls(case));
        let mut climb = match best.filter(|(_, case)| count_calls(case) > 0) {
            Some((_, case)) => self.conclude(case, None),
            None => self.conclude(native, Some(&control)),
        };
        climb.result.rungs = rungs;
        climb.add_evidence(witnesses);
        climb
    }

    /// Asks natively once more where the model answered in words: one that calls most of the time is
    /// not to be sent down the ladder by a streak.
    async fn try_native_again(self, bench: &Bench, native: &Case<Heard>) -> Vec<Trial<Heard>> {
        if native.trials.iter().any(|trial| trial.facts.is_answered) {
            self.hold(bench, ONCE_MORE).await.trials
        } else {
            Vec::new()
        }
    }

    /// Asks on the rung that the bench names, and on no other.
    pub(super) async fn ask_on_rung(self, bench: &Bench) -> Climb {
        let case = self.hold(bench, FIRST).await;
        if count_calls(&case) > 0 {
            return self.conclude(case, None);
        }
        let (control, spoke) = speaks(bench).await;
        let mut climb = self.conclude(case, Some(&control));
        climb.add_evidence(vec![spoke]);
        climb
    }

    /// The result where nothing could be asked.
    pub(super) fn block(self, why: &Finding) -> Climb {
        let trials = vec![Trial::unheld(why.clone(), Heard::default())];
        self.conclude(Case { id: FIRST.to_owned(), trials }, Some(why))
    }

    async fn hold(self, bench: &Bench, case: &str) -> Case<Heard> {
        let asking = Asking { bench, probe: self.probe, probes: &[] };
        self.question.hold(asking, case).await
    }

    /// The result of one rung: calls that arrived are the control of wrong ones; where none did, it
    /// is a reply without tools.
    fn conclude(self, mut case: Case<Heard>, spoken: Option<&Finding>) -> Climb {
        mark_other_layers(&mut case);
        let case = match spoken {
            None => case.settle(&Finding::pass("a call arrived"), "a call of the same kind"),
            Some(spoken) => case.settle(spoken, "a reply without tools"),
        };
        let result = single_tool(&self.probe.id, std::slice::from_ref(&case));
        let telemetry = case.trials.iter().flat_map(|trial| trial.telemetry.clone()).collect();
        let trials = case.trials.into_iter();
        let trials = trials.map(|it| PlainTrial { finding: it.shown, is_exact: it.is_exact });
        Climb { result, trials: trials.collect(), telemetry }
    }
}

impl Climb {
    /// What negatives of other probes are compared with.
    pub(super) fn control(&self) -> Finding {
        let reason = || self.result.outcome.reason.clone();
        match self.result.outcome.status {
            Status::Pass | Status::Partial => Finding::pass("a single call"),
            Status::Inconclusive => Finding::Inconclusive(reason()),
            // Calls arrive, though not as they should: enough to compare with.
            Status::Fail if self.result.delivery.is_some() => {
                Finding::pass("a call, if not as asked")
            }
            Status::Fail | Status::Skipped => Finding::Skipped(reason()),
        }
    }

    /// Why other probes cannot be asked where no call arrived.
    pub(super) fn blocks(&self) -> Blocked {
        let outcome = &self.result.outcome;
        let finding = match outcome.status {
            Status::Inconclusive => Finding::Inconclusive(outcome.reason.clone()),
            _ => Finding::Skipped(format!("no call works: {}", outcome.reason)),
        };
        Blocked { finding, never_calls: outcome.status == Status::Fail }
    }

    fn add_evidence(&mut self, more: Vec<Digest>) {
        let evidence = &mut self.result.outcome.evidence;
        evidence.extend(more);
        evidence.sort();
        evidence.dedup();
    }
}

/// In how many trials a call arrived.
fn count_calls(case: &Case<Heard>) -> usize {
    case.trials.iter().filter(|trial| trial.facts.form.is_some()).count()
}

/// Whether the endpoint speaks at all when no tools are in the way: the control of "no calls", and
/// the exchange that shows it.
async fn speaks(bench: &Bench) -> (Finding, Digest) {
    let request = Request {
        messages: vec![Message::user("Reply with the one word: ready")],
        stream: bench.stream,
        ..Request::default()
    };
    let turn = bench.client.ask(&request).await;
    let finding = match turn.answer.miss() {
        None => Finding::pass("a reply without tools"),
        Some(Miss::Open(words)) => Finding::Inconclusive(words),
        Some(Miss::Clear(words)) => {
            Finding::Inconclusive(format!("not even without tools: {words}"))
        }
    };
    (finding, turn.evidence)
}

/// What a rung gave, in the words of its first trial.
fn words(case: &Case<Heard>) -> String {
    match case.trials.first().map(|trial| &trial.shown) {
        Some(Observation::Settled(finding)) => finding.to_string(),
        Some(Observation::Negative(reason)) => reason.clone(),
        None => String::new(),
    }
}
