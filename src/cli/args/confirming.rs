//! Which flags say how a suspected regression is sampled again?

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use clap::{Args, ValueEnum};

use crate::campaign::{Job, Plan, Record, Suspect, confirm_all};
use crate::cli::gate::AgainstArgs;
use crate::cli::shell::console::Console;
use crate::cli::shell::error::CliError;
use crate::profile::Profile;
use crate::regress::TestPlan;
use crate::report::for_terminal;
use crate::store::ProfileFolder;

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
        jobs: &[Job],
        found: &BTreeMap<String, Profile>,
        plan: &Plan,
        record: &mut Record,
        console: &Console,
    ) -> Result<(), CliError> {
        if !self.is_on() {
            return Ok(());
        }
        let suspected = against.suspicions(record.folder())?;
        let suspects: Vec<Suspect<'_>> = suspected
            .iter()
            .filter_map(|(before, night, suspicions)| {
                let job = job_of(night, jobs, found)?;
                Some(Suspect { job, before, night, suspicions: suspicions.clone() })
            })
            .collect();
        self.sample(&suspects, plan, record, console).await
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
        plan: &Plan,
        record: &mut Record,
        console: &Console,
    ) -> Result<(), CliError> {
        if suspects.is_empty() {
            return Ok(());
        }
        console.note(&format!("{} targets may have changed: sampling again", suspects.len()));
        let confirmed = confirm_all(suspects, plan, self.test()).await;
        for (suspect, confirmed) in suspects.iter().zip(&confirmed) {
            for it in &confirmed.confirmations {
                let target = for_terminal(&suspect.night.subject.name());
                console.detail(&format!("{target}, {}: {}", it.field, it.words()));
            }
        }
        record.confirm(confirmed).map_err(CliError::usage)
    }
}

/// The target that a profile is of.
fn job_of<'a>(
    profile: &Profile,
    jobs: &'a [Job],
    found: &BTreeMap<String, Profile>,
) -> Option<&'a Job> {
    let file = ProfileFolder::file_name(profile);
    jobs.iter().find(|job| {
        found.get(&job.target.name).is_some_and(|it| ProfileFolder::file_name(it) == file)
    })
}
