//! The flags that choose targets.
//!
//! Those of `toolprobe.toml`; without one, the simulated models.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::shell::clock;
use crate::cli::shell::console::Console;
use crate::cli::shell::error::CliError;
use crate::sim::{Fleet, ModelFile, Options, Running, Sim};
use crate::store::{Manifest, Selection};
use crate::suggest::did_you_mean;
use crate::target::{ConfigFile, Defaults, Target, simulated_fleet};

/// The configuration that is used without being named.
const CONFIG: &str = "toolprobe.toml";

/// Where simulated models are that are not served.
pub(crate) const NOWHERE: &str = "http://127.0.0.1:0";

/// The flags that select targets.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Targets")]
pub(crate) struct ScopeArgs {
    /// Only these targets, by name
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,

    /// The configuration [default: toolprobe.toml, if it is here]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The simulated models of this folder, whatever is configured
    #[arg(long, value_name = "DIR", conflicts_with = "config")]
    models: Option<PathBuf>,
}

/// The selected targets.
pub(crate) struct Scope {
    defaults: Defaults,
    kind: Kind,
    /// Only these; empty for all.
    names: Vec<String>,
    /// Set if simulated models are probed only because there is no configuration.
    by_default: bool,
}

enum Kind {
    Configured(Box<ConfigFile>),
    Simulated(Fleet),
}

impl ScopeArgs {
    /// The one target of this name.
    pub(crate) fn only(name: &str, config: Option<PathBuf>, models: Option<PathBuf>) -> Self {
        Self { targets: vec![name.to_owned()], config, models }
    }

    /// All targets of a configuration.
    pub(crate) fn all(config: Option<PathBuf>) -> Self {
        Self { targets: Vec::new(), config, models: None }
    }

    /// The flags that say where targets are described, as they would be given again.
    pub(crate) fn flags(&self) -> Vec<String> {
        let given = [("--config", &self.config), ("--models", &self.models)];
        let flag = |(name, path): (&str, &Option<PathBuf>)| {
            path.as_ref().map(|path| format!("{name} {}", path.display()))
        };
        given.into_iter().filter_map(flag).collect()
    }

    pub(crate) fn load(&self) -> Result<Scope, CliError> {
        let names = self.targets.clone();
        if let Some(folder) = &self.models {
            let fleet = Fleet::from_dir(folder).map_err(CliError::usage)?;
            return Ok(Scope {
                defaults: Defaults::default(),
                kind: Kind::Simulated(fleet),
                names,
                by_default: false,
            });
        }
        let config = match &self.config {
            Some(path) => Some(read(path)?),
            // Whatever is there must be one: a folder or a dead link is not "no configuration".
            None if Path::new(CONFIG).symlink_metadata().is_ok() => Some(read(Path::new(CONFIG))?),
            None => None,
        };
        let defaults = config.as_ref().map(|file| file.config.defaults.clone()).unwrap_or_default();
        let by_default = config.is_none();
        let kind = match config {
            Some(file) => Kind::Configured(Box::new(file)),
            None => Kind::Simulated(Fleet::embedded().map_err(CliError::usage)?),
        };
        Ok(Scope { defaults, kind, names, by_default })
    }
}

fn read(path: &Path) -> Result<ConfigFile, CliError> {
    let text = fs::read_to_string(path)
        .map_err(|error| CliError::usage(format!("cannot read {}: {error}", path.display())))?;
    let file = ConfigFile::parse(path, text).map_err(CliError::usage)?;
    if file.config.targets.is_empty() {
        return Err(CliError::usage(format!(
            "{} has no [[targets]]: name what is to be probed, or remove the file to probe the \
             simulated models",
            path.display()
        )));
    }
    Ok(file)
}

impl Scope {
    /// What the configuration says of all targets.
    pub(crate) fn defaults(&self) -> &Defaults {
        &self.defaults
    }

    /// The same without the targets that were not asked before, if it was not all.
    pub(crate) fn of_run(mut self, manifest: &Manifest) -> Self {
        if !manifest.asks_every_target() {
            self.names = manifest.targets.iter().map(|target| target.name.clone()).collect();
        }
        self
    }

    /// Whether all targets are selected.
    pub(crate) fn selection(&self) -> Selection {
        if self.names.is_empty() { Selection::Every } else { Selection::Named }
    }

    /// Warns that only simulated models are probed, if the user did not ask for that.
    pub(crate) fn warn_of_simulation(&self, console: &Console) {
        if self.by_default {
            console.note(
                "this is about simulated models, and none of yours: there is no toolprobe.toml here; \
                 `toolprobe init` writes one",
            );
        }
    }

    /// Whether simulated models are selected.
    pub(crate) fn is_simulated(&self) -> bool {
        matches!(self.kind, Kind::Simulated(_))
    }

    /// The simulated model of this name, if simulated models are selected.
    pub(crate) fn model(&self, name: &str) -> Option<&ModelFile> {
        match &self.kind {
            Kind::Simulated(fleet) => fleet.get(name),
            Kind::Configured(_) => None,
        }
    }

    /// Serves the simulated models, if they are selected.
    pub(crate) async fn serve(&self) -> Result<Option<Running>, CliError> {
        match &self.kind {
            Kind::Simulated(fleet) => serve(fleet).await.map(Some),
            Kind::Configured(_) => Ok(None),
        }
    }

    /// The targets, in their order; simulated ones are at this address.
    pub(crate) fn targets(&self, base_url: &str) -> Result<Vec<Target>, CliError> {
        let all = match &self.kind {
            Kind::Configured(file) => {
                file.targets(&|name| std::env::var(name).ok()).map_err(CliError::usage)
            }
            Kind::Simulated(fleet) => {
                simulated_fleet(fleet, base_url, &self.defaults).map_err(CliError::usage)
            }
        };
        select(all?, &self.names)
    }
}

/// Serves simulated models on a free port.
pub(crate) async fn serve(fleet: &Fleet) -> Result<Running, CliError> {
    let options = Options { clock: clock::of_simulator()?, ..Options::default() };
    Ok(Sim::start(fleet.clone(), "127.0.0.1:0", options).await?)
}

/// Those of these names; each name must be one.
fn select(all: Vec<Target>, names: &[String]) -> Result<Vec<Target>, CliError> {
    if names.is_empty() {
        return Ok(all);
    }
    let known: BTreeSet<&str> = all.iter().map(|target| target.name.as_str()).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name.as_str())) {
        return Err(CliError::usage(no_such_target(unknown, &known)));
    }
    Ok(all.into_iter().filter(|target| names.contains(&target.name)).collect())
}

fn no_such_target(name: &str, known: &BTreeSet<&str>) -> String {
    let hint = did_you_mean(name, known.iter().copied());
    let hint = if hint.is_empty() { "; `toolprobe status` lists them" } else { &hint };
    format!("no target is called '{name}'{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(chosen: &[&str]) -> Result<Vec<String>, String> {
        let fleet = Fleet::embedded().unwrap();
        let names = chosen.iter().map(|name| (*name).to_owned()).collect();
        let (defaults, kind) = (Defaults::default(), Kind::Simulated(fleet));
        let scope = Scope { defaults, kind, names, by_default: false };
        let targets = scope.targets("http://127.0.0.1:1").map_err(|error| error.chain())?;
        Ok(targets.into_iter().map(|target| target.name).collect())
    }

    #[test]
    fn targets_are_chosen_by_name_and_keep_their_order() {
        let chosen = names(&["openai-native", "gemini-native"]).unwrap();
        assert_eq!(chosen, ["gemini-native", "openai-native"]);
        assert!(names(&[]).unwrap().len() > 50);
    }

    #[test]
    fn a_name_that_no_target_has_is_told_with_the_nearest_one() {
        let problem = names(&["opnai-native"]).unwrap_err();
        assert_eq!(problem, "no target is called 'opnai-native'; did you mean 'openai-native'?");
    }
}
