//! The flags that say how a suspected regression is sampled again.

use std::num::NonZeroU32;

use clap::{Args, ValueEnum};

use crate::regress::TestPlan;

/// The flags of whatever compares with snapshots while endpoints can still be asked.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Gate")]
pub(crate) struct ConfirmArgs {
    /// Whether a suspected regression is sampled again before it fails anything
    #[arg(long, value_enum, default_value_t = Confirm::On, value_name = "WHEN")]
    pub(crate) confirm: Confirm,

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

/// A rate between 0 and 1, both excluded.
fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| *rate > 0.0 && *rate < 1.0);
    rate.ok_or_else(|| "expected a number between 0 and 1, such as 0.3".to_owned())
}

impl ConfirmArgs {
    /// The test that samples are put to; `None` where nothing is sampled again.
    pub(crate) fn test(&self) -> Option<TestPlan> {
        let usual = TestPlan::default();
        (self.confirm == Confirm::On).then(|| TestPlan {
            drop: self.confirm_drop.unwrap_or(usual.drop),
            max_trials: self.confirm_trials.map_or(usual.max_trials, NonZeroU32::get),
            ..usual
        })
    }
}
