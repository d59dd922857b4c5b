//! JUnit XML: results for a CI server.
//!
//! A test suite per target, a test case per judged case, or per probe that has none. `fail` and
//! `partial` are failures; `inconclusive` is an error, because nothing is known of the endpoint;
//! `skipped` is skipped. The format has no word for a finding: only the exit code says whether a run
//! failed.

use std::fmt::Write as _;

use super::Report;
use super::escape::for_xml;
use super::view::{ProbeView, TargetView, counted, settings};
use crate::ir::Digest;
use crate::profile::Status;

pub(super) fn render(report: &Report<'_>) -> String {
    let suites: Vec<JunitSuite> = report.targets().iter().map(JunitSuite::of).collect();
    let total = suites.iter().fold(JunitCounts::default(), |sum, suite| sum.plus(suite.counts()));
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    // Writing to a string does not fail.
    let _ = writeln!(text, "<testsuites name=\"toolprobe\" {}>", total.attributes());
    for suite in &suites {
        suite.write(&mut text);
    }
    text.push_str("</testsuites>\n");
    text
}

struct JunitSuite {
    name: String,
    timestamp: Option<String>,
    properties: Vec<(&'static str, String)>,
    tests: Vec<JunitTest>,
}

struct JunitTest {
    name: String,
    status: Status,
    reason: String,
    details: String,
}

#[derive(Debug, Clone, Copy, Default)]
struct JunitCounts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl JunitSuite {
    fn of(target: &TargetView<'_>) -> Self {
        let mut properties = vec![
            ("provider", target.subject.provider.clone()),
            ("model", target.subject.model.clone()),
            ("endpoint", target.subject.endpoint.clone()),
        ];
        properties.extend(target.dialect.map(|dialect| ("dialect", dialect.to_string())));
        properties.extend(target.profile.into_iter().flat_map(settings));
        let mut tests: Vec<JunitTest> = target.sections().iter().flat_map(tests).collect();
        if target.profile.is_none() {
            tests.push(JunitTest::unreached(target.problem));
        }
        let timestamp = target.profile.map(|it| it.verified_at.format("%FT%TZ").to_string());
        Self { name: target.name.clone(), timestamp, properties, tests }
    }

    fn counts(&self) -> JunitCounts {
        self.tests
            .iter()
            .map(|test| JunitCounts::of(test.status))
            .fold(JunitCounts::default(), JunitCounts::plus)
    }

    fn write(&self, text: &mut String) {
        let name = for_xml(&self.name);
        let time = self.timestamp.as_ref().map(|time| format!(" timestamp=\"{time}\""));
        let (counts, time) = (self.counts().attributes(), time.unwrap_or_default());
        let _ = writeln!(text, "  <testsuite name=\"{name}\" {counts}{time}>\n    <properties>");
        for (key, value) in &self.properties {
            let value = for_xml(value);
            let _ = writeln!(text, "      <property name=\"{key}\" value=\"{value}\"/>");
        }
        text.push_str("    </properties>\n");
        for test in &self.tests {
            test.write(&name, text);
        }
        text.push_str("  </testsuite>\n");
    }
}

fn tests(section: &ProbeView<'_>) -> Vec<JunitTest> {
    let outcome = section.outcome;
    let judged: Vec<JunitTest> = section
        .cases
        .iter()
        .filter_map(|case| {
            let judged = case.judged?;
            let passed = counted(judged.passes, judged.trials);
            Some(JunitTest {
                name: format!("{}/{}", outcome.probe, case.name),
                status: judged.status,
                reason: case.why.to_owned(),
                details: details(&passed, outcome.control.as_deref(), judged.evidence),
            })
        })
        .collect();
    if !judged.is_empty() {
        return judged;
    }
    let passed = counted(outcome.passes, outcome.trials);
    vec![JunitTest {
        name: outcome.probe.clone(),
        status: outcome.status,
        reason: outcome.reason.clone(),
        details: details(&passed, outcome.control.as_deref(), &outcome.evidence),
    }]
}

fn details(passed: &str, control: Option<&str>, evidence: &[Digest]) -> String {
    let mut parts = vec![format!("passed: {passed}")];
    parts.extend(control.map(|control| format!("control that passed: {control}")));
    if !evidence.is_empty() {
        let addresses: Vec<String> = evidence.iter().map(ToString::to_string).collect();
        parts.push(format!("evidence: {}", addresses.join(" ")));
    }
    parts.join("; ")
}

impl JunitTest {
    fn unreached(problem: Option<&str>) -> Self {
        Self {
            name: "profile".to_owned(),
            status: Status::Inconclusive,
            reason: problem.unwrap_or("no profile was reached").to_owned(),
            details: String::new(),
        }
    }

    fn write(&self, suite: &str, text: &mut String) {
        let name = for_xml(&self.name);
        let _ = write!(text, "    <testcase classname=\"{suite}\" name=\"{name}\"");
        let (message, body) = (for_xml(&self.reason), for_xml(&self.details));
        let kind = self.status.as_str();
        let _ = match self.status {
            Status::Pass => writeln!(text, "/>"),
            Status::Fail | Status::Partial => writeln!(
                text,
                "><failure type=\"{kind}\" message=\"{message}\">{body}</failure></testcase>"
            ),
            Status::Inconclusive => writeln!(
                text,
                "><error type=\"{kind}\" message=\"{message}\">{body}</error></testcase>"
            ),
            Status::Skipped => writeln!(text, "><skipped message=\"{message}\"/></testcase>"),
        };
    }
}

impl JunitCounts {
    fn of(status: Status) -> Self {
        let one = Self { tests: 1, ..Self::default() };
        match status {
            Status::Pass => one,
            Status::Fail | Status::Partial => Self { failures: 1, ..one },
            Status::Inconclusive => Self { errors: 1, ..one },
            Status::Skipped => Self { skipped: 1, ..one },
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            tests: self.tests + other.tests,
            failures: self.failures + other.failures,
            errors: self.errors + other.errors,
            skipped: self.skipped + other.skipped,
        }
    }

    fn attributes(self) -> String {
        let Self { tests, failures, errors, skipped } = self;
        format!(
            "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\""
        )
    }
}
