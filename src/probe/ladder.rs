//! The ladder: which way of making tools known leads to calls?
//!
//! Native tools come first, with the call in its own field, in the visible text or in the reasoning; then
//! streams, where plain replies carry no call (`only_streams`); then a choice that demands a call; then text protocols taught in the system prompt; only then none.

use std::collections::BTreeMap;

use futures_util::future::join4;

use super::Probe;
use super::bench::Bench;
use super::control::speaks;
use super::kind::{Asking, Blocked, SettledTrial};
use super::kinds::{BasicFormat, Heard, mark_other_layers, single_tool};
use super::only_streams::{Streams, is_silent};
use super::together::hold_together;
use super::trial::{Case, Trial};
use crate::conversation::Client;
use crate::ir::Digest;
use crate::profile::{Finding, Observation, ReplyMode, SingleTool, Status};
use crate::prompted::{Force, ToolDelivery};
use crate::telemetry::TurnEvent;

/// The built-in probe that climbs. It is preferred to others of its kind.
const BASIC_FORMAT: &str = "basic-format";

/// The case whose values a rung's trials get, and that of those asked for once more.
pub(super) const FIRST: &str = "";
pub(super) const ONCE_MORE: &str = "once more";

/// The case of trials whose tools stand in the older field of Gemini's declarations.
const OLDER_SCHEMA: &str = "parameters";

/// A probe that climbs the ladder.
#[derive(Clone, Copy)]
pub(super) struct Ladder<'a> {
    pub(super) probe: &'a Probe,
    question: &'a BasicFormat,
}

/// What climbing gave: the result on the rung that worked, and each of its trials.
pub(super) struct Climb {
    pub(super) result: SingleTool,
    pub(super) trials: Vec<SettledTrial>,
    pub(super) telemetry: Vec<TurnEvent>,
    /// The client that declares tools as they are read, where that is not the dialect's first way.
    pub(super) client: Option<Client>,
}

/// What the first rung gave.
pub(super) enum Native {
    /// The ladder ends here: calls arrived, or the endpoint gave no answer to judge, and then another
    /// rung would only hide that.
    Ends(Box<Climb>),
    /// Answers, but no call in any of them; and which replies are answered.
    Fails(Case<Heard>, ReplyMode),
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
        if let Some(climb) = self.try_older_schema(bench, &case).await {
            return Native::Ends(Box::new(climb));
        }
        // Where the model answers without a call, streams are asked for together with the further rungs.
        if count_calls(&case) == 0 && !is_silent(&case) {
            return Native::Fails(case, bench.replies);
        }
        match self.try_streams(bench, &case).await {
            Streams::Carry(climb) => return Native::Ends(climb),
            Streams::Answer(streamed) => return Native::Fails(streamed, ReplyMode::Streamed),
            Streams::NoMore => {}
        }
        let silent = Finding::Skipped("the endpoint did not answer".to_owned());
        let spoken = (count_calls(&case) == 0).then_some(&silent);
        Native::Ends(Box::new(self.conclude(case, spoken)))
    }

    /// Declares tools in the older field of a dialect that has one, where no call came as asked. Some
    /// servers read only that field, and then a model never sees the schema.
    async fn try_older_schema(self, bench: &Bench, native: &Case<Heard>) -> Option<Climb> {
        let is_wrong = |trial: &Trial<Heard>| matches!(trial.shown, Observation::Negative(_));
        let has_failed = native.trials.iter().any(is_wrong);
        if !has_failed || native.trials.iter().any(Trial::is_pass) {
            return None;
        }
        let client = bench.client.with_older_schema()?;
        let older = Bench { client: client.clone(), ..bench.clone() };
        let case = self.hold(&older, OLDER_SCHEMA).await;
        if !case.trials.iter().any(Trial::is_pass) {
            return None;
        }
        let rungs = [("native", words(native)), (OLDER_SCHEMA, words(&case))];
        let mut climb = self.conclude(case, None);
        climb.client = Some(client);
        climb.result.schema_field = Some(OLDER_SCHEMA.to_owned());
        climb.result.rungs = rungs.map(|(name, words)| (name.to_owned(), words)).into();
        climb.add_evidence(native.trials.iter().flat_map(|it| it.evidence.clone()).collect());
        Some(climb)
    }

    /// Asks for streams, demands a call and teaches text protocols, all at once, where native tools led to
    /// no call.
    pub(super) async fn teach(self, bench: &Bench, mut native: Case<Heard>) -> Climb {
        let rungs = self.further_rungs(bench).into_iter().map(|delivery| async move {
            (delivery, self.hold(&Bench { delivery, ..bench.clone() }, FIRST).await)
        });
        let more = self.try_native_again(bench, &native);
        let streams = self.try_streams(bench, &native);
        let (tried, (control, spoke), more, streams) =
            join4(hold_together(rungs), speaks(bench, self.probe), more, streams).await;
        native.trials.extend(more);
        if count_calls(&native) > 0 {
            return self.conclude(native, None);
        }
        if let Streams::Carry(climb) = streams {
            return *climb;
        }
        let mut rungs = BTreeMap::from([("native".to_owned(), words(&native))]);
        rungs.extend(tried.iter().map(|(delivery, case)| (rung_name(*delivery), words(case))));
        let all = tried.iter().map(|(_, case)| case).chain([&native]);
        let all = all.flat_map(|case| &case.trials).flat_map(|trial| trial.evidence.clone());
        let witnesses: Vec<Digest> = all.chain([spoke]).collect();
        let unanswered = tried.iter().find_map(|(_, case)| inconclusive_finding(case));
        // The first of the best: they stand in the order they are worth trying.
        let best = tried.into_iter().rev().max_by_key(|(delivery, case)| worth(*delivery, case));
        let mut climb = match best.filter(|(_, case)| count_calls(case) > 0) {
            Some((_, case)) => self.conclude(case, None),
            None => self.conclude(native, Some(&unanswered.unwrap_or(control))),
        };
        climb.result.rungs = rungs;
        climb.add_evidence(witnesses);
        if bench.replies == bench.manner.mode.first() {
            return climb;
        }
        self.compare_with_plain(bench, climb).await
    }

    /// The rungs below the native one, in the order they are worth trying.
    fn further_rungs(self, bench: &Bench) -> Vec<ToolDelivery> {
        let can_force = bench.client.dialect().has_tool_choice();
        let forced = Force::ALL.into_iter().filter(|_| can_force).map(ToolDelivery::Forced);
        let taught = self.question.protocols.iter().copied().map(ToolDelivery::Prompted);
        forced.chain(taught).collect()
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
        if let Streams::Carry(climb) = self.try_streams(bench, &case).await {
            return *climb;
        }
        if count_calls(&case) > 0 {
            return self.conclude(case, None);
        }
        let (control, spoke) = speaks(bench, self.probe).await;
        let mut climb = self.conclude(case, Some(&control));
        climb.add_evidence(vec![spoke]);
        climb
    }

    /// The result where nothing could be asked.
    pub(super) fn block(self, why: &Finding) -> Climb {
        let trials = vec![Trial::unheld(why.clone(), Heard::default())];
        self.conclude(Case { id: FIRST.to_owned(), trials }, Some(why))
    }

    pub(super) async fn hold(self, bench: &Bench, case: &str) -> Case<Heard> {
        let asking = Asking { bench, probe: self.probe, probes: &[] };
        self.question.hold(asking, case).await
    }

    /// The result of one rung: calls that arrived are the control of wrong ones; where none did, it
    /// is a reply without tools.
    pub(super) fn conclude(self, mut case: Case<Heard>, spoken: Option<&Finding>) -> Climb {
        mark_other_layers(&mut case);
        let case = match spoken {
            None => case.settle(&Finding::pass("a call arrived"), "a call of the same kind"),
            Some(spoken) => case.settle(spoken, "a reply without tools"),
        };
        let result = single_tool(&self.probe.id, std::slice::from_ref(&case));
        let telemetry = case.trials.iter().flat_map(|trial| trial.telemetry.clone()).collect();
        let trials = SettledTrial::of_case(&case).collect();
        Climb { result, trials, telemetry, client: None }
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

    pub(super) fn add_evidence(&mut self, more: Vec<Digest>) {
        let evidence = &mut self.result.outcome.evidence;
        evidence.extend(more);
        evidence.sort();
        evidence.dedup();
    }
}

/// How good a rung is: a demanded call that is right is worth more than a taught one, and any taught one
/// more than a demanded call that is wrong.
fn worth(delivery: ToolDelivery, case: &Case<Heard>) -> (u8, usize) {
    let calls = count_calls(case);
    let is_right = case.trials.iter().any(Trial::is_pass);
    let grade = match (delivery, calls) {
        (_, 0) => 0,
        (ToolDelivery::Forced(_), _) if is_right => 3,
        (ToolDelivery::Forced(_), _) => 1,
        (ToolDelivery::Native | ToolDelivery::Prompted(_), _) => 2,
    };
    (grade, calls)
}

/// The name of a rung in results.
fn rung_name(delivery: ToolDelivery) -> String {
    match delivery {
        ToolDelivery::Forced(Force::Required) => "forced:required".to_owned(),
        ToolDelivery::Forced(Force::Named) => "forced:named".to_owned(),
        ToolDelivery::Native | ToolDelivery::Prompted(_) => delivery.into(),
    }
}

/// Why nothing is known of a rung, where none of its trials came to a conclusion.
fn inconclusive_finding(case: &Case<Heard>) -> Option<Finding> {
    let open = |trial: &Trial<Heard>| match &trial.shown {
        Observation::Settled(Finding::Inconclusive(words)) => Some(words.clone()),
        _ => None,
    };
    let words: Option<Vec<String>> = case.trials.iter().map(open).collect();
    words?.pop().map(Finding::Inconclusive)
}

/// In how many trials a call arrived.
fn count_calls(case: &Case<Heard>) -> usize {
    case.trials.iter().filter(|trial| trial.facts.form.is_some()).count()
}

/// What a rung gave, in the words of its first trial.
pub(super) fn words(case: &Case<Heard>) -> String {
    match case.trials.first().map(|trial| &trial.shown) {
        Some(Observation::Settled(finding)) => finding.to_string(),
        Some(Observation::Negative(reason)) => reason.clone(),
        None => String::new(),
    }
}
