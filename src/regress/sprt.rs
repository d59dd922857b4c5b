//! The sequential test: is a suspected regression one, or noise?
//!
//! It is Wald's sequential probability ratio test between the baseline's rate and that rate less a drop:
//! samples are taken one by one until one of the two is twenty times as likely as the other. On
//! average it needs about half the trials of a fixed-size test with the same error rates.

use crate::profile::{Decision, Observed, Tally, wilson};

/// The fall of a rate that is worth a word, however many trials show it.
const NOTABLE: f64 = 0.10;

/// No rate is taken to be nearer to 0 or 1 than this: one sample must never decide alone.
const MARGIN: f64 = 0.02;

/// The rate, drawn towards a half as far as few trials deserve it (Laplace's rule): 3 of 3 say 0.8,
/// not 1. `None` without trials.
pub(super) fn estimate(observed: Observed) -> Option<f64> {
    let Observed { passes, trials } = observed;
    (trials > 0).then(|| f64::from(passes + 1) / f64::from(trials + 2))
}

fn tally(observed: Observed) -> Tally {
    let Observed { passes, trials } = observed;
    Tally { passes, fails: trials.saturating_sub(passes), ..Tally::default() }
}

/// What the test tells apart, and how surely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestPlan {
    /// The drop of the rate that counts as a regression.
    pub drop: f64,
    /// The chance of taking noise for a regression.
    pub alpha: f64,
    /// The chance of taking a regression for noise.
    pub beta: f64,
    /// Trials after which it stays undecided.
    pub max_trials: u32,
}

impl Default for TestPlan {
    fn default() -> Self {
        Self { drop: 0.30, alpha: 0.05, beta: 0.05, max_trials: 80 }
    }
}

/// Whether a rate fell further than chance goes: by a tenth or more, and to where even the upper end
/// of the new trials' Wilson interval does not reach the old rate. Few trials never show that.
pub(super) fn has_fallen(before: Observed, now: Observed) -> bool {
    let (Some(old), Some(new)) = (estimate(before), tally(now).rate()) else { return false };
    let reach = wilson(now.passes, now.trials).map_or(1.0, |interval| interval.1);
    new <= old - NOTABLE && reach < old
}

/// A test under way. Feed it samples until it has a [`Decision`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SequentialTest {
    /// The rate that the baseline is taken to have.
    before: f64,
    /// The rate that would be a regression.
    dropped: f64,
    plan: TestPlan,
    seen: Observed,
}

impl SequentialTest {
    /// A test against a baseline; `None` where the baseline has no trials or nothing to lose.
    pub(crate) fn new(baseline: Observed, plan: TestPlan) -> Option<Self> {
        if baseline.passes == 0 {
            return None;
        }
        let before = estimate(baseline)?.clamp(2.0 * MARGIN, 1.0 - MARGIN);
        let dropped = (before - plan.drop).max(MARGIN);
        Some(Self { before, dropped, plan, seen: Observed { passes: 0, trials: 0 } })
    }

    /// The samples so far.
    pub(crate) fn seen(&self) -> Observed {
        self.seen
    }

    /// Takes a sample and decides, if it can. The trials of a sample count together: taken one by
    /// one, those that happen to stand first would decide.
    pub(crate) fn observe(&mut self, sample: Observed) -> Option<Decision> {
        self.seen.trials += sample.trials;
        self.seen.passes += sample.passes;
        self.decision()
    }

    /// The decision, once there is one.
    pub(crate) fn decision(&self) -> Option<Decision> {
        let TestPlan { alpha, beta, max_trials, .. } = self.plan;
        let ratio = self.log_likelihood_ratio();
        // Wald's approximate bounds may exceed an error rate; these, a little wider, cannot.
        if ratio >= -alpha.ln() {
            Some(Decision::Regression)
        } else if ratio <= beta.ln() {
            Some(Decision::Noise)
        } else {
            (self.seen.trials >= max_trials).then_some(Decision::Inconclusive)
        }
    }

    /// How much better the drop explains the samples than the baseline's rate does.
    fn log_likelihood_ratio(&self) -> f64 {
        let passes = f64::from(self.seen.passes);
        let fails = f64::from(self.seen.trials) - passes;
        passes * (self.dropped / self.before).ln()
            + fails * ((1.0 - self.dropped) / (1.0 - self.before)).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Luck, percent};
    use super::*;

    const GATES: u32 = 10_000;

    fn observed(passes: u32, trials: u32) -> Observed {
        Observed { passes, trials }
    }

    fn one(passed: bool) -> Observed {
        observed(u32::from(passed), 1)
    }

    /// Samples an endpoint of this rate until there is a decision.
    fn decide(test: &SequentialTest, rate: f64, luck: &mut Luck) -> (Decision, u32) {
        let mut test = test.clone();
        loop {
            if let Some(decision) = test.observe(one(luck.happens(rate))) {
                return (decision, test.seen().trials);
            }
        }
    }

    /// How often a rate is called a regression, and how many trials that takes on average.
    fn alarms(test: &SequentialTest, rate: f64, luck: &mut Luck) -> (f64, f64) {
        let (mut alarms, mut spent) = (0, 0);
        for _ in 0..GATES {
            let (decision, trials) = decide(test, rate, luck);
            alarms += u32::from(decision == Decision::Regression);
            spent += trials;
        }
        (percent(alarms, GATES), f64::from(spent) / f64::from(GATES))
    }

    /// The chance of at most `most` passes in `trials`.
    fn at_most(most: u32, trials: u32, rate: f64) -> f64 {
        let mut chance = (1.0 - rate).powf(f64::from(trials));
        let mut sum = chance;
        for passes in 1..=most {
            chance *= f64::from(trials - passes + 1) / f64::from(passes) * rate / (1.0 - rate);
            sum += chance;
        }
        sum
    }

    /// The fewest trials with which a test of fixed size has these error rates.
    fn fixed_size(before: f64, dropped: f64, plan: &TestPlan) -> u32 {
        let suffices = |trials: &u32| {
            (0..*trials).any(|limit| {
                at_most(limit, *trials, before) <= plan.alpha
                    && at_most(limit, *trials, dropped) >= 1.0 - plan.beta
            })
        };
        (1..1000).find(suffices).unwrap()
    }

    #[test]
    fn thousands_of_gates_keep_both_error_rates_and_spend_fewer_trials_than_a_fixed_size() {
        let plan = TestPlan::default();
        let mut luck = Luck::seeded(1);
        for (passes, trials) in [(40, 40), (38, 40), (32, 40), (28, 40), (20, 40), (3, 3), (2, 3)] {
            let test = SequentialTest::new(observed(passes, trials), plan).unwrap();
            let (before, dropped) = (test.before, test.dropped);
            let (false_alarms, spent_on_noise) = alarms(&test, before, &mut luck);
            let (detected, spent_on_drops) = alarms(&test, dropped, &mut luck);
            let fixed = fixed_size(before, dropped, &plan);
            let spent = spent_on_noise.max(spent_on_drops);
            println!(
                "{passes}/{trials}: {before:.2} or {dropped:.2}: {false_alarms:.1} % false alarms, \
                 {detected:.1} % detected, {spent_on_noise:.1} and {spent_on_drops:.1} trials; \
                 a fixed-size test needs {fixed}"
            );
            assert!(false_alarms <= 5.0, "{passes}/{trials}: {false_alarms} % false alarms");
            assert!(detected >= 95.0, "{passes}/{trials}: {detected} % detected");
            assert!(spent < f64::from(fixed), "{passes}/{trials}: {spent} of {fixed} trials");
        }
    }

    /// Accepts a snapshot, probes again, and samples again where that looks bad.
    fn gate(before: f64, now: f64, trials: (u32, u32), luck: &mut Luck) -> Option<Decision> {
        let plan = TestPlan::default();
        let baseline = observed(luck.passes(trials.0, before), trials.0);
        let current = observed(luck.passes(trials.1, now), trials.1);
        let status_fell = tally(current).status() > tally(baseline).status();
        let suspicious = status_fell || has_fallen(baseline, current);
        let test = SequentialTest::new(baseline, plan).filter(|_| suspicious)?;
        Some(decide(&test, now, luck).0)
    }

    #[test]
    fn whole_gates_rarely_fail_a_flaky_model_and_catch_one_that_falls() {
        let mut luck = Luck::seeded(2);
        let mut fails = |before: f64, now: f64| {
            let fails = (0..GATES)
                .filter(|_| gate(before, now, (40, 20), &mut luck) == Some(Decision::Regression));
            percent(u32::try_from(fails.count()).unwrap(), GATES)
        };
        let (flaky, fallen) = (fails(0.80, 0.80), fails(0.95, 0.60));
        println!("80 % before and after: {flaky:.1} % fail; 95 % to 60 %: {fallen:.1} % caught");
        assert!(flaky <= 5.0, "{flaky} % of the gates of a flaky model fail");
        assert!(fallen >= 95.0, "{fallen} % of the gates of a fallen model fail");
    }

    #[test]
    fn few_trials_are_not_taken_for_certainty() {
        assert_eq!(estimate(observed(3, 3)), Some(0.8));
        assert_eq!(estimate(observed(0, 0)), None);
        let mut test = SequentialTest::new(observed(1000, 1000), TestPlan::default()).unwrap();
        assert_eq!(test.observe(one(false)), None, "one failure is no regression");
    }

    #[test]
    fn what_never_worked_cannot_get_worse() {
        assert_eq!(SequentialTest::new(observed(0, 3), TestPlan::default()), None);
        assert_eq!(SequentialTest::new(observed(0, 0), TestPlan::default()), None);
    }

    #[test]
    fn what_the_bound_leaves_open_is_inconclusive() {
        let plan = TestPlan { max_trials: 2, ..TestPlan::default() };
        let mut test = SequentialTest::new(observed(4, 5), plan).unwrap();
        assert_eq!(test.observe(one(true)), None);
        assert_eq!(test.observe(one(false)), Some(Decision::Inconclusive));
    }

    #[test]
    fn the_trials_of_a_sample_decide_together() {
        let mut test = SequentialTest::new(observed(32, 40), TestPlan::default()).unwrap();
        let first: Vec<_> = (0..7).map(|_| test.observe(one(true))).collect();
        assert_eq!(first.last(), Some(&Some(Decision::Noise)), "so many passes alone decide");
        let mut test = SequentialTest::new(observed(32, 40), TestPlan::default()).unwrap();
        assert_eq!(test.observe(observed(7, 14)), None, "but not beside as many failures");
    }

    #[test]
    fn a_rate_has_fallen_when_chance_does_not_reach_that_far() {
        for (before, now, fell) in [
            ((17, 20), (10, 20), true),
            ((8, 10), (3, 10), true),
            ((17, 20), (14, 20), false),
            ((2, 3), (1, 3), false),
            ((1000, 1000), (910, 1000), false),
            ((1000, 1000), (890, 1000), true),
            ((10, 20), (17, 20), false),
            ((3, 3), (0, 0), false),
        ] {
            let (old, new) = (observed(before.0, before.1), observed(now.0, now.1));
            assert_eq!(has_fallen(old, new), fell, "{before:?} to {now:?}");
        }
    }
}
