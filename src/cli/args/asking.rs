//! The flags that say how much is asked, and how hard.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum as _};

use super::tools_file::tools_file;
use crate::campaign::{Resumed, RunSettings};
use crate::cli::shell::clock;
use crate::cli::shell::error::CliError;
use crate::probe::{Suite, SuiteName};
use crate::profile::{Manner, Mode};
use crate::replay::Transcript;
use crate::target::{Bounds, Defaults, Limits, Span, Target, Timeouts};
use crate::transport::{Budget, Oversize};

/// Trials of each case where nothing else is said.
const TRIALS: u32 = 3;

/// Where the values of trials come from where nothing else is said.
const SEED: u64 = 1;

/// The flags that say which questions there are.
#[derive(Debug, Clone, Args)]
pub(crate) struct SuiteArgs {
    /// A folder of probe files to use instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    probes: Option<PathBuf>,

    /// Tools of your own to be asked for as well: a JSON file in the shape of
    /// OpenAI, Anthropic or MCP's tools/list
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
}

impl SuiteArgs {
    /// The flags that name the questions, as they would be given again.
    pub(crate) fn flags(&self) -> Vec<String> {
        let given = [("--probes", &self.probes), ("--tools", &self.tools)];
        let flag = |(name, path): (&str, &Option<PathBuf>)| {
            path.as_ref().map(|path| format!("{name} {}", path.display()))
        };
        given.into_iter().filter_map(flag).collect()
    }

    /// The questions where the configuration says how values are made.
    pub(crate) fn suite_of(&self, defaults: &Defaults) -> Result<Suite, CliError> {
        self.suite(defaults.seed.unwrap_or(SEED))
    }

    /// The questions, with those about the user's own tools.
    fn suite(&self, seed: u64) -> Result<Suite, CliError> {
        let suite = match &self.probes {
            Some(folder) => Suite::load(folder),
            None => Suite::embedded(),
        };
        let suite = suite.map_err(CliError::usage)?;
        let Some(path) = &self.tools else { return Ok(suite) };
        let tools = tools_file(path).map_err(CliError::usage)?;
        if tools.is_empty() {
            return Err(CliError::usage(format!("{} declares no tool", path.display())));
        }
        Ok(suite.with_tools(&tools, seed))
    }
}

/// A bound as it is written on the command line.
fn bound(text: &str) -> Result<(Oversize, NonZeroUsize), String> {
    let (name, limit) = text.split_once('=').ok_or("it takes the form 'name=number'")?;
    let limit = limit.parse().map_err(|_| format!("'{limit}' is not a number above zero"))?;
    Ok((name.parse()?, limit))
}

/// The flags shared by all commands that ask an endpoint something.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How much is asked")]
pub(crate) struct AskingArgs {
    /// How much is asked [default: standard]
    #[arg(long, value_enum, value_name = "NAME")]
    suite: Option<SuiteName>,

    /// Whether plain replies, streams or both are asked for [default: both]
    #[arg(long, value_enum, value_name = "MODE")]
    mode: Option<Mode>,

    /// How often each case is tried [default: 3]
    #[arg(long, value_name = "N")]
    trials: Option<NonZeroU32>,

    /// Where the trials' values come from [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    #[command(flatten)]
    pub(crate) suite_args: SuiteArgs,

    /// Requests to one endpoint at the same time, over all of its targets
    /// [default: 8]
    #[arg(long, value_name = "N")]
    concurrency: Option<NonZeroUsize>,

    /// How long one exchange may take, such as 30s or 2m [default: 5m]
    #[arg(long, value_name = "TIME")]
    timeout: Option<Span>,

    /// The most tokens of one reply, whatever the probe says [default: by probe, 1024 to 8192]
    #[arg(long, value_name = "N")]
    max_tokens: Option<NonZeroU64>,

    /// How large a part of a reply may be, such as calls=1000; what is beyond it
    /// is inconclusive and named
    #[arg(long, value_name = "NAME=N", value_parser = bound, value_delimiter = ',')]
    bound: Vec<(Oversize, NonZeroUsize)>,

    /// The most requests of the whole run
    #[arg(long, value_name = "N")]
    max_requests: Option<NonZeroU64>,

    /// The most tokens of the whole run, prompts and replies together
    #[arg(long, value_name = "N")]
    max_tokens_total: Option<NonZeroU64>,

    /// How long exchanges may still take after the first Ctrl-C; a second one
    /// ends them at once
    #[arg(long, value_name = "TIME", default_value = "10s")]
    grace: Span,

    /// Say what would be asked and what it would cost, and ask nothing
    #[arg(long)]
    dry_run: bool,
}

impl AskingArgs {
    /// What is asked; flags win over the configuration.
    pub(crate) fn settings(&self, defaults: &Defaults) -> Result<RunSettings, CliError> {
        let seed = self.seed.or(defaults.seed).unwrap_or(SEED);
        let suite = self.suite_args.suite(seed)?.in_manner(self.manner(defaults));
        let name = self.suite.or(defaults.suite).unwrap_or(SuiteName::Standard);
        suite.check(name).map_err(CliError::usage)?;
        Ok(RunSettings {
            suite,
            name,
            trials: self.trials.or(defaults.trials).map_or(TRIALS, NonZeroU32::get),
            seed,
            verified_at: clock::now()?,
        })
    }

    /// What is asked of a recording: what was asked when it was made. Flags may ask for less.
    pub(crate) fn settings_of_transcript(
        &self,
        then: &Transcript,
    ) -> Result<RunSettings, CliError> {
        if self.seed.is_some_and(|seed| seed != then.seed) {
            return Err(CliError::usage(format!(
                "the recordings were made with --seed {}, and answer no other values",
                then.seed
            )));
        }
        let suite = self.suite_args.suite(then.seed)?.with_tools(&then.tools, then.seed);
        let suite = suite.in_manner(then.manner);
        let name = self.suite.unwrap_or(then.suite);
        suite.check(name).map_err(CliError::usage)?;
        let trials = self.trials.map_or(then.trials, NonZeroU32::get);
        Ok(RunSettings { suite, name, trials, seed: then.seed, verified_at: clock::now()? })
    }

    /// What a run that goes on asks: what it asked before. Flags may say the same, but nothing else.
    pub(crate) fn settings_of(&self, resumed: &Resumed) -> Result<RunSettings, CliError> {
        let then = &resumed.manifest;
        let known = SuiteName::value_variants().iter().find(|name| name.as_str() == then.suite);
        let none = || CliError::usage(format!("no suite is called '{}'", then.suite));
        let name = self.suite.or(known.copied()).ok_or_else(none)?;
        let seed = self.seed.unwrap_or(then.seed);
        let trials = self.trials.map_or(then.trials, NonZeroU32::get);
        let manner = Manner {
            max_tokens: self.max_tokens.map(NonZeroU64::get).or(then.manner.max_tokens),
            mode: self.mode.unwrap_or(then.manner.mode),
        };
        let questions = self.suite_args.suite(seed)?.in_manner(manner);
        let tokens = |manner: Manner| manner.max_tokens.map_or_else(String::new, |n| n.to_string());
        for (what, then, now) in [
            ("suite", then.suite.clone(), name.as_str().to_owned()),
            ("seed", then.seed.to_string(), seed.to_string()),
            ("trials", then.trials.to_string(), trials.to_string()),
            ("probes", then.probe_version.clone(), questions.version().to_owned()),
            ("max-tokens", tokens(then.manner), tokens(manner)),
            ("mode", then.manner.mode.as_str().to_owned(), manner.mode.as_str().to_owned()),
        ] {
            resumed.same(what, &then, &now).map_err(CliError::usage)?;
        }
        // One run has one time, whenever its last target is asked.
        let verified_at = then.started_at;
        Ok(RunSettings { suite: questions, name, trials, seed, verified_at })
    }

    /// How long exchanges may still take when the process is asked to stop.
    pub(crate) fn grace(&self) -> Duration {
        self.grace.0
    }

    /// What flags change of how it is asked.
    fn manner(&self, defaults: &Defaults) -> Manner {
        let max_tokens = self.max_tokens.map(NonZeroU64::get);
        Manner { max_tokens, mode: self.mode.or(defaults.mode).unwrap_or_default() }
    }

    /// Whether nothing is to be asked.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    /// What the whole run may cost.
    pub(crate) fn budget(&self, defaults: &Defaults) -> Arc<Budget> {
        let or_endless = |limit: Option<NonZeroU64>| limit.map_or(u64::MAX, NonZeroU64::get);
        let requests = or_endless(self.max_requests.or(defaults.max_requests));
        let tokens = or_endless(self.max_tokens_total.or(defaults.max_tokens_total));
        Arc::new(Budget::new(requests, tokens))
    }

    /// The target with the limits and timeouts that flags set over its own.
    pub(crate) fn limit(&self, mut target: Target) -> Target {
        let endpoint = &mut target.endpoint;
        endpoint.bounds.extend(self.bounds());
        endpoint.limits = self.limits().or(endpoint.limits);
        endpoint.timeouts = self.timeouts().or(endpoint.timeouts);
        target
    }

    /// The limits of one endpoint, as far as flags set them.
    pub(crate) fn limits(&self) -> Limits {
        Limits { concurrency: self.concurrency, ..Limits::default() }
    }

    /// How large replies may be, as far as flags set it.
    pub(crate) fn bounds(&self) -> Bounds {
        self.bound.iter().copied().collect()
    }

    /// The waits of one exchange, as far as flags set them.
    pub(crate) fn timeouts(&self) -> Timeouts {
        Timeouts { total: self.timeout, ..Timeouts::default() }
    }
}
