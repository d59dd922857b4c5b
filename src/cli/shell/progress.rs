//! Progress of a run: bars on a terminal, lines with `-v` and in CI, nothing with `-q` or when
//! nobody reads it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::ci::is_ci;
use super::console::{Console, print_error};
use crate::campaign::{ProbeTargetError, ProbedTarget, RunEnd, RunListener};
use crate::profile::Confirmation;
use crate::report::{exchange_text, for_terminal, plural, verdict_line};
use crate::store::RunFolder;
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
    folder: Option<RunFolder>,
    /// How many probes are over.
    asked: Arc<AtomicUsize>,
    /// Ends with the progress; the sender is never used.
    _heartbeat: Option<Sender<()>>,
}

/// How long a log may be silent: many a CI service ends a job that says nothing.
const SILENCE: Duration = Duration::from_secs(30);

/// Says that the run goes on, until the sender is dropped.
fn heartbeat(every: Duration, say: impl Fn(Duration) + Send + 'static) -> Sender<()> {
    let (sender, ended) = channel();
    let began = Instant::now();
    std::thread::spawn(move || {
        while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
            say(began.elapsed());
        }
    });
    sender
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
        let shown = if console.is_quiet() {
            Shown::Nothing
        } else if console.is_verbose() {
            Shown::Lines
        } else if io::stderr().is_terminal() {
            bars(targets, probes)
        } else if is_ci() {
            Shown::Lines
        } else {
            Shown::Nothing
        };
        let asked = Arc::new(AtomicUsize::new(0));
        let heartbeat = matches!(shown, Shown::Lines).then(|| {
            let asked = Arc::clone(&asked);
            heartbeat(SILENCE, move |elapsed| {
                let (asked, all) = (asked.load(Ordering::Relaxed), targets.saturating_mul(probes));
                let seconds = elapsed.as_secs();
                print_error(&format!(
                    "after {seconds} s: {asked} of {} asked",
                    plural(all, "probe")
                ));
            })
        });
        let state = Mutex::default();
        let folder = None;
        Self { console, shown, targets, probes, state, folder, asked, _heartbeat: heartbeat }
    }

    /// The same for a run whose exchanges are kept here.
    pub(crate) fn kept_in(mut self, folder: &RunFolder) -> Self {
        self.folder = Some(folder.clone());
        self
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

    /// Shows what was said to a target, and what came back.
    fn show_exchanges(&self, target: &Target, probed: &ProbedTarget) {
        let kept = self.folder.as_ref().map(|it| it.evidence().of_target(&target.name));
        let kept = kept.and_then(Result::ok).unwrap_or_default().into_iter().map(Into::into);
        for exchange in probed.exchanges.iter().cloned().chain(kept) {
            self.console.note(&exchange_text(&exchange));
        }
    }

    fn counted(&self, done: usize) -> String {
        format!("{done}/{}", plural(self.targets, "target"))
    }
}

fn bars(targets: usize, probes: usize) -> Shown {
    let all = MultiProgress::new();
    let length = u64::try_from(targets.saturating_mul(probes)).unwrap_or(u64::MAX);
    let overall = all.add(ProgressBar::new(length).with_style(style(OVERALL)));
    overall.set_message(format!("0/{}", plural(targets, "target")));
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
        self.asked.fetch_add(usize::from(is_new), Ordering::Relaxed);
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
        if let (true, Ok(probed)) = (self.console.shows_exchanges(), result) {
            self.show_exchanges(target, probed);
        }
        let mut state = self.state();
        state.done += 1;
        let done = self.counted(state.done);
        let asked = state.asked.remove(&target.name).map_or(0, |asked| asked.len());
        match &self.shown {
            Shown::Bars { all, overall } => {
                let left = self.probes.saturating_sub(asked);
                overall.inc(u64::try_from(left).unwrap_or(u64::MAX));
                // A terminal that went away needs no line.
                let _ = all.println(line(&done, target, result));
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

    fn stopping(&self, grace: Duration, end: RunEnd) {
        self.clear();
        let seconds = grace.as_secs();
        let reason = if end == RunEnd::OutOfTime { "the deadline is reached; " } else { "" };
        self.console.note(&format!(
            "{reason}stopping: what is under way has {seconds} s to end; stop it once more to end at once"
        ));
    }

    fn sampling_again(&self, targets: usize) {
        self.clear();
        let targets = plural(targets, "target");
        self.console.note(&format!("{targets} may have changed: sampling again"));
    }

    fn confirmed(&self, confirmation: &Confirmation) {
        let Confirmation { target, field, .. } = confirmation;
        let target = for_terminal(target);
        self.console.detail(&format!("{target}, {field}: {}", confirmation.words()));
    }
}

fn line(done: &str, target: &Target, result: &Result<ProbedTarget, ProbeTargetError>) -> String {
    let name = for_terminal(&target.name);
    match result {
        Ok(probed) => {
            let (requests, ms) = (probed.cost.requests, probed.cost.wall_ms);
            let (requests, verdict) = (plural(requests, "request"), verdict_line(&probed.profile));
            format!("{done}: {name} ({requests}, {ms} ms): {verdict}")
        }
        Err(error) => format!("{done}: {name}: {}", for_terminal(&error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_log_is_given_a_line_until_the_run_is_over() {
        let (told, lines) = channel();
        let beat = heartbeat(Duration::from_millis(1), move |_| {
            let _ = told.send(());
        });
        assert!(lines.recv().is_ok() && lines.recv().is_ok());
        drop(beat);
        // Ends when the thread is gone, and with it the other end.
        assert!(lines.iter().count() < usize::MAX);
    }
}
