//! The seven metrics, as a table and as CSV.

use std::io;

use comfy_table::{Cell, ContentArrangement, Table};

use super::escape::for_csv;
use super::for_terminal;
use super::grid::{LINES, tighten};
use crate::telemetry::{MetricName, Metrics};

/// One row per metric, one column per subject.
pub(crate) fn metrics_table(subjects: &[(String, Metrics)]) -> String {
    let mut table = Table::new();
    table.load_style(LINES).set_content_arrangement(ContentArrangement::Dynamic);
    table.force_no_tty();
    let names = subjects.iter().map(|(name, _)| for_terminal(name));
    table.set_header(std::iter::once("metric".to_owned()).chain(names));
    for name in MetricName::ALL {
        let cells = subjects.iter().map(|(_, metrics)| Cell::new(metric_text(metrics, name)));
        table.add_row(std::iter::once(Cell::new(name.as_str())).chain(cells));
    }
    tighten(&mut table, 1);
    table.trim_fmt()
}

/// One row per subject, one column per metric; empty for null.
pub(crate) fn metrics_csv(subjects: &[(String, Metrics)]) -> io::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names = MetricName::ALL.map(MetricName::as_str);
    writer.write_record(std::iter::once("target").chain(names))?;
    for (name, metrics) in subjects {
        let cell = |metric| metrics.get(metric).map_or_else(String::new, |it| it.to_string());
        writer.write_record(std::iter::once(for_csv(name)).chain(MetricName::ALL.map(cell)))?;
    }
    let bytes = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// The metrics of one subject, by name.
pub(super) fn metric_rows(metrics: &Metrics) -> Vec<(&'static str, String)> {
    MetricName::ALL.into_iter().map(|name| (name.as_str(), metric_text(metrics, name))).collect()
}

/// A number with what it was made of; a dash where there was nothing to count.
fn metric_text(metrics: &Metrics, name: MetricName) -> String {
    match (metrics.get(name), metrics.fraction(name)) {
        (None, _) => "–".to_owned(),
        (Some(value), None) => value.to_string(),
        (Some(value), Some((part, whole))) => format!("{value} ({part} of {whole})"),
    }
}
