//! `toolprobe gate --adapter`: what a gateway does to the models behind it.
//!
//! Each simulated model is probed directly and through the gateway.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use url::Url;

use super::rows::{Row, rows};
use super::{AgainstArgs, exit_of, outcome_in_words, unfinished};
use crate::campaign::{
    ADAPTER, Behind, BothEnds, Campaign, NotReached, Pair, RunEnd, RunRecorder, RunSettings,
    RunSubject, adapter_side, adapter_suspects, compare_pairs, confirm_all, find_behind, reach_all,
};
use crate::cli::args::asking::AskingArgs;
use crate::cli::args::confirming::ConfirmArgs;
use crate::cli::args::endpoint::{AccessArgs, env, first_target, usage};
use crate::cli::args::policy::InForce;
use crate::cli::args::scope::{NOWHERE, serve};
use crate::cli::args::stored::EvidenceFiles;
use crate::cli::diff::ChangesArgs;
use crate::cli::shell::ci;
use crate::cli::shell::clock;
use crate::cli::shell::console::Console;
use crate::cli::shell::dry_run::DryRun;
use crate::cli::shell::error::CliError;
use crate::cli::shell::exit::Exit;
use crate::cli::shell::progress::Progress;
use crate::cli::shell::signal::stop_requests;
use crate::regress::{AdapterEffect, Diff, Gate, GateOutcome, Quarantine, gate};
use crate::report::{ChangeEntry, Changes, plural};
use crate::sim::Fleet;
use crate::store::StoreError;
use crate::target::{Connection, Connector, Defaults, TargetEntry, resolve_endpoint, simulated};
use crate::transport::Budget;

/// Targets at the same time.
const AT_ONCE: usize = 8;

/// The flags that say what stands behind an adapter, and how it is spoken to.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Adapter")]
pub(super) struct AdapterArgs {
    /// Models by their names at the gateway [default: those it lists that are
    /// simulated ones]
    #[arg(long, short, value_name = "LIST")]
    model: Vec<String>,

    /// The simulated model behind a name of the gateway's own, which may
    /// contain commas
    #[arg(long, value_name = "NAME=MODEL", value_parser = parse_map)]
    map: Vec<NameMap>,

    #[command(flatten)]
    access: AccessArgs,

    /// The address of the simulator behind the gateway [default: it is asked
    /// through the gateway]
    #[arg(long, value_name = "URL")]
    upstream: Option<Url>,

    /// Streams that are sent at once, to see whether the gateway mixes them up
    #[arg(long, value_name = "N", default_value_t = 64)]
    streams: usize,

    /// The folder of models that the simulator behind the gateway serves
    /// [default: the built-in ones]
    #[arg(long, value_name = "DIR")]
    models: Option<PathBuf>,
}

/// Names at a gateway with the model behind each.
type NameMap = BTreeMap<String, String>;

/// `a=x,b=y`. A comma that no `=` follows before the next one is part of a name: `provider,model=x`.
fn parse_map(text: &str) -> Result<NameMap, String> {
    let (mut map, mut name) = (NameMap::new(), String::new());
    for piece in text.split(',') {
        match piece.rsplit_once('=') {
            Some((end, model)) if !model.trim().is_empty() => {
                name.push_str(end);
                map.insert(std::mem::take(&mut name).trim().to_owned(), model.trim().to_owned());
            }
            _ => {
                name.push_str(piece);
                name.push(',');
            }
        }
    }
    let is_whole = name.is_empty() && !map.is_empty() && map.keys().all(|name| !name.is_empty());
    if is_whole { Ok(map) } else { Err("it takes the form 'gateway-name=model'".to_owned()) }
}

/// The names in a list. What the map knows as one name is one, commas and all.
fn split_names(lists: &[String], map: &NameMap) -> Vec<String> {
    let mut names = Vec::new();
    for list in lists {
        let mut rest = list.trim();
        while !rest.is_empty() {
            let known = map.keys().filter(|name| {
                rest.strip_prefix(name.as_str())
                    .is_some_and(|it| it.is_empty() || it.starts_with(','))
            });
            let end = known.map(String::len).max().or_else(|| rest.find(',')).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            names.extend((!name.trim().is_empty()).then(|| name.trim().to_owned()));
            rest = after.strip_prefix(',').unwrap_or(after).trim_start();
        }
    }
    names
}

/// All that the command needs beside the gateway's URL.
pub(super) struct Request<'a> {
    pub(super) url: &'a str,
    pub(super) adapter: &'a AdapterArgs,
    pub(super) asking: &'a AskingArgs,
    pub(super) confirming: &'a ConfirmArgs,
    pub(super) against: &'a AgainstArgs,
    pub(super) reports: &'a Path,
    pub(super) output: &'a ChangesArgs,
}

/// What probing both sides came to.
struct Compared {
    diff: Diff,
    /// The models that were compared, by their names at the gateway.
    models: Vec<String>,
    unreachable: Vec<NotReached>,
    /// Why what arrived upstream was not compared with what was sent.
    one_sided: Option<String>,
    recorder: RunRecorder,
}

/// What a program reads.
#[derive(Serialize)]
struct Found<'a> {
    adapter: &'a str,
    models: &'a [String],
    /// The models that the gateway does not lead to, and what came back instead.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    unreachable: &'a [NotReached],
    outcome: GateOutcome,
    compared: usize,
    rulings: &'a [Row],
    expired: &'a [String],
}

pub(super) fn run(request: &Request<'_>, console: &Console) -> Result<Exit, CliError> {
    let InForce { policy, built_in, today } = request.against.policy.load()?;
    let settings = request.asking.settings(&Defaults::default())?;
    if request.asking.is_dry_run() {
        return request.estimate(&settings, console);
    }
    let runtime = tokio::runtime::Runtime::new()?;
    let compared = runtime.block_on(request.compare(&settings, console))?;
    let diff = compared.diff.clone();
    let gate = gate(diff, &policy, &built_in, &Quarantine::default(), today);
    request.show(&gate, &compared, console)?;
    let exit = exit_of(&gate, compared.recorder.manifest());
    Ok(if compared.unreachable.is_empty() { exit } else { exit.and(Exit::Inconclusive) })
}

impl Request<'_> {
    /// The gateway as a configuration would have it.
    fn entry(&self, model: Option<&str>) -> TargetEntry {
        let model = model.map(ToOwned::to_owned);
        TargetEntry { model, ..self.adapter.access.entry(Some(self.url), self.asking) }
    }

    fn fleet(&self) -> Result<Fleet, CliError> {
        match &self.adapter.models {
            Some(folder) => Fleet::from_dir(folder),
            None => Fleet::embedded(),
        }
        .map_err(CliError::usage)
    }

    fn behind(&self, fleet: &Fleet, listed: Option<&[String]>) -> Result<Vec<Behind>, CliError> {
        let map: NameMap =
            self.adapter.map.iter().flatten().map(|(a, b)| (a.clone(), b.clone())).collect();
        let named = split_names(&self.adapter.model, &map);
        find_behind(fleet, &named, listed, &map).map_err(CliError::usage)
    }

    /// Asks nothing, not even the gateway for its list.
    fn estimate(&self, settings: &RunSettings, console: &Console) -> Result<Exit, CliError> {
        let connector = Connector::new(Arc::new(Budget::unlimited()), None);
        let behind = self.behind(&self.fleet()?, None)?;
        let pairs = self.pairs(behind, NOWHERE, &connector)?;
        let targets = pairs.iter().flat_map(|pair| [&pair.direct.target, &pair.through.target]);
        let limits = self.asking.limits_of(&Defaults::default())?;
        let dry_run = DryRun::of(targets, settings, limits);
        self.output.write(console, &dry_run.text(self.output.is_json())?)?;
        console.note(&dry_run.note());
        Ok(Exit::Fine)
    }

    /// Probes every model on both sides, and says what differs.
    async fn compare(
        &self,
        settings: &RunSettings,
        console: &Console,
    ) -> Result<Compared, CliError> {
        let stop = &mut stop_requests(self.asking, &Defaults::default())?;
        let fleet = self.fleet()?;
        let server = serve(&fleet).await?;
        let budget = self.asking.budget(&Defaults::default())?;
        let prices = self.asking.prices(&Defaults::default())?;
        let connector = Connector::new(Arc::clone(&budget), None).at_prices(prices);
        let behind = self.behind(&fleet, self.list_models(&connector).await?.as_deref())?;
        let pairs = self.pairs(behind, &server.base_url(), &connector)?;
        let (mut pairs, unreachable) = reach_all(pairs).await.map_err(CliError::usage)?;
        let subject = subject(&pairs);
        let both = Pair::connections_mut(&mut pairs);
        let mut recorder = RunRecorder::begin(self.reports, settings, both, subject, &budget)?;
        let evidence = recorder.folder().evidence();
        let connections = &Pair::connections(&pairs);
        let listener = &Progress::new(console, connections.len(), settings.probes().len())
            .kept_in(recorder.folder());
        let ends = BothEnds::watch(
            &pairs,
            self.adapter.upstream.as_ref(),
            recorder.folder().id().as_str(),
            self.adapter.streams,
        );
        let ends = ends.await.map_err(|error| error.to_string());
        let campaign = Campaign { connections, settings, at_once: AT_ONCE, listener };
        let (results, mut end) = campaign.probe(Some(&mut recorder), stop, |it| it).await?;
        let probed = results.into_iter().filter_map(|(name, it)| Some((name, it.ok()?)));
        let sides = probed.map(|(name, it)| Ok((name, adapter_side(it, &evidence)?)));
        let mut found = sides.collect::<Result<_, StoreError>>()?;
        let one_sided = match (&ends, end) {
            (Ok(ends), RunEnd::Finished) => {
                let fresh = recorder.folder().evidence();
                ends.compare(&pairs, &mut found, &fresh).await.err().map(|it| it.to_string())
            }
            (Ok(_), _) => None,
            (Err(problem), _) => Some(problem.clone()),
        };
        if let (RunEnd::Finished, Some(test)) = (end, self.confirming.test()) {
            let suspects = adapter_suspects(&pairs, &found);
            end = confirm_all(&suspects, settings, test, &mut recorder, stop, listener).await?;
        }
        recorder.finish(end, clock::now()?)?;
        let (diff, models) = compare_pairs(&pairs, &found, &recorder.manifest().confirmations);
        Ok(Compared { diff, models, unreachable, one_sided, recorder })
    }

    /// What the gateway offers, where no model is named.
    async fn list_models(&self, connector: &Connector) -> Result<Option<Vec<String>>, CliError> {
        if !self.adapter.model.is_empty() {
            return Ok(None);
        }
        let endpoint =
            resolve_endpoint(&self.entry(None), &Defaults::default(), Path::new(""), &env)
                .map_err(usage)?;
        connector.offered_models(&endpoint, &env).await.map_err(CliError::usage)
    }

    /// Each model with a connection to either side; directly it is at this address.
    fn pairs(
        &self,
        behind: Vec<Behind>,
        sim_url: &str,
        connector: &Connector,
    ) -> Result<Vec<Pair>, CliError> {
        let mut pairs = Vec::new();
        for Behind { name, model } in behind {
            let mut target =
                simulated(&model, sim_url, &Defaults::default()).map_err(CliError::usage)?;
            target.name = format!("direct/{name}");
            let direct = connector.connect(target, &env).map_err(CliError::usage)?;
            pairs.push(Pair { direct, through: self.through(&name, connector)? });
        }
        Ok(pairs)
    }

    fn through(&self, name: &str, connector: &Connector) -> Result<Connection, CliError> {
        let mut target = first_target(&self.entry(Some(name)))?;
        target.name = format!("{ADAPTER}/{name}");
        connector.connect(target, &env).map_err(CliError::usage)
    }

    fn show(&self, gate: &Gate, compared: &Compared, console: &Console) -> Result<(), CliError> {
        let Compared { models, unreachable, one_sided, recorder, .. } = compared;
        let manifest = recorder.manifest();
        let adapter = manifest.adapter.as_deref().unwrap_or_default();
        let kept = EvidenceFiles::below(self.reports);
        let unchanged = unchanged(gate, models);
        let missed = unreachable.iter().map(ToString::to_string);
        let notes: Vec<String> = gate
            .expired
            .iter()
            .cloned()
            .chain(unfinished(manifest))
            .chain(missed)
            .chain(one_sided.iter().map(|problem| {
                format!("what arrives upstream is not compared with what was sent: {problem}")
            }))
            .chain(unchanged)
            .collect();
        let rows = &rows(gate);
        let changes = Changes {
            heading: heading(gate, rows, adapter),
            entries: rows
                .iter()
                .map(|row| &row.ruling)
                .map(|it| ChangeEntry { change: &it.change, ruling: Some((it.level, &it.because)) })
                .collect(),
            notes: &notes,
            evidence: &|digest| kept.address(digest),
            accept: None,
            gate: Some(gate),
            snapshots: None,
            link: ci::job_link(),
        };
        let Gate { outcome, compared, expired, .. } = gate;
        let found = Found {
            adapter,
            models,
            unreachable,
            outcome: *outcome,
            compared: *compared,
            rulings: rows,
            expired,
        };
        self.output.show(console, &changes, &found, None)?;
        if !self.output.is_to_file() {
            ci::announce(console, &changes)?;
        }
        console.note(&format!("kept in {}", recorder.folder().path().display()));
        Ok(())
    }
}

/// The adapter that a run is about.
fn subject(pairs: &[Pair]) -> RunSubject {
    let subject = pairs.first().and_then(|pair| pair.through.target.subject.as_ref());
    RunSubject::Adapter(subject.map(|subject| subject.endpoint.clone()).unwrap_or_default())
}

/// The models that are the same on both sides.
fn unchanged(gate: &Gate, models: &[String]) -> Option<String> {
    let differs = |model: &&String| {
        let target = format!("{ADAPTER}/{model}");
        gate.rulings.iter().any(|ruling| ruling.change.target == target)
    };
    let same: Vec<&str> =
        models.iter().filter(|model| !differs(model)).map(String::as_str).collect();
    (!same.is_empty()).then(|| format!("no difference: {}", same.join(", ")))
}

fn heading(gate: &Gate, rows: &[Row], adapter: &str) -> String {
    let effects = [
        AdapterEffect::Breaks,
        AdapterEffect::LeavesOpen,
        AdapterEffect::Hides,
        AdapterEffect::Alters,
        AdapterEffect::Fixes,
    ];
    let count = |effect: AdapterEffect| {
        let count = rows.iter().filter(|it| it.ruling.change.effect == Some(effect)).count();
        (count > 0).then(|| format!("{effect} {count}"))
    };
    let effects: Vec<String> = effects.into_iter().filter_map(count).collect();
    let effects =
        if effects.is_empty() { String::new() } else { format!("; it {}", effects.join(", ")) };
    let models = plural(gate.compared, "model");
    format!(
        "gate: {}; {models} through {adapter}{effects}",
        outcome_in_words(gate, rows.iter().map(|row| row.ruling.level))
    )
}
