//! Kinds of probes: the trait that each implements, and what the runner sees of them.
//!
//! A kind is one file in `kinds/` that implements [`ProbeKind`], and one line in its list. The
//! runner knows a parsed question as `dyn Question` and its trials as `dyn Asked`; both follow from
//! [`ProbeKind`].

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Error};

use super::bench::Bench;
use super::control::confirm;
use super::estimate::{Costing, Estimate};
use super::kinds::BasicFormat;
use super::suite::CallAsk;
use super::together::hold_together;
use super::trial::{Case, SettledCase, Trial};
use super::{Probe, Seed};
use crate::conversation::Conversation;
use crate::ir::{Defect, Digest, Layer};
use crate::profile::{Finding, ProbeResult, ReplyMode};
use crate::telemetry::TurnEvent;
use crate::tools::{Registry, RegistryError};

/// What negatives are compared with, unless a trial settles them itself.
const SINGLE_CALL: &str = "a single call";

/// A kind of probe. The type holds what a probe file says under `[ask.NAME]`.
///
/// Implemented by the files of `kinds/`. A trial that the infrastructure kept from a conclusion is
/// `Inconclusive`, and a failure is an `Observation::Negative` until its control is known: no kind
/// can reach a negative verdict by itself.
pub(crate) trait ProbeKind:
    Clone + fmt::Debug + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    /// The word after `[ask.` in a probe file.
    const NAME: &'static str;

    /// What a trial tells beside its finding; the default stands for a trial that was not held.
    type Facts: Default + Send;

    /// The calls it asks for, whose tools must be declared or built in.
    fn calls(&self) -> Vec<&CallAsk> {
        Vec::new()
    }

    /// Holds the trials of all cases, streamed where [`Bench::stream`] says so.
    fn ask(&self, asking: Asking<'_>) -> impl Future<Output = Vec<Case<Self::Facts>>> + Send;

    /// What stands in for the trials where the probe cannot be asked.
    fn block(&self, why: &Blocked) -> Vec<Case<Self::Facts>> {
        let trial = Trial::unheld(why.finding.clone(), Self::Facts::default());
        vec![Case { id: "all".to_owned(), trials: vec![trial] }]
    }

    /// Corrects what trials showed by what is known of other probes, before negatives are settled.
    fn revise(_cases: &mut [Case<Self::Facts>], _known: &Known) {}

    /// The result of settled trials.
    fn result(probe: &str, cases: &[SettledCase<Self::Facts>]) -> ProbeResult;

    /// What one trial costs: if all goes well, and at most.
    fn estimate(&self, costing: &Costing<'_>) -> Estimate;

    /// How many requests its longest conversation takes, one after the other, if all goes well.
    fn turns(&self) -> u32 {
        1
    }

    /// Drops every case but this one, where the cases are a list.
    fn keep_case(&mut self, _case: &str) {}

    /// The ids of the probes that it repeats in a stream. A kind that does estimates the cost of all
    /// trials, since it may hold fewer of them.
    fn twins(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The ladder that finds out how tools are delivered.
    fn ladder(&self) -> Option<&BasicFormat> {
        None
    }
}

/// A probe that is asked, and what it is asked with.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) bench: &'a Bench,
    pub(crate) probe: &'a Probe,
    /// All probes that are asked of the endpoint.
    pub(crate) probes: &'a [&'a Probe],
}

impl<'a> Asking<'a> {
    /// A conversation that begins with these words, within the probe's token limit.
    pub(crate) fn conversation(&self, tools: &'a Registry, words: &str) -> Conversation<'a> {
        let mut conversation = self.bench.conversation(tools, words);
        conversation.request().max_tokens = Some(self.bench.max_tokens(self.probe));
        conversation
    }

    /// Holds the trials of one case at the same time, each with values of its own. Tools that cannot
    /// be offered leave a trial skipped, and a refusal counts only where the control is answered after it.
    pub(crate) async fn hold<F: Default, T>(self, case: &str, trial: impl Fn(Seed) -> T) -> Case<F>
    where
        T: Future<Output = Result<Trial<F>, RegistryError>>,
    {
        let seeds = self.bench.seeds(&self.probe.id, case);
        let skipped =
            |error: RegistryError| Trial::unheld(Finding::Skipped(error.to_string()), F::default());
        let trials = seeds.into_iter().map(|seed| {
            let held = trial(seed.clone());
            async move { confirm(self, held.await.unwrap_or_else(skipped), &seed).await }
        });
        Case { id: case.to_owned(), trials: hold_together(trials).await }
    }
}

/// Why a probe cannot be asked.
#[derive(Debug, Clone)]
pub(crate) struct Blocked {
    pub(crate) finding: Finding,
    /// Whether it is known that the model makes no calls.
    pub(crate) never_calls: bool,
}

/// What is known of an endpoint when the trials of a probe are settled.
#[derive(Debug)]
pub(crate) struct Known {
    /// Whether single calls arrive: the control of negatives.
    pub(crate) control: Finding,
    /// Where single calls stand in a reply.
    pub(crate) layer: Option<Layer>,
    /// Which replies the suite asked for.
    pub(crate) replies: ReplyMode,
    /// Whether a whole body is a stream of one line in this dialect.
    pub(crate) streams_by_line: bool,
    /// The settled trials of each probe, which its streamed twins are compared with.
    pub(crate) settled: BTreeMap<String, Vec<SettledTrial>>,
}

impl Known {
    /// What is known before anything is settled.
    pub(crate) fn of(bench: &Bench) -> Self {
        let streams_by_line = bench.client.dialect().streams_by_line();
        Self { replies: bench.replies, streams_by_line, ..Self::nothing() }
    }

    pub(crate) fn nothing() -> Self {
        Self {
            control: Finding::Skipped("no probe asks for a single call".to_owned()),
            layer: None,
            replies: ReplyMode::Plain,
            streams_by_line: false,
            settled: BTreeMap::new(),
        }
    }
}

/// Which trial of a probe it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct TrialId {
    pub(crate) case: String,
    pub(crate) number: usize,
}

/// What a trial showed in the end.
#[derive(Debug, Clone)]
pub(crate) struct SettledTrial {
    pub(crate) id: TrialId,
    pub(crate) finding: Finding,
    /// Whether its calls had the very values asked for.
    pub(crate) is_exact: bool,
    pub(crate) defects: Vec<Defect>,
    pub(crate) evidence: Vec<Digest>,
}

impl SettledTrial {
    /// The trials of a case.
    pub(crate) fn of_case<F>(case: &SettledCase<F>) -> impl Iterator<Item = Self> {
        case.trials.iter().enumerate().map(|(number, trial)| Self {
            id: TrialId { case: case.id.clone(), number },
            finding: trial.shown.clone(),
            is_exact: trial.is_exact,
            defects: trial.defects.clone(),
            evidence: trial.evidence.clone(),
        })
    }
}

/// A question of any kind, read from a probe file.
pub(crate) trait Question: fmt::Debug + Send + Sync {
    fn calls(&self) -> Vec<&CallAsk>;
    fn ask<'a>(&'a self, asking: Asking<'a>) -> BoxFuture<'a, Box<dyn Asked>>;
    fn block(&self, why: &Blocked) -> Box<dyn Asked>;
    fn estimate(&self, costing: &Costing<'_>) -> Estimate;
    fn turns(&self) -> u32;
    /// The same question with only one of its cases.
    fn narrow(&self, case: &str) -> Arc<dyn Question>;
    fn twins(&self) -> Vec<&str>;
    fn ladder(&self) -> Option<&BasicFormat>;
}

impl<K: ProbeKind> Question for K {
    fn calls(&self) -> Vec<&CallAsk> {
        ProbeKind::calls(self)
    }

    fn ask<'a>(&'a self, asking: Asking<'a>) -> BoxFuture<'a, Box<dyn Asked>> {
        let boxed = |cases| -> Box<dyn Asked> { Box::new(Held::<K>(cases)) };
        Box::pin(ProbeKind::ask(self, asking).map(boxed))
    }

    fn block(&self, why: &Blocked) -> Box<dyn Asked> {
        Box::new(Held::<K>(ProbeKind::block(self, why)))
    }

    fn estimate(&self, costing: &Costing<'_>) -> Estimate {
        ProbeKind::estimate(self, costing)
    }

    fn turns(&self) -> u32 {
        ProbeKind::turns(self)
    }

    fn narrow(&self, case: &str) -> Arc<dyn Question> {
        let mut question = self.clone();
        question.keep_case(case);
        Arc::new(question)
    }

    fn twins(&self) -> Vec<&str> {
        ProbeKind::twins(self)
    }

    fn ladder(&self) -> Option<&BasicFormat> {
        ProbeKind::ladder(self)
    }
}

/// The trials of one probe of any kind, before their control is known.
pub(crate) trait Asked: Send {
    /// The turns that were held as an agent would hold them.
    fn telemetry(&self) -> Vec<TurnEvent>;

    /// The trials of all cases, in order, without what only their kind understands.
    fn into_trials(self: Box<Self>) -> Vec<Trial<TrialId>>;

    /// The result, and each trial for a streamed one to be compared with.
    fn settle(self: Box<Self>, probe: &str, known: &Known) -> (ProbeResult, Vec<SettledTrial>);
}

struct Held<K: ProbeKind>(Vec<Case<K::Facts>>);

impl<K: ProbeKind> Asked for Held<K> {
    fn telemetry(&self) -> Vec<TurnEvent> {
        let trials = self.0.iter().flat_map(|case| &case.trials);
        trials.flat_map(|trial| trial.telemetry.clone()).collect()
    }

    fn into_trials(self: Box<Self>) -> Vec<Trial<TrialId>> {
        let of_case = |Case { id, trials }: Case<K::Facts>| {
            trials.into_iter().enumerate().map(move |(number, trial)| {
                let case = id.clone();
                trial.with_facts(TrialId { case, number })
            })
        };
        self.0.into_iter().flat_map(of_case).collect()
    }

    fn settle(mut self: Box<Self>, probe: &str, known: &Known) -> (ProbeResult, Vec<SettledTrial>) {
        K::revise(&mut self.0, known);
        let cases: Vec<SettledCase<K::Facts>> =
            self.0.into_iter().map(|case| case.settle(&known.control, SINGLE_CALL)).collect();
        let settled = cases.iter().flat_map(SettledTrial::of_case).collect();
        (K::result(probe, &cases), settled)
    }
}

/// An entry of the registry: how a kind is named in files, read and described.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Reads the question from the text of a whole probe file, so that errors name its lines.
    pub(crate) read: fn(&str) -> Result<Arc<dyn Question>, toml::de::Error>,
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
}

impl Kind {
    pub(crate) const fn of<K: ProbeKind>() -> Self {
        Self { name: K::NAME, read: read::<K>, schema: |schemas| schemas.subschema_for::<K>() }
    }
}

fn read<K: ProbeKind>(text: &str) -> Result<Arc<dyn Question>, toml::de::Error> {
    #[derive(Deserialize)]
    struct File<K> {
        ask: BTreeMap<String, K>,
    }
    let question = toml::from_str::<File<K>>(text)?.ask.into_values().next();
    let question = question.ok_or_else(|| toml::de::Error::custom("nothing stands under [ask]"))?;
    Ok(Arc::new(question))
}
