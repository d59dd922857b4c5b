//! `toolprobe gate --adapter`: what a gateway does to the models behind it.
//!
//! Each simulated model is probed directly and through the gateway.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use futures_util::future::join_all;
use serde::Serialize;
use url::Url;

use super::rows::{Row, rows};
use super::upstream::Upstream;
use super::{AgainstArgs, exit_of, outcome_in_words, why_unfinished};
use crate::audit::{AUDIT_VERSION, AuditReport, Catalogue};
use crate::campaign::{
    ADAPTER, Behind, BothEnds, Campaign, NotReached, Pair, RunEnd, RunRecorder, RunSettings,
    RunSubject, UpstreamError, adapter_side, adapter_suspects, audit_fields, compare_pairs,
    confirm_all, exchanges_of, expected_times, find_behind, reach_all,
};
use crate::cli::args::asking::AskingArgs;
use crate::cli::args::confirming::ConfirmArgs;
use crate::cli::args::endpoint::{AccessArgs, env, first_target, usage};
use crate::cli::args::policy::InForce;
use crate::cli::args::scope::NOWHERE;
use crate::cli::args::stored::EvidenceFiles;
use crate::cli::audit::{is_denied, judge};
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
use crate::target::{Access, Connection, Connector, Defaults, TargetEntry, resolve_endpoint};
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

    /// The folder of transcripts that the simulator behind the gateway serves
    #[arg(long, value_name = "DIR", conflicts_with = "models")]
    transcripts: Option<PathBuf>,
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
    /// What became of each field of a request; nothing where what arrives cannot be seen.
    audit: Option<AuditReport>,
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
    /// What became of each field of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<&'a AuditReport>,
}

pub(super) fn run(request: &Request<'_>, console: &Console) -> Result<Exit, CliError> {
    let in_force = request.against.policy.load()?;
    let upstream = request.upstream()?;
    let settings = upstream.settings(request.asking)?;
    if request.asking.is_dry_run() {
        return request.estimate(&upstream, &settings, console);
    }
    if let Some(note) = upstream.note(&settings) {
        console.note(&note);
    }
    let runtime = tokio::runtime::Runtime::new()?;
    let compared = runtime.block_on(request.compare(&upstream, &settings, &in_force, console))?;
    let diff = compared.diff.clone();
    let InForce { policy, built_in, today, .. } = &in_force;
    let gate = gate(diff, policy, built_in, &Quarantine::default(), *today);
    request.show(&gate, &compared, console)?;
    let exit = exit_of(&gate, compared.recorder.manifest());
    let denied = compared.audit.as_ref().is_some_and(is_denied);
    let exit = if denied { exit.and(Exit::Failed) } else { exit };
    Ok(if compared.unreachable.is_empty() { exit } else { exit.and(Exit::Inconclusive) })
}

impl Request<'_> {
    /// The gateway as a configuration would have it.
    fn entry(&self, model: Option<&str>) -> TargetEntry {
        let model = model.map(ToOwned::to_owned);
        TargetEntry { model, ..self.adapter.access.entry(Some(self.url), self.asking) }
    }

    fn upstream(&self) -> Result<Upstream, CliError> {
        let AdapterArgs { models, transcripts, .. } = self.adapter;
        Upstream::load(models.as_deref(), transcripts.as_deref())
    }

    /// The models that are asked for. Recorded ones are few, so that all of them are asked for where
    /// the gateway lists none of them.
    fn behind(
        &self,
        upstream: &Upstream,
        listed: Option<&[String]>,
    ) -> Result<Vec<Behind>, CliError> {
        let map: NameMap =
            self.adapter.map.iter().flatten().map(|(a, b)| (a.clone(), b.clone())).collect();
        let named = split_names(&self.adapter.model, &map);
        let is_served = |name: &str| upstream.has(name);
        let found = find_behind(&is_served, &named, listed, &map);
        match upstream.recorded_names().filter(|_| named.is_empty() && found.is_err()) {
            Some(all) => find_behind(&is_served, &all, None, &map).map_err(CliError::usage),
            None => found.map_err(CliError::usage),
        }
    }

    /// Asks nothing, not even the gateway for its list.
    fn estimate(
        &self,
        upstream: &Upstream,
        settings: &RunSettings,
        console: &Console,
    ) -> Result<Exit, CliError> {
        let connector = Connector::new(Arc::new(Budget::unlimited()), None);
        let behind = self.behind(upstream, None)?;
        let pairs = self.pairs(upstream, behind, NOWHERE, &connector)?;
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
        upstream: &Upstream,
        settings: &RunSettings,
        in_force: &InForce,
        console: &Console,
    ) -> Result<Compared, CliError> {
        let stop = &mut stop_requests(self.asking, &Defaults::default())?;
        let server = upstream.serve().await?;
        let budget = self.asking.budget(&Defaults::default())?;
        let prices = self.asking.prices(&Defaults::default())?;
        let connector = Connector::new(Arc::clone(&budget), None).at_prices(prices);
        let behind = self.behind(upstream, self.list_models(&connector).await?.as_deref())?;
        let pairs = self.pairs(upstream, behind, &server.base_url(), &connector)?;
        let (mut pairs, unreachable) = reach_all(pairs).await.map_err(CliError::usage)?;
        let subject = subject(&pairs);
        let both = Pair::connections_mut(&mut pairs);
        let mut recorder = RunRecorder::begin(self.reports, settings, both, subject, &budget)?;
        let evidence = recorder.folder().evidence();
        let connections = &Pair::connections(&pairs);
        let listener = &Progress::new(console, connections.len(), settings.probes().len())
            .kept_in(recorder.folder());
        // Recordings do not note what arrived.
        let ends = match upstream.recorded_names() {
            Some(_) => None,
            None => Some(self.watch_both_ends(&pairs, &recorder).await?),
        };
        let times = expected_times(connections, settings, &[]);
        let campaign = Campaign { connections, times, settings, at_once: AT_ONCE, listener };
        let (results, mut end) = campaign.probe(Some(&mut recorder), stop, |it| it).await?;
        let (mut found, mut unrecorded) = (BTreeMap::new(), BTreeMap::new());
        for (name, probed) in results.into_iter().filter_map(|(name, it)| Some((name, it.ok()?))) {
            let exchanges = exchanges_of(&probed, &evidence)?;
            let missed = upstream.unrecorded(&pairs, &name, probed.profile.dialect, &exchanges);
            unrecorded.extend(missed.map(|missed| (name.clone(), missed)));
            found.insert(name, adapter_side(probed, &evidence)?);
        }
        let one_sided = match (&ends, end) {
            (Some(Ok(ends)), RunEnd::Finished) => {
                let fresh = recorder.folder().evidence();
                ends.compare(&pairs, &mut found, &fresh).await.err().map(|it| it.to_string())
            }
            (Some(Err(problem)), _) => Some(problem.clone()),
            _ => None,
        };
        let audit = match (&ends, end) {
            (Some(Ok(_)), RunEnd::Finished) => Some(self.audit(&pairs, in_force).await?),
            _ => None,
        };
        if let Some(Ok(ends)) = &ends {
            ends.end().await;
        }
        // Other values than the recorded ones have no answers.
        let again = self.confirming.test().filter(|_| upstream.recorded_names().is_none());
        if let (RunEnd::Finished, Some(test)) = (end, again) {
            let suspects = adapter_suspects(&pairs, &found);
            end = confirm_all(&suspects, settings, test, &mut recorder, stop, listener).await?;
        }
        recorder.finish(end, clock::now()?)?;
        let (diff, models) =
            compare_pairs(&pairs, &found, &unrecorded, &recorder.manifest().confirmations);
        Ok(Compared { diff, models, unreachable, one_sided, audit, recorder })
    }

    /// What becomes of each field of a request, for the models that can be audited.
    async fn audit(&self, pairs: &[Pair], in_force: &InForce) -> Result<AuditReport, CliError> {
        let catalogue = Catalogue::embedded().map_err(CliError::inconclusive)?;
        let audits = pairs.iter().map(async |pair| {
            let through = &pair.through;
            let fields = |access: &Access| catalogue.of(access.dialect);
            let upstream = self.adapter.upstream.as_ref();
            let passages = audit_fields(through, upstream, fields).await.ok()?;
            Some(judge(&through.target.model, &catalogue, &passages, in_force))
        });
        let models = join_all(audits).await.into_iter().flatten().collect();
        let adapter = self.url.to_owned();
        Ok(AuditReport { audit_version: AUDIT_VERSION, adapter, models })
    }

    async fn watch_both_ends(
        &self,
        pairs: &[Pair],
        recorder: &RunRecorder,
    ) -> Result<Result<BothEnds, String>, CliError> {
        let (upstream, streams) = (self.adapter.upstream.as_ref(), self.adapter.streams);
        let watching = BothEnds::watch(pairs, upstream, recorder.folder().id().as_str(), streams);
        match watching.await {
            Err(taken @ UpstreamError::Taken(_)) => Err(CliError::inconclusive(taken)),
            other => Ok(other.map_err(|error| error.to_string())),
        }
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
        upstream: &Upstream,
        behind: Vec<Behind>,
        sim_url: &str,
        connector: &Connector,
    ) -> Result<Vec<Pair>, CliError> {
        let mut pairs = Vec::new();
        for Behind { name, model } in behind {
            let mut target = upstream.target(&model, sim_url)?;
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
        let Compared { models, unreachable, one_sided, recorder, audit, .. } = compared;
        let manifest = recorder.manifest();
        let adapter = manifest.adapter.as_deref().unwrap_or_default();
        let kept = EvidenceFiles::below(self.reports);
        let unchanged = describe_unchanged(gate, models);
        let missed = unreachable.iter().map(ToString::to_string);
        let notes: Vec<String> = gate
            .expired
            .iter()
            .cloned()
            .chain(why_unfinished(manifest))
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
            audit: audit.as_ref().filter(|audit| audit.models.iter().any(|it| !it.rows.is_empty())),
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
            audit: audit.as_ref(),
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
fn describe_unchanged(gate: &Gate, models: &[String]) -> Option<String> {
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
