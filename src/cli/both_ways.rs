//! How are models probed directly and through an adapter, and what is kept of it?

use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::time::Instant;

use futures_util::StreamExt as _;
use futures_util::future::try_join_all;

use super::args::confirming::ConfirmArgs;
use super::run::totals;
use super::shell::clock;
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::progress::Progress;
use crate::campaign::{
    ProbedTarget, RunEnd, RunRecorder, RunSettings, Suspect, reached, seen, visit_all,
};
use crate::profile::{Profile, Subject};
use crate::regress::{AdapterSide, Diff, Suspicion, as_translated, compare_through_adapter};
use crate::store::Selection;
use crate::target::Connection;
use crate::transport::Budget;

/// Targets at the same time.
const AT_ONCE: usize = 8;

/// Stands for the provider in what is said of models through an adapter.
pub(super) const ADAPTER: &str = "adapter";

/// A model over both ways.
pub(super) struct Pair {
    pub(super) direct: Connection,
    pub(super) through: Connection,
}

/// What probing over both ways came to.
pub(super) struct Compared {
    pub(super) diff: Diff,
    /// The models that were compared, by their names at the gateway.
    pub(super) models: Vec<String>,
    pub(super) record: RunRecorder,
}

/// Makes sure that the gateway leads to the simulator, and keeps the access that does.
pub(super) async fn settle(pairs: &mut [Pair]) -> Result<(), CliError> {
    let accesses = try_join_all(pairs.iter().map(|pair| reached(&pair.through, &pair.direct)));
    let accesses = accesses.await.map_err(CliError::usage)?;
    for (pair, access) in pairs.iter_mut().zip(accesses) {
        let target = &mut pair.through.target;
        let subject = target.subject_at(&access, None);
        target.subject = Some(Subject { provider: ADAPTER.to_owned(), ..subject });
        target.endpoint.accesses = vec![access];
    }
    Ok(())
}

/// A run over both ways that is under way.
pub(super) struct Probing<'a> {
    settings: &'a RunSettings,
    pairs: &'a [Pair],
    console: &'a Console,
    record: RunRecorder,
    /// What was found, by the target's name.
    found: BTreeMap<String, AdapterSide>,
}

impl<'a> Probing<'a> {
    pub(super) fn begin(
        reports: &Path,
        settings: &'a RunSettings,
        pairs: &'a [Pair],
        console: &'a Console,
    ) -> Result<Self, CliError> {
        let record = RunRecorder::begin(reports, settings, &connections(pairs), Selection::Named)?;
        let subject = pairs.first().and_then(|pair| pair.through.target.subject.as_ref());
        let adapter = subject.map_or_else(String::new, |subject| subject.endpoint.clone());
        let record = record.through(adapter)?;
        Ok(Self { settings, pairs, console, record, found: BTreeMap::new() })
    }

    /// Probes everything, until it is done or somebody stops it.
    pub(super) async fn probe(
        &mut self,
        stop: impl Future<Output = ()>,
        budget: &Budget,
    ) -> Result<(), CliError> {
        let (connections, began) = (connections(self.pairs), Instant::now());
        let progress = Progress::new(self.console, connections.len(), self.settings.probes().len());
        let mut stop = pin!(stop);
        let mut visits = pin!(visit_all(&connections, self.settings, AT_ONCE, &progress));
        let over = loop {
            tokio::select! {
                () = &mut stop => break RunEnd::Interrupted,
                visit = visits.next() => match visit {
                    None => break RunEnd::Finished,
                    Some((connection, result)) => {
                        self.record.keep(&connection.target.name, &result)?;
                        let measured = result.ok().map(measured);
                        self.found.extend(measured.map(|it| (connection.target.name.clone(), it)));
                    }
                }
            }
        };
        progress.clear();
        self.record.finish(over, totals(budget, began.elapsed()), clock::now()?)?;
        Ok(())
    }

    /// Asks again for what seems to be broken, before it fails anything.
    pub(super) async fn confirm(&mut self, confirming: &ConfirmArgs) -> Result<(), CliError> {
        let suspected: Vec<(&Pair, Profile, Profile, Vec<Suspicion>)> = self
            .both()
            .map(|(pair, direct, adapter)| {
                let before = as_translated(&direct.profile, &adapter.profile);
                let suspicions = compare_through_adapter(direct, adapter)
                    .changes
                    .iter()
                    .filter_map(|change| Suspicion::of(change, &before, &adapter.profile))
                    .collect();
                (pair, before, adapter.profile.clone(), suspicions)
            })
            .collect();
        let suspects: Vec<Suspect<'_>> = suspected
            .iter()
            .filter(|(.., suspicions)| !suspicions.is_empty())
            .map(|(pair, before, current, suspicions)| Suspect {
                connection: &pair.through,
                before,
                current,
                suspicions: suspicions.clone(),
            })
            .collect();
        confirming.sample(&suspects, self.settings, &mut self.record, self.console).await
    }

    /// What differs between the two accesses.
    pub(super) fn compared(self) -> Compared {
        let mut diff = Diff::default();
        let mut models = Vec::new();
        for (pair, direct, adapter) in self.both() {
            let one = compare_through_adapter(direct, adapter);
            diff.compared += one.compared;
            diff.changes.extend(one.changes);
            models.push(pair.through.target.model.clone());
        }
        let diff = diff.with_confirmations(&self.record.manifest().confirmations);
        Compared { diff, models, record: self.record }
    }

    /// The models that have a profile over both ways.
    fn both(&self) -> impl Iterator<Item = (&'a Pair, &AdapterSide, &AdapterSide)> {
        self.pairs.iter().filter_map(|pair| {
            let of = |it: &Connection| self.found.get(&it.target.name);
            Some((pair, of(&pair.direct)?, of(&pair.through)?))
        })
    }
}

fn connections(pairs: &[Pair]) -> Vec<Connection> {
    pairs.iter().flat_map(|pair| [pair.direct.clone(), pair.through.clone()]).collect()
}

fn measured(probed: ProbedTarget) -> AdapterSide {
    let seen = seen(probed.profile.dialect, &probed.exchanges);
    AdapterSide { profile: probed.profile, seen }
}
