//! CSV: results for a spreadsheet.
//!
//! A row per probe and a row per judged case below it; `case` is empty for the probe itself.

use std::{io, iter};

use super::Report;
use super::escape::for_csv;
use super::view::{CaseView, ProbeView, TargetView};
use crate::ir::Digest;

const HEAD: [&str; 17] = [
    "target",
    "provider",
    "model",
    "endpoint",
    "dialect",
    "probe",
    "case",
    "status",
    "verdict",
    "passes",
    "trials",
    "low",
    "high",
    "reason",
    "control",
    "evidence",
    "verified_at",
];

/// The head, and the rows of each target.
pub(super) fn pieces(report: &Report<'_>) -> impl Iterator<Item = io::Result<String>> {
    let head = text_of([HEAD.map(str::to_owned).to_vec()]);
    iter::once(head).chain(report.targets().into_iter().map(|target| text_of(rows(&target))))
}

fn rows(target: &TargetView<'_>) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for section in target.sections() {
        rows.push(probe_row(target, &section));
        rows.extend(section.cases.iter().filter_map(|case| case_row(target, &section, case)));
    }
    rows
}

fn text_of(rows: impl IntoIterator<Item = Vec<String>>) -> io::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row)?;
    }
    let bytes = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

fn probe_row(target: &TargetView<'_>, section: &ProbeView<'_>) -> Vec<String> {
    let outcome = section.outcome;
    let end = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let row = vec![
        outcome.probe.clone(),
        String::new(),
        outcome.status.as_str().to_owned(),
        String::new(),
        outcome.passes.to_string(),
        outcome.trials.to_string(),
        end(outcome.interval.map(|it| it.0)),
        end(outcome.interval.map(|it| it.1)),
        section.why(),
        outcome.control.clone().unwrap_or_default(),
        addresses(&outcome.evidence),
    ];
    whole(target, row)
}

/// A row for a case that counts; what was only observed has none.
fn case_row(
    target: &TargetView<'_>,
    section: &ProbeView<'_>,
    case: &CaseView<'_>,
) -> Option<Vec<String>> {
    let judged = case.judged?;
    let row = vec![
        section.outcome.probe.clone(),
        case.name.to_owned(),
        judged.status.as_str().to_owned(),
        case.word.clone(),
        judged.passes.to_string(),
        judged.trials.to_string(),
        String::new(),
        String::new(),
        case.why.to_owned(),
        String::new(),
        addresses(judged.evidence),
    ];
    Some(whole(target, row))
}

/// The row with what it is about in front and when it was found behind, every cell escaped.
fn whole(target: &TargetView<'_>, row: Vec<String>) -> Vec<String> {
    let subject = target.subject;
    let about = [
        target.name.clone(),
        subject.provider.clone(),
        subject.model.clone(),
        subject.endpoint.clone(),
        target.dialect.map(|dialect| dialect.to_string()).unwrap_or_default(),
    ];
    let when = target.profile.map(|profile| profile.verified_at.to_rfc3339());
    let cells = about.into_iter().chain(row).chain([when.unwrap_or_default()]);
    cells.map(|cell| for_csv(&cell)).collect()
}

fn addresses(evidence: &[Digest]) -> String {
    evidence.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
