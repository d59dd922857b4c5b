//! Endpoints that only stream: plain requests lead to no call, and the same requests streamed do, or are at
//! least answered.

use std::collections::BTreeMap;

use futures_util::future::join;

use super::bench::Bench;
use super::control::speaks;
use super::kinds::Heard;
use super::ladder::{Climb, FIRST, Ladder, ONCE_MORE, words};
use super::outcome::outcome;
use super::trial::{Case, SettledCase, Trial};
use crate::ir::Defect;
use crate::profile::{Finding, Mode, Observation, ProbeOutcome, ReplyMode};

/// What plain requests are compared with.
const STREAMED: &str = "the same call in a stream";

/// What streams give where no plain request led to a call as asked.
pub(super) enum Streams {
    /// Every stream carries the call.
    Carry(Box<Climb>),
    /// They are answered, though without a call, and plain requests are not.
    Answer(Case<Heard>),
    /// Nothing that plain requests do not give, or they were not asked for.
    NoMore,
}

impl Ladder<'_> {
    /// Asks for streams where no plain request led to a call as asked. Streams that all carry it show
    /// that the endpoint and the model can do it, so that plain replies are to blame.
    pub(super) async fn try_streams(self, bench: &Bench, plain: &Case<Heard>) -> Streams {
        let is_open = bench.manner.mode == Mode::Both && bench.replies == ReplyMode::Plain;
        if !is_open || plain.trials.iter().any(Trial::is_pass) {
            return Streams::NoMore;
        }
        let streams = Bench { replies: ReplyMode::Streamed, ..bench.clone() };
        let streamed = self.hold(&streams, FIRST).await;
        if streamed.trials.iter().all(Trial::is_pass) {
            return Streams::Carry(Box::new(self.blame_plain(bench, plain, streamed).await));
        }
        if is_silent(plain) && !is_silent(&streamed) && !streamed.trials.iter().any(is_spoilt) {
            return Streams::Answer(streamed);
        }
        Streams::NoMore
    }

    /// The result where streams carry the call, with a verdict on plain replies.
    async fn blame_plain(self, bench: &Bench, plain: &Case<Heard>, streamed: Case<Heard>) -> Climb {
        // Trouble may have passed meanwhile, and a path that was given up is tried all the same.
        let client = bench.client.insisting();
        // A series of prose replies proves nothing; trouble is asked about once.
        let is_answered = plain.trials.iter().any(|trial| trial.facts.is_answered);
        let trials = if is_answered { bench.trials } else { 1 };
        let again = Bench { client, trials, ..bench.clone() };
        let ((greeting, spoke), more) =
            join(speaks(&again, self.probe), self.hold(&again, ONCE_MORE)).await;
        let mut all = plain.clone();
        all.trials.extend(more.trials);
        if all.trials.iter().any(Trial::is_pass) {
            return self.conclude(all, None);
        }
        let rungs = [("native", words(&all)), ("streamed", words(&streamed))];
        let mut climb = self.conclude(streamed, None);
        climb.result.plain = Some(Box::new(judge(&self.probe.id, all, &greeting)));
        climb.result.rungs = BTreeMap::from(rungs.map(|(name, words)| (name.to_owned(), words)));
        climb.add_evidence(vec![spoke]);
        climb
    }

    /// Adds the verdict on plain replies to what a further rung gave in streams.
    pub(super) async fn compare_with_plain(self, bench: &Bench, mut climb: Climb) -> Climb {
        let Some(delivery) = climb.result.delivery else { return climb };
        let client = bench.client.insisting();
        let replies = ReplyMode::Plain;
        let plain = Bench { client, delivery, replies, trials: 1, ..bench.clone() };
        let ((greeting, spoke), case) =
            join(speaks(&plain, self.probe), self.hold(&plain, FIRST)).await;
        let trials = case.trials.iter().flat_map(|trial| trial.evidence.clone());
        climb.add_evidence(trials.chain([spoke]).collect());
        climb.result.plain = Some(Box::new(judge(&self.probe.id, case, &greeting)));
        climb
    }
}

/// Whether nothing was answered that could be judged. A reply that the token limit ended is an answer,
/// though it shows nothing.
pub(super) fn is_silent(case: &Case<Heard>) -> bool {
    let is_open = |trial: &Trial<Heard>| matches!(trial.shown, Observation::Settled(_));
    case.trials.iter().all(|trial| is_open(trial) && !trial.is_pass() && !trial.was_cut)
}

/// Whether a part of a stream could not be read: the call may have stood there.
fn is_spoilt(trial: &Trial<Heard>) -> bool {
    trial.defects.contains(&Defect::FrameInvalid)
}

/// The verdict on plain requests, while streams carry the call. Trouble counts only where a plain
/// request without tools is answered meanwhile.
fn judge(probe: &str, plain: Case<Heard>, greeting: &Finding) -> ProbeOutcome {
    let trials = plain.trials.into_iter().map(|trial| settle(trial, greeting));
    let case: SettledCase<()> = Case { id: plain.id, trials: trials.collect() };
    outcome(probe, &[case])
}

fn settle(trial: Trial<Heard>, greeting: &Finding) -> Trial<(), Finding> {
    let fail = |reason: &str| {
        let streamed = Finding::pass("the stream carries the call");
        Finding::fail_against(format!("plain: {reason}"), &streamed, STREAMED)
    };
    let answers_greetings = matches!(greeting, Finding::Pass(_));
    let finding = match &trial.shown {
        Observation::Negative(reason) => fail(reason),
        Observation::Settled(Finding::Inconclusive(words))
            if trial.was_refused || answers_greetings =>
        {
            fail(words)
        }
        Observation::Settled(finding) => finding.clone(),
    };
    trial.with_finding(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Status;

    fn status(shown: Observation, was_refused: bool, greeting: &Finding) -> Status {
        let unheld = Trial::unheld(Finding::pass(""), Heard::default());
        let trials = vec![Trial { shown, was_refused, ..unheld }];
        judge("basic-format", Case { id: String::new(), trials }, greeting).status
    }

    #[test]
    fn trouble_counts_against_plain_replies_only_where_greetings_are_answered() {
        let trouble = || Finding::Inconclusive("HTTP 500".to_owned()).into();
        let answered = Finding::pass("a reply");
        let silent = Finding::Inconclusive("HTTP 500".to_owned());
        assert_eq!(status(trouble(), false, &answered), Status::Fail);
        assert_eq!(status(trouble(), false, &silent), Status::Inconclusive);
    }

    #[test]
    fn a_clear_refusal_of_everything_plain_counts_while_streams_work() {
        let refused = Finding::Inconclusive("not even without tools: refused".to_owned());
        assert_eq!(status(refused.clone().into(), true, &refused), Status::Fail);
        let no_call = Observation::Negative("prose instead of a call".to_owned());
        assert_eq!(status(no_call, false, &refused), Status::Fail);
    }
}
