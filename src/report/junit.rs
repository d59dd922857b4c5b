//! JUnit XML: the verdict of the gate for a CI server.
//!
//! A test suite per target and a test case per probe. A case fails where the gate denies a change of
//! its probe, and is an error where nothing could be judged. What was found is in the properties: a
//! limitation that is known and accepted is not red, and without a gate nothing is. The time of a case
//! is how long its probe took; probes are asked at the same time, so a target takes less than their sum.

use std::io;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

use super::changes::{ChangeEntry, Changes, change_line, details};
use super::for_terminal;
use super::view::{ProbeView, TargetView, passes_of_trials, settings};
use crate::profile::Status;
use crate::regress::Level;

pub(super) fn render(
    targets: &[TargetView<'_>],
    changes: Option<&Changes<'_>>,
) -> io::Result<String> {
    let mut document = Document::new("toolprobe");
    document.add_test_suites(targets.iter().map(|target| suite(target, changes)));
    for (name, entries) in others(targets, changes) {
        let mut suite = TestSuite::new(for_terminal(name));
        suite.add_test_cases(entries.iter().map(|entry| case_of_change(name, entry, changes)));
        document.add_test_suite(suite);
    }
    let spent = targets.iter().filter_map(|it| it.cost).map(|cost| cost.wall_ms).sum();
    document.set_time(Duration::from_millis(spent));
    document.to_string().map_err(io::Error::other)
}

/// The changes of what is not a target of the report, by what they are of.
fn others<'a>(
    targets: &[TargetView<'_>],
    changes: Option<&'a Changes<'_>>,
) -> Vec<(&'a str, Vec<&'a ChangeEntry<'a>>)> {
    let mut groups: Vec<(&str, Vec<&ChangeEntry<'_>>)> = Vec::new();
    for entry in changes.into_iter().flat_map(|changes| &changes.entries) {
        if targets.iter().any(|target| target.is_subject_of(entry.change)) {
            continue;
        }
        let name = entry.change.target.as_str();
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, group)) => group.push(entry),
            None => groups.push((name, vec![entry])),
        }
    }
    groups
}

fn suite(target: &TargetView<'_>, changes: Option<&Changes<'_>>) -> TestSuite {
    let mut suite = TestSuite::new(for_terminal(&target.name));
    let subject = target.subject;
    for (name, value) in [
        ("provider", &subject.provider),
        ("model", &subject.model),
        ("endpoint", &subject.endpoint),
    ] {
        suite.add_property((name, for_terminal(value).as_str()));
    }
    if let Some(dialect) = target.dialect {
        suite.add_property(("dialect", dialect.as_str()));
    }
    for (name, value) in target.profile.into_iter().flat_map(settings) {
        suite.add_property((name, for_terminal(&value).as_str()));
    }
    if let Some(profile) = target.profile {
        suite.set_timestamp(profile.verified_at);
    }
    let time = target.cost.map(|cost| Duration::from_millis(cost.wall_ms));
    suite.set_time(time.unwrap_or_default());
    suite.add_test_cases(cases(target, changes));
    suite
}

fn cases(target: &TargetView<'_>, changes: Option<&Changes<'_>>) -> Vec<TestCase> {
    let entries = changes.into_iter().flat_map(|changes| &changes.entries);
    let mut open: Vec<&ChangeEntry<'_>> =
        entries.filter(|it| target.is_subject_of(it.change)).collect();
    let sections = target.sections();
    let mut cases = Vec::new();
    for section in &sections {
        let is_found_here = |it: &&ChangeEntry<'_>| {
            it.change.probe.as_deref() == Some(section.outcome.probe.as_str())
        };
        let (found, rest) = open.into_iter().partition(is_found_here);
        open = rest;
        let mut case = case_of_probe(&target.name, section, &found, changes);
        case.set_time(target.time_of(&section.outcome.probe));
        cases.push(case);
    }
    cases.extend(open.into_iter().map(|entry| case_of_change(&target.name, entry, changes)));
    if target.profile.is_none() {
        let why = target.problem.unwrap_or("no profile was reached");
        cases.push(case(&target.name, "profile", error(Status::Inconclusive.as_str(), why)));
    }
    cases
}

fn case(suite: &str, name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(for_terminal(name), status);
    case.set_classname(for_terminal(suite)).set_time(Duration::ZERO);
    case
}

fn case_of_probe(
    suite: &str,
    section: &ProbeView<'_>,
    found: &[&ChangeEntry<'_>],
    changes: Option<&Changes<'_>>,
) -> TestCase {
    let outcome = section.outcome;
    let status = match outcome.status {
        Status::Inconclusive if found.is_empty() => error("inconclusive", &outcome.reason),
        Status::Skipped if found.is_empty() => skip_case(&outcome.reason),
        _ => status_of(found, changes),
    };
    let mut case = case(suite, &outcome.probe, status);
    case.add_property(("verdict", outcome.status.as_str()));
    case.add_property(("passed", passes_of_trials(outcome.passes, outcome.trials).as_str()));
    case.add_property(("why", for_terminal(&section.why()).as_str()));
    for it in section.cases.iter().filter(|case| case.judged.is_some()) {
        let name = format!("case {}", for_terminal(it.name));
        case.add_property((name.as_str(), for_terminal(&it.word).as_str()));
    }
    for entry in found {
        case.add_property(("change", change_line(entry).as_str()));
    }
    case
}

fn case_of_change(suite: &str, entry: &ChangeEntry<'_>, changes: Option<&Changes<'_>>) -> TestCase {
    let mut case = case(suite, entry.change.code.as_str(), status_of(&[entry], changes));
    case.add_property(("change", change_line(entry).as_str()));
    case
}

/// The gravest ruling decides; its message has all that are as grave.
fn status_of(found: &[&ChangeEntry<'_>], changes: Option<&Changes<'_>>) -> TestCaseStatus {
    let Some(level) = found.iter().map(|entry| entry.level()).max() else {
        return TestCaseStatus::success();
    };
    let kind = match level {
        Level::Deny => NonSuccessKind::Failure,
        Level::Inconclusive => NonSuccessKind::Error,
        Level::Warn | Level::Allow => return TestCaseStatus::success(),
    };
    let grave: Vec<&&ChangeEntry<'_>> = found.iter().filter(|it| it.level() == level).collect();
    let lines: Vec<String> = grave.iter().map(|entry| change_line(entry)).collect();
    let about = grave
        .iter()
        .flat_map(|entry| changes.into_iter().flat_map(|changes| details(entry, changes)));
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(lines.join("; "));
    status.set_type(grave.first().map_or("change", |entry| entry.change.code.as_str()));
    status.set_description(about.collect::<Vec<_>>().join("\n"));
    status
}

fn error(kind: &str, why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_type(kind).set_message(for_terminal(why));
    status
}

fn skip_case(why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(for_terminal(why));
    status
}
