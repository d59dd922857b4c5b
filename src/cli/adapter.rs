//! `toolprobe gate --adapter`: what does a gateway do to the models behind it?
//!
//! The simulated models stand behind the gateway, and beside it: each is probed over both ways.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::args::asking::AskingArgs;
use super::args::confirming::ConfirmArgs;
use super::args::endpoint::header;
use super::args::policy::InForce;
use super::args::scope::NOWHERE;
use super::args::sides::Kept;
use super::both_ways::{ADAPTER, Compared, Pair, Probing, settle};
use super::diff::ChangesArgs;
use super::gate::{AgainstArgs, exit_of, outcome_in_words, unfinished};
use super::shell::clock;
use super::shell::console::Console;
use super::shell::dry_run;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use super::shell::signal::stop_signal;
use crate::campaign::{Behind, RunRecorder, RunSettings, behind};
use crate::regress::{Effect, Gate, Quarantine, gate};
use crate::report::{Changes, Entry};
use crate::sim::{Clock, Fleet, Options, Sim};
use crate::target::{
    Connection, Connector, Defaults, DialectChoice, TargetEntry, resolve, resolve_endpoint,
    simulated,
};
use crate::transport::Budget;

/// The flags that say what stands behind an adapter, and how it is spoken to.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Adapter")]
pub(super) struct AdapterArgs {
    /// Models by their names at the gateway [default: those it lists that are
    /// simulated ones]
    #[arg(long, short, value_name = "LIST", value_delimiter = ',')]
    model: Vec<String>,

    /// The simulated model behind a name of the gateway's own
    #[arg(long, value_name = "NAME=MODEL", value_parser = pair, value_delimiter = ',')]
    map: Vec<(String, String)>,

    /// The protocol at the gateway, or auto to find out [default: auto]
    #[arg(long, value_name = "NAME")]
    dialect: Option<DialectChoice>,

    /// The environment variable that holds the gateway's key
    #[arg(long, value_name = "VAR")]
    api_key_env: Option<String>,

    /// A further header of every request to the gateway
    #[arg(long, value_name = "NAME: VALUE", value_parser = header)]
    header: Vec<(String, String)>,

    /// The folder of models that the simulator behind the gateway serves
    /// [default: the built-in ones]
    #[arg(long, value_name = "DIR")]
    models: Option<PathBuf>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, model) = text.split_once('=').ok_or("it takes the form 'gateway-name=model'")?;
    Ok((name.trim().to_owned(), model.trim().to_owned()))
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

/// What a program reads.
#[derive(Serialize)]
struct Found<'a> {
    adapter: &'a str,
    models: Vec<String>,
    #[serde(flatten)]
    gate: &'a Gate,
}

pub(super) fn run(request: &Request<'_>, console: &Console) -> Result<Exit, CliError> {
    let InForce { policy, built_in, today } = request.against.policy.load()?;
    let settings = request.asking.settings(&Defaults::default())?;
    if request.asking.is_dry_run() {
        return request.estimate(&settings, console);
    }
    let runtime = tokio::runtime::Runtime::new()?;
    let compared = runtime.block_on(request.compare(&settings, console))?;
    let Compared { diff, models, record } = compared;
    let mut gate = gate(diff, &policy, &built_in, &Quarantine::default(), today);
    gate.rulings.sort_by(|a, b| a.change.target.cmp(&b.change.target));
    request.show(&gate, models, &record, console)?;
    Ok(exit_of(&gate, record.manifest()))
}

impl Request<'_> {
    /// The gateway as a configuration would have it.
    fn entry(&self, model: Option<&str>) -> TargetEntry {
        let AdapterArgs { dialect, api_key_env, header, .. } = self.adapter;
        TargetEntry {
            base_url: Some(self.url.to_owned()),
            dialect: Some(dialect.unwrap_or(DialectChoice::Auto)),
            model: model.map(ToOwned::to_owned),
            api_key_env: api_key_env.clone(),
            headers: header.iter().cloned().collect(),
            limits: self.asking.limits(),
            timeouts: self.asking.timeouts(),
            ..TargetEntry::default()
        }
    }

    fn fleet(&self) -> Result<Fleet, CliError> {
        match &self.adapter.models {
            Some(folder) => Fleet::from_dir(folder),
            None => Fleet::embedded(),
        }
        .map_err(CliError::usage)
    }

    fn behind(&self, fleet: &Fleet, listed: Option<&[String]>) -> Result<Vec<Behind>, CliError> {
        let map: BTreeMap<String, String> = self.adapter.map.iter().cloned().collect();
        behind(fleet, &self.adapter.model, listed, &map).map_err(CliError::usage)
    }

    /// Asks nothing, not even the gateway for its list.
    fn estimate(&self, settings: &RunSettings, console: &Console) -> Result<Exit, CliError> {
        let connector = Connector::new(Arc::new(Budget::unlimited()), None);
        let behind = self.behind(&self.fleet()?, None)?;
        let pairs = self.pairs(behind, NOWHERE, &connector)?;
        let targets = pairs.iter().flat_map(|pair| [&pair.direct.target, &pair.through.target]);
        let text = dry_run::text(targets, settings, self.output.is_json())?;
        self.output.write(console, &text)?;
        console.note(dry_run::NOTHING_ASKED);
        Ok(Exit::Fine)
    }

    /// Probes every model over both ways, and says what differs.
    async fn compare(
        &self,
        settings: &RunSettings,
        console: &Console,
    ) -> Result<Compared, CliError> {
        let stop = stop_signal()?;
        let fleet = self.fleet()?;
        let clock = clock::fixed()?.map_or(Clock::System, |at| Clock::Fixed(at.timestamp()));
        let options = Options { clock, ..Options::default() };
        let server = Sim::start(fleet.clone(), "127.0.0.1:0", options).await?;
        let budget = self.asking.budget(&Defaults::default());
        let connector = Connector::new(Arc::clone(&budget), None);
        let behind = self.behind(&fleet, self.listed(&connector).await?.as_deref())?;
        let mut pairs = self.pairs(behind, &server.base_url(), &connector)?;
        settle(&mut pairs).await?;
        let mut probing = Probing::begin(self.reports, settings, &pairs, console)?;
        probing.probe(stop, &budget).await?;
        if self.confirming.is_on() {
            probing.confirm(self.confirming).await?;
        }
        Ok(probing.compared())
    }

    /// What the gateway offers, where no model is named.
    async fn listed(&self, connector: &Connector) -> Result<Option<Vec<String>>, CliError> {
        if !self.adapter.model.is_empty() {
            return Ok(None);
        }
        let endpoint =
            resolve_endpoint(&self.entry(None), &Defaults::default(), Path::new(""), &env)
                .map_err(CliError::usage)?;
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
            target.name = format!("{name}, directly");
            let direct = connector.connect(target, &env).map_err(CliError::usage)?;
            pairs.push(Pair { direct, through: self.through(&name, connector)? });
        }
        Ok(pairs)
    }

    fn through(&self, name: &str, connector: &Connector) -> Result<Connection, CliError> {
        let entry = self.entry(Some(name));
        let targets = resolve(&entry, &Defaults::default(), Path::new(""), &env);
        let mut target = targets
            .map_err(CliError::usage)?
            .into_iter()
            .next()
            .ok_or_else(|| CliError::usage("no model to probe; name one with --model"))?;
        target.name = format!("{name}, through the adapter");
        connector.connect(target, &env).map_err(CliError::usage)
    }

    fn show(
        &self,
        gate: &Gate,
        models: Vec<String>,
        record: &RunRecorder,
        console: &Console,
    ) -> Result<(), CliError> {
        let manifest = record.manifest();
        let adapter = manifest.adapter.as_deref().unwrap_or_default();
        let kept = Kept::below(self.reports);
        let unchanged = unchanged(gate, &models);
        let notes: Vec<String> =
            gate.expired.iter().cloned().chain(unfinished(manifest)).chain(unchanged).collect();
        let rulings = gate.rulings.iter();
        let changes = Changes {
            heading: heading(gate, adapter),
            entries: rulings
                .map(|it| Entry { change: &it.change, ruling: Some((it.level, &it.because)) })
                .collect(),
            notes: &notes,
            evidence: &|digest| kept.place(digest),
            accept: None,
        };
        self.output.show(console, &changes, &Found { adapter, models, gate })?;
        console.note(&format!("kept in {}", record.folder().path().display()));
        Ok(())
    }
}

fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The models that are the same over both ways.
fn unchanged(gate: &Gate, models: &[String]) -> Option<String> {
    let differs = |model: &&String| {
        let target = format!("{ADAPTER}/{model}");
        gate.rulings.iter().any(|ruling| ruling.change.target == target)
    };
    let same: Vec<&str> =
        models.iter().filter(|model| !differs(model)).map(String::as_str).collect();
    (!same.is_empty()).then(|| format!("no difference: {}", same.join(", ")))
}

fn heading(gate: &Gate, adapter: &str) -> String {
    let effects =
        [Effect::Breaks, Effect::LeavesOpen, Effect::Hides, Effect::Alters, Effect::Fixes];
    let count = |effect: Effect| {
        let count = gate.rulings.iter().filter(|it| it.change.effect == Some(effect)).count();
        (count > 0).then(|| format!("{effect} {count}"))
    };
    let effects: Vec<String> = effects.into_iter().filter_map(count).collect();
    let effects =
        if effects.is_empty() { String::new() } else { format!("; it {}", effects.join(", ")) };
    let models =
        if gate.compared == 1 { "1 model".to_owned() } else { format!("{} models", gate.compared) };
    format!("gate: {}; {models} through {adapter}{effects}", outcome_in_words(gate))
}
