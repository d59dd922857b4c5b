//! Confirmation: a suspected regression is sampled again until a sequential test decides.

use futures_util::future::join_all;

use super::{RunEnd, RunListener, RunRecorder, RunSettings, StopRequests};
use crate::conversation::ExchangeLog;
use crate::probe::{Again, Bench, Probe, Seed, sample};
use crate::profile::{Confirmation, Decision, Finding, Observed, Profile, SingleTool, Status};
use crate::regress::{Change, SequentialTest, Suspicion, TestPlan};
use crate::store::StoreError;
use crate::target::Connection;
use crate::transport::RecordedExchange;

/// Samples in a row that may say nothing before it is given up.
const MISSES: u32 = 5;

/// What is suspected of one target.
pub struct Suspect<'a> {
    /// The target.
    pub connection: &'a Connection,
    /// The snapshot.
    pub before: Profile,
    /// What this run found.
    pub current: &'a Profile,
    /// What to ask again.
    pub suspicions: Vec<Suspicion>,
}

/// What sampling again showed, and the exchanges that show it.
#[derive(Debug, Clone)]
pub struct Confirmed {
    /// The decision about each suspicion.
    pub confirmations: Vec<Confirmation>,
    /// The evidence that no journal keeps.
    pub exchanges: Vec<RecordedExchange>,
}

/// Samples every suspicion of these targets again and records what that shows: targets at the same
/// time, the suspicions of one and their samples one after the other. Where it is stopped, nothing is
/// decided; a resumed run takes what was sampled from the journals.
pub(crate) async fn confirm_all(
    suspects: &[Suspect<'_>],
    settings: &RunSettings,
    test: TestPlan,
    recorder: &mut RunRecorder,
    stop: &mut StopRequests,
    listener: &dyn RunListener,
) -> Result<RunEnd, StoreError> {
    if suspects.is_empty() {
        return Ok(RunEnd::Finished);
    }
    listener.sampling_again(suspects.len());
    let connections: Vec<Connection> = suspects.iter().map(|it| it.connection.clone()).collect();
    let sampling = join_all(suspects.iter().map(|suspect| confirm(suspect, settings, test)));
    let all = match stop.unless_stopped(&connections, listener, sampling).await {
        Ok(all) => all,
        Err(end) => return Ok(end),
    };
    for confirmation in all.iter().flat_map(|confirmed| &confirmed.confirmations) {
        listener.confirmed(confirmation);
    }
    recorder.confirm(all)?;
    Ok(RunEnd::Finished)
}

/// Samples the suspicions of one target again.
pub async fn confirm(suspect: &Suspect<'_>, settings: &RunSettings, test: TestPlan) -> Confirmed {
    let log = ExchangeLog::default();
    let mut confirmations = Vec::new();
    for suspicion in &suspect.suspicions {
        let (decision, samples) = match suspect.bench(suspicion, settings, &log) {
            Some(bench) => suspect.decide(suspicion, &bench, &settings.probes(), test).await,
            None => (Decision::Inconclusive, Observed::default()),
        };
        confirmations.push(Confirmation {
            target: suspicion.target.clone(),
            field: suspicion.field.clone(),
            probe: suspicion.probe.clone(),
            case: suspicion.case.clone(),
            decision,
            baseline: suspicion.baseline,
            samples,
        });
    }
    Confirmed { confirmations, exchanges: log.take().exchanges }
}

impl<'a> Suspect<'a> {
    /// A target with these changes since `before`; `None` where none of them is a suspicion.
    pub(crate) fn of(
        connection: &'a Connection,
        before: Profile,
        current: &'a Profile,
        changes: &[Change],
    ) -> Option<Self> {
        let suspicion = |change| Suspicion::of(change, &before, current);
        let suspicions: Vec<Suspicion> = changes.iter().filter_map(suspicion).collect();
        (!suspicions.is_empty()).then_some(Self { connection, before, current, suspicions })
    }

    /// Samples until the test decides, or the endpoint has nothing more to say.
    async fn decide(
        &self,
        suspicion: &Suspicion,
        bench: &Bench,
        probes: &[&Probe],
        test: TestPlan,
    ) -> (Decision, Observed) {
        let Some(mut test) = SequentialTest::new(suspicion.baseline, test) else {
            return (Decision::Inconclusive, Observed::default());
        };
        let control = self.control();
        let layer = self.current.results.single_tool.as_ref().and_then(|single| single.layer);
        let (mut number, mut misses) = (0, 0);
        while misses < MISSES {
            let (probe, case) = (suspicion.probe.as_str(), suspicion.case.as_deref());
            let again = Again { probe, case, number, layer };
            let results = sample(bench, probes, again, &control).await;
            let seen = suspicion.read(&results, &self.before, self.current);
            misses = if seen.trials == 0 { misses + 1 } else { 0 };
            if let Some(decision) = test.observe(seen).filter(|_| seen.trials > 0) {
                return (decision, test.seen());
            }
            number += 1;
        }
        (Decision::Inconclusive, test.seen())
    }

    /// What a sample is taken with; `None` where calls do not arrive, or over an access that is gone.
    fn bench(
        &self,
        suspicion: &Suspicion,
        settings: &RunSettings,
        log: &ExchangeLog,
    ) -> Option<Bench> {
        let access = self
            .connection
            .target
            .endpoint
            .accesses
            .iter()
            .find(|access| access.dialect == self.current.dialect)?;
        let client = self.connection.client(access, log.clone()).ok()?;
        let single = self.current.results.single_tool.as_ref();
        let older = single.and_then(|single| single.schema_field.as_ref());
        let client = older.and_then(|_| client.with_older_schema()).unwrap_or(client);
        Some(Bench {
            client,
            delivery: self.asked_on(suspicion)?.rung()?,
            replies: self.asked_on(suspicion)?.replies,
            is_twin: false,
            seed: Seed::new(settings.seed),
            trials: 1,
            first_trial: 0,
            thinking: access.thinking.clone(),
            manner: settings.suite.manner(),
        })
    }

    /// Whether calls still arrive is asked on the snapshot's rung, everything else on the run's own.
    fn asked_on(&self, suspicion: &Suspicion) -> Option<&SingleTool> {
        let single = self.before.results.single_tool.as_ref();
        let is_first = single.is_some_and(|single| single.outcome.probe == suspicion.probe);
        let profile = if is_first { &self.before } else { self.current };
        profile.results.single_tool.as_ref().filter(|single| single.format.is_some())
    }

    /// The run's own single call, which the negatives of the other probes are compared with.
    fn control(&self) -> Finding {
        let single = self.current.results.single_tool.as_ref().map(|single| single.outcome.status);
        match single {
            Some(Status::Pass | Status::Partial) => Finding::pass("a single call in this run"),
            _ => Finding::Skipped("no single call in this run".to_owned()),
        }
    }
}
