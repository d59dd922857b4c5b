//! Which flags say how a suspected regression is sampled again?

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use clap::{Args, ValueEnum};

use crate::campaign::{RunRecorder, RunSettings, Suspect, confirm_all};
use crate::cli::gate::AgainstArgs;
use crate::cli::shell::console::Console;
use crate::cli::shell::error::CliError;
use crate::profile::Profile;
use crate::regress::TestPlan;
use crate::report::for_terminal;
use crate::store::ProfileFolder;
use crate::target::Connection;

/// The flags of whatever compares with snapshots while endpoints can still be asked.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Gate")]
pub(crate) struct ConfirmArgs {
    /// Whether a suspected regression is sampled again before it fails anything
    #[arg(long, value_enum, default_value_t = Confirm::On, value_name = "WHEN")]
    confirm: Confirm,

    /// The most samples for each suspicion [default: 80]
    #[arg(long, value_name = "N")]
    confirm_trials: Option<NonZeroU32>,

    /// The drop of the pass rate that counts as a regression [default: 0.3]
    #[arg(long, value_name = "RATE", value_parser = rate)]
    confirm_drop: Option<f64>,
}

/// Whether samples decide over a suspected regression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Confirm {
    /// Only that probe, until a likelihood ratio decides
    On,
    /// The first verdict counts
    Off,
}

/// A rate, which a drop of none or all is not.
fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| *rate > 0.0 && *rate < 1.0);
    rate.ok_or_else(|| "expected a number between 0 and 1, such as 0.3".to_owned())
}

impl ConfirmArgs {
    fn test(&self) -> TestPlan {
        let usual = TestPlan::default();
        TestPlan {
            drop: self.confirm_drop.unwrap_or(usual.drop),
            max_trials: self.confirm_trials.map_or(usual.max_trials, NonZeroU32::get),
            ..usual
        }
    }

    /// Samples again what the run that is over is suspected of, and keeps what that shows.
    pub(crate) async fn confirm(
        &self,
        against: &AgainstArgs,
        connections: &[Connection],
        found: &BTreeMap<String, Profile>,
        settings: &RunSettings,
        record: &mut RunRecorder,
        console: &Console,
    ) -> Result<(), CliError> {
        if !self.is_on() {
            return Ok(());
        }
        let suspected = against.suspicions(record.folder())?;
        let suspects: Vec<Suspect<'_>> = suspected
            .iter()
            .filter_map(|(before, current, suspicions)| {
                let connection = connection_of(current, connections, found)?;
                Some(Suspect { connection, before, current, suspicions: suspicions.clone() })
            })
            .collect();
        self.sample(&suspects, settings, record, console).await
    }

    /// Whether samples decide.
    pub(crate) fn when(&self) -> Confirm {
        self.confirm
    }

    /// Whether suspicions are sampled at all.
    pub(crate) fn is_on(&self) -> bool {
        self.confirm == Confirm::On
    }

    /// Samples these suspicions, and keeps what that shows.
    pub(crate) async fn sample(
        &self,
        suspects: &[Suspect<'_>],
        settings: &RunSettings,
        record: &mut RunRecorder,
        console: &Console,
    ) -> Result<(), CliError> {
        if suspects.is_empty() {
            return Ok(());
        }
        console.note(&format!("{} targets may have changed: sampling again", suspects.len()));
        let confirmed = confirm_all(suspects, settings, self.test()).await;
        for (suspect, confirmed) in suspects.iter().zip(&confirmed) {
            for it in &confirmed.confirmations {
                let target = for_terminal(&suspect.current.subject.name());
                console.detail(&format!("{target}, {}: {}", it.field, it.words()));
            }
        }
        record.confirm(confirmed).map_err(CliError::usage)
    }
}

/// The target that a profile is of.
fn connection_of<'a>(
    profile: &Profile,
    connections: &'a [Connection],
    found: &BTreeMap<String, Profile>,
) -> Option<&'a Connection> {
    let file = ProfileFolder::file_name(profile);
    connections.iter().find(|it| {
        found.get(&it.target.name).is_some_and(|own| ProfileFolder::file_name(own) == file)
    })
}
