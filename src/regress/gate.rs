//! The gate: does a diff pass the policy?

use std::collections::BTreeSet;
use std::fmt;

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Change, ChangeClass, Diff, Exception, Level, Policy, PolicyInput};
use crate::profile::Decision;

/// The probes of targets, by name, whose history is too flaky to fail a build.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Quarantine(BTreeSet<(String, String)>);

impl FromIterator<(String, String)> for Quarantine {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl Quarantine {
    fn holds(&self, change: &Change) -> bool {
        let probe = change.probe.clone();
        probe.is_some_and(|probe| self.0.contains(&(change.target.clone(), probe)))
    }
}

/// A change, and what becomes of it by the policy.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ruling {
    /// What becomes of it.
    pub level: Level,
    /// What decided so.
    pub because: String,
    /// What is ruled on.
    #[serde(flatten)]
    pub change: Change,
}

/// How a gate came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GateOutcome {
    /// Nothing is denied.
    Passed,
    /// Nothing is denied, and something could not be judged, or nothing was compared at all.
    Inconclusive,
    /// Something is denied.
    Failed,
}

/// A diff after the policy was applied.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Gate {
    /// How it came out.
    pub outcome: GateOutcome,
    /// How many targets were compared.
    pub compared: usize,
    /// Each change: what targets stand for first, then those that decide.
    pub rulings: Vec<Ruling>,
    /// In words, the exceptions that no longer count.
    pub expired: Vec<String>,
    /// In words, what of the policy is about no target at all.
    pub unmatched: Vec<String>,
    /// The targets that have a snapshot and were not probed, by name.
    pub not_probed: Vec<String>,
}

/// Applies a policy, and the built-in one after it, on this day.
pub(crate) fn gate(
    diff: Diff,
    policy: &Policy,
    built_in: &Policy,
    quarantine: &Quarantine,
    today: NaiveDate,
) -> Gate {
    let judge = |change: Change| {
        let decided = decide((&change).into(), policy, built_in, today);
        let (level, because) = apply_samples(&change, decided, quarantine);
        Ruling { level, because, change }
    };
    let mut rulings: Vec<Ruling> = diff.changes.into_iter().map(judge).collect();
    rulings.sort_by_key(|it| (!it.change.is_of_subject(), std::cmp::Reverse(it.level)));
    let outcome = match rulings.iter().map(|ruling| ruling.level).max() {
        Some(Level::Deny) => GateOutcome::Failed,
        Some(Level::Inconclusive) => GateOutcome::Inconclusive,
        _ if diff.compared == 0 => GateOutcome::Inconclusive,
        Some(Level::Warn | Level::Allow) | None => GateOutcome::Passed,
    };
    let expired = expired_exceptions(policy, today);
    let (unmatched, not_probed) = (Vec::new(), Vec::new());
    Gate { outcome, compared: diff.compared, rulings, expired, unmatched, not_probed }
}

/// In words, the exceptions of a policy that no longer count.
pub(crate) fn expired_exceptions(policy: &Policy, today: NaiveDate) -> Vec<String> {
    let words = |exception: &Exception| {
        let Exception { code, target, reason, expires, .. } = exception;
        format!("the exception for {code} of {target} expired on {expires}: {reason}")
    };
    policy.exceptions.iter().filter(|it| it.expires.0 < today).map(words).collect()
}

/// The level of a change or of what a replay found, and in words what decided it.
pub(crate) fn rule_on(
    about: PolicyInput<'_>,
    policy: &Policy,
    built_in: &Policy,
    today: NaiveDate,
) -> (Level, String) {
    let (level, because) = decide(about, policy, built_in, today);
    (level, because.to_string())
}

/// Exceptions decide first, then the policy's rules, then the built-in ones.
fn decide(
    about: PolicyInput<'_>,
    policy: &Policy,
    built_in: &Policy,
    today: NaiveDate,
) -> (Level, DecidedBy) {
    let mut exceptions = policy.exceptions.iter().filter(|it| it.expires.0 >= today);
    if let Some(it) = exceptions.find(|it| it.fits(about)) {
        let words = format!("exception until {}: {}", it.expires, it.reason);
        return (it.level, DecidedBy::Exception(words));
    }
    let own = policy.rules.iter().map(|rule| (rule, "policy"));
    let all = own.chain(built_in.rules.iter().map(|rule| (rule, "built-in")));
    let first = all.into_iter().find(|(rule, _)| rule.fits(about));
    match first {
        Some((rule, whose)) => (rule.level, DecidedBy::Rule(format!("{whose} rule: {rule}"))),
        None => (Level::Allow, DecidedBy::Rule("no rule".to_owned())),
    }
}

/// What decided, in words.
enum DecidedBy {
    /// An exception, which nothing overrules.
    Exception(String),
    Rule(String),
}

impl fmt::Display for DecidedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exception(words) | Self::Rule(words) => f.write_str(words),
        }
    }
}

/// Applies samples and history to a decision: noise fails nothing, and a quarantine softens what was
/// not sampled again.
fn apply_samples(
    change: &Change,
    (level, because): (Level, DecidedBy),
    quarantine: &Quarantine,
) -> (Level, String) {
    let because = match because {
        DecidedBy::Exception(words) => return (level, words),
        DecidedBy::Rule(words) => words,
    };
    let sampled = change.confirmation.as_ref().map(|it| (it.decision, it.words()));
    match sampled {
        Some((Decision::Noise, words)) => return (Level::Allow, words),
        Some((Decision::Inconclusive, words)) if level == Level::Deny => {
            return (Level::Inconclusive, words);
        }
        Some((Decision::Regression | Decision::Inconclusive, words)) => {
            return (level, format!("{because}; {words}"));
        }
        None => {}
    }
    if level == Level::Deny && change.class == ChangeClass::Regression && quarantine.holds(change) {
        return (Level::Warn, format!("quarantine: its history is flaky ({because})"));
    }
    (level, because)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Confirmation, Observed};
    use crate::regress::fixtures::change;
    use crate::regress::{AdapterEffect, Severity};

    fn today() -> NaiveDate {
        "2026-11-16".parse().unwrap()
    }

    fn judged(code: &str, policy: &str, quarantine: &Quarantine) -> Gate {
        let policy: Policy = toml::from_str(policy).unwrap();
        let diff = Diff { compared: 1, changes: vec![change(code)] };
        gate(diff, &policy, &Policy::built_in().unwrap(), quarantine, today())
    }

    fn plain(code: &str) -> (GateOutcome, Level) {
        let gate = judged(code, "", &Quarantine::default());
        (gate.outcome, gate.rulings[0].level)
    }

    #[test]
    fn by_default_grave_regressions_are_denied_and_small_ones_warned_of() {
        assert_eq!(plain("call-format-lost"), (GateOutcome::Failed, Level::Deny));
        assert_eq!(plain("parallel-lost"), (GateOutcome::Failed, Level::Deny));
        assert_eq!(plain("target-missing"), (GateOutcome::Failed, Level::Deny));
        assert_eq!(plain("stream-defect-new"), (GateOutcome::Passed, Level::Warn));
        assert_eq!(plain("reasoning-replay-optional"), (GateOutcome::Passed, Level::Warn));
        assert_eq!(plain("parallel-gained"), (GateOutcome::Passed, Level::Allow));
        assert_eq!(plain("target-new"), (GateOutcome::Passed, Level::Warn));
        assert_eq!(plain("result-missing"), (GateOutcome::Passed, Level::Warn));
    }

    #[test]
    fn what_an_adapter_breaks_is_denied_whatever_its_severity_unless_a_policy_allows_it() {
        use AdapterEffect::{Breaks, Fixes};
        let through_adapter = |severity, effect, policy: &str| {
            let seen = Change { severity, effect: Some(effect), ..change("stream-defect-new") };
            let diff = Diff { compared: 1, changes: vec![seen] };
            let policy: Policy = toml::from_str(policy).unwrap();
            let built_in = Policy::built_in().unwrap();
            gate(diff, &policy, &built_in, &Quarantine::default(), today()).outcome
        };
        for severity in [Severity::Info, Severity::Minor, Severity::Major, Severity::Critical] {
            assert_eq!(through_adapter(severity, Breaks, ""), GateOutcome::Failed, "{severity}");
            let allowing = "[[rule]]\neffect = \"breaks\"\nlevel = \"allow\"";
            assert_eq!(through_adapter(severity, Breaks, allowing), GateOutcome::Passed);
        }
        assert_eq!(through_adapter(Severity::Info, Fixes, ""), GateOutcome::Passed);
    }

    #[test]
    fn what_could_not_be_judged_neither_passes_nor_fails() {
        let expected = (GateOutcome::Inconclusive, Level::Inconclusive);
        assert_eq!(plain("verdict-inconclusive"), expected);
        assert_eq!(plain("target-inconclusive"), expected);
        assert_eq!(plain("verdict-blocked"), expected);
        assert_eq!(plain("capability-unknown"), expected);
    }

    #[test]
    fn a_gate_that_compared_nothing_is_inconclusive() {
        let (policy, built_in) = (Policy::default(), Policy::built_in().unwrap());
        let gate = gate(Diff::default(), &policy, &built_in, &Quarantine::default(), today());
        assert_eq!(gate.outcome, GateOutcome::Inconclusive);
    }

    #[test]
    fn a_pattern_that_no_target_fits_is_told() {
        let text = r#"
            [[rule]]
            target = "acme/*"
            level = "allow"
            [[exception]]
            code = "parallel-lost"
            target = "acmee/model"
            reason = "ticket 7"
            expires = 2026-12-01
        "#;
        let policy: Policy = toml::from_str(text).unwrap();
        assert_eq!(
            policy.unmatched_rules(&["acme/model"]),
            ["the policy's exception for parallel-lost of acmee/model is about no target"]
        );
        assert_eq!(policy.unmatched_rules(&[]).len(), 2);
    }

    #[test]
    fn the_first_rule_that_fits_decides_and_is_named() {
        let policy = r#"
            [[rule]]
            target = "other/*"
            level = "allow"
            [[rule]]
            code = "stream-defect-new"
            target = "acme/*"
            level = "deny"
            [[rule]]
            class = "regression"
            level = "allow"
        "#;
        let gate = judged("stream-defect-new", policy, &Quarantine::default());
        assert_eq!(gate.outcome, GateOutcome::Failed);
        assert_eq!(
            gate.rulings[0].because,
            "policy rule: code = stream-defect-new, target = acme/*"
        );
        assert_eq!(
            judged("parallel-lost", policy, &Quarantine::default()).outcome,
            GateOutcome::Passed
        );
    }

    #[test]
    fn an_exception_counts_to_its_last_day_and_is_reported_after_it() {
        let policy = |day: &str| {
            format!(
                "[[exception]]\ncode = \"parallel-lost\"\ntarget = \"acme/*\"\n\
                 reason = \"ticket 7\"\nexpires = {day}\n"
            )
        };
        let gate = judged("parallel-lost", &policy("2026-11-16"), &Quarantine::default());
        assert_eq!(gate.rulings[0].because, "exception until 2026-11-16: ticket 7");
        assert_eq!((gate.outcome, gate.expired.len()), (GateOutcome::Passed, 0));
        let gate = judged("parallel-lost", &policy("\"2026-11-15\""), &Quarantine::default());
        assert_eq!(gate.outcome, GateOutcome::Failed);
        assert_eq!(
            gate.expired,
            ["the exception for parallel-lost of acme/* expired on 2026-11-15: ticket 7"]
        );
    }

    #[test]
    fn a_flaky_probe_only_warns() {
        let flaky = [("acme/model".to_owned(), "parallel".to_owned())].into_iter().collect();
        let gate = judged("parallel-lost", "", &flaky);
        assert_eq!((gate.outcome, gate.rulings[0].level), (GateOutcome::Passed, Level::Warn));
        assert!(gate.rulings[0].because.starts_with("quarantine"));
        assert_eq!(judged("schema-level-lowered", "", &flaky).outcome, GateOutcome::Failed);
    }

    #[test]
    fn samples_decide_whether_a_suspicion_fails_the_gate() {
        let sampled = |decision| {
            let mut suspected = change("parallel-lost");
            suspected.confirmation = Some(Confirmation {
                target: suspected.target.clone(),
                field: suspected.at.field.clone(),
                probe: "parallel".to_owned(),
                case: None,
                decision,
                baseline: Observed { passes: 3, trials: 3 },
                samples: Observed { passes: 9, trials: 12 },
            });
            let flaky = [("acme/model".to_owned(), "parallel".to_owned())].into_iter().collect();
            let diff = Diff { compared: 1, changes: vec![suspected] };
            let built_in = Policy::built_in().unwrap();
            let gate = gate(diff, &Policy::default(), &built_in, &flaky, today());
            (gate.outcome, gate.rulings[0].because.clone())
        };
        let (outcome, because) = sampled(Decision::Noise);
        assert_eq!(outcome, GateOutcome::Passed);
        assert_eq!(because, "noise: sampled again, 9 of 12 are as before (3 of 3)");
        assert_eq!(sampled(Decision::Inconclusive).0, GateOutcome::Inconclusive);
        assert_eq!(
            sampled(Decision::Regression).0,
            GateOutcome::Failed,
            "a quarantine does not hide it"
        );
    }

    #[test]
    fn what_a_policy_gets_wrong_is_said() {
        for (text, problem) in [
            (
                "[[rule]]\ncode = \"paralel-lost\"\nlevel = \"deny\"",
                "did you mean 'parallel-lost'?",
            ),
            ("[[rule]]\nlevel = \"never\"", "unknown variant `never`"),
            ("[[rules]]\nlevel = \"deny\"", "unknown field `rules`"),
            (
                "[[exception]]\ncode = \"parallel-lost\"\ntarget = \"*\"\nreason = \" \"\n\
                 expires = 2026-12-01",
                "say why",
            ),
            (
                "[[exception]]\ncode = \"parallel-lost\"\ntarget = \"*\"\nreason = \"x\"\n\
                 expires = \"soon\"",
                "'soon' is not a day",
            ),
            (
                "[[exception]]\ncode = \"parallel-lost\"\ntarget = \"*\"\nreason = \"x\"",
                "missing field `expires`",
            ),
        ] {
            let error = toml::from_str::<Policy>(text).unwrap_err();
            assert!(error.message().contains(problem), "{error}");
            assert!(error.span().is_some(), "{error}");
        }
    }
}
