//! Progress of a run: bars on a terminal, lines with `-v` and in CI, nothing with `-q` or when
//! nobody reads it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IsTerminal};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::console::Console;
use crate::campaign::{ProbeTargetError, ProbedTarget, RunListener};
use crate::profile::{Confirmation, Subject};
use crate::report::for_terminal;
use crate::target::Target;

const OVERALL: &str = "{bar:32} {msg}";
const UNDER_WAY: &str = "{bar:32} {msg}, about {eta} left";
const ONE: &str = "  {spinner} {prefix}: {pos}/{len} probes";
const TICK: Duration = Duration::from_millis(120);

/// Shows how a run gets on.
pub(crate) struct Progress<'a> {
    console: &'a Console,
    shown: Shown,
    targets: usize,
    probes: usize,
    state: Mutex<State>,
}

enum Shown {
    Bars { all: MultiProgress, overall: ProgressBar },
    Lines,
    Nothing,
}

#[derive(Default)]
struct State {
    done: usize,
    /// Which probes of the targets under way are over. One that is asked again counts once.
    asked: BTreeMap<String, BTreeSet<String>>,
    bars: BTreeMap<String, ProgressBar>,
}

impl<'a> Progress<'a> {
    /// The progress of so many targets, with so many probes each.
    pub(crate) fn new(console: &'a Console, targets: usize, probes: usize) -> Self {
        let ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
        let shown = if console.is_quiet() {
            Shown::Nothing
        } else if console.is_verbose() {
            Shown::Lines
        } else if io::stderr().is_terminal() {
            bars(targets, probes)
        } else if ci {
            Shown::Lines
        } else {
            Shown::Nothing
        };
        Self { console, shown, targets, probes, state: Mutex::default() }
    }

    /// Takes the bars off the screen.
    fn clear(&self) {
        if let Shown::Bars { all, .. } = &self.shown {
            // A terminal that went away needs no clearing.
            let _ = all.clear();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn counted(&self, done: usize) -> String {
        format!("{done}/{} targets", self.targets)
    }
}

fn bars(targets: usize, probes: usize) -> Shown {
    let all = MultiProgress::new();
    let length = u64::try_from(targets.saturating_mul(probes)).unwrap_or(u64::MAX);
    let overall = all.add(ProgressBar::new(length).with_style(style(OVERALL)));
    overall.set_message(format!("0/{targets} targets"));
    overall.enable_steady_tick(TICK);
    Shown::Bars { all, overall }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

impl RunListener for Progress<'_> {
    fn began(&self, target: &Target) {
        let mut state = self.state();
        state.asked.insert(target.name.clone(), BTreeSet::new());
        match &self.shown {
            Shown::Bars { all, .. } => {
                let length = u64::try_from(self.probes).unwrap_or(u64::MAX);
                let bar = all.add(ProgressBar::new(length).with_style(style(ONE)));
                bar.set_prefix(for_terminal(&target.name));
                bar.enable_steady_tick(TICK);
                state.bars.insert(target.name.clone(), bar);
            }
            Shown::Lines => self.console.detail(&format!("{}: asking", for_terminal(&target.name))),
            Shown::Nothing => {}
        }
    }

    fn asked(&self, target: &Target, probe: &str) {
        let mut state = self.state();
        let is_new =
            state.asked.get_mut(&target.name).is_some_and(|asked| asked.insert(probe.to_owned()));
        match &self.shown {
            Shown::Bars { overall, .. } if is_new => {
                // Before the first step nobody can tell how long the rest takes.
                if overall.position() == 0 {
                    overall.set_style(style(UNDER_WAY));
                }
                overall.inc(1);
                if let Some(bar) = state.bars.get(&target.name) {
                    bar.inc(1);
                }
            }
            Shown::Lines => {
                self.console.detail(&format!("{}: asked {probe}", for_terminal(&target.name)));
            }
            Shown::Bars { .. } | Shown::Nothing => {}
        }
    }

    fn ended(&self, target: &Target, result: &Result<ProbedTarget, ProbeTargetError>) {
        let mut state = self.state();
        state.done += 1;
        let done = self.counted(state.done);
        let asked = state.asked.remove(&target.name).map_or(0, |asked| asked.len());
        match &self.shown {
            Shown::Bars { all, overall } => {
                let left = self.probes.saturating_sub(asked);
                overall.inc(u64::try_from(left).unwrap_or(u64::MAX));
                overall.set_message(done);
                if let Some(bar) = state.bars.remove(&target.name) {
                    bar.finish_and_clear();
                    all.remove(&bar);
                }
            }
            Shown::Lines => self.console.note(&line(&done, target, result)),
            Shown::Nothing => {}
        }
    }

    fn sampling_again(&self, targets: usize) {
        self.clear();
        self.console.note(&format!("{targets} targets may have changed: sampling again"));
    }

    fn confirmed(&self, subject: &Subject, confirmation: &Confirmation) {
        let target = for_terminal(&subject.name());
        let Confirmation { field, .. } = confirmation;
        self.console.detail(&format!("{target}, {field}: {}", confirmation.words()));
    }
}

fn line(done: &str, target: &Target, result: &Result<ProbedTarget, ProbeTargetError>) -> String {
    let name = for_terminal(&target.name);
    match result {
        Ok(probed) => {
            let (requests, ms) = (probed.cost.requests, probed.cost.wall_ms);
            format!("{done}: {name} ({requests} requests, {ms} ms)")
        }
        Err(error) => format!("{done}: {name}: {}", for_terminal(&error.to_string())),
    }
}
