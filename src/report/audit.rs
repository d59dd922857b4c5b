//! A field audit for people: on a terminal, as Markdown, or as a part of a page.
//!
//! What is lost in silence stands first; a refusal that says why is honest, and stands apart.

use maud::{Markup, html};

use super::escape::for_markdown;
use super::{for_terminal, plural};
use crate::audit::{AuditReport, FateKind, FieldRow, ModelAudit};

/// The fates in the order in which they are told, each under its heading.
const SECTIONS: [(&str, &[FateKind]); 4] = [
    ("lost in silence", &[FateKind::Dropped, FateKind::Changed]),
    ("refused", &[FateKind::Refused]),
    ("added", &[FateKind::Added]),
    ("translated", &[FateKind::Translated]),
];

/// What a row is shown as.
fn fate(row: &FieldRow) -> &'static str {
    match row.fate {
        FateKind::Dropped => "dropped",
        FateKind::Changed => "changed",
        FateKind::Refused => "refused",
        FateKind::Added => "added",
        FateKind::Translated => "translated",
        FateKind::Kept => "kept",
    }
}

fn sections(audit: &ModelAudit, all: bool) -> impl Iterator<Item = (&'static str, Vec<&FieldRow>)> {
    let shown = SECTIONS.into_iter().filter(move |(name, _)| all || *name != "translated");
    shown.filter_map(|(name, fates)| {
        let rows: Vec<&FieldRow> =
            audit.rows.iter().filter(|row| fates.contains(&row.fate)).collect();
        (!rows.is_empty()).then_some((name, rows))
    })
}

/// In one line, how many fields came to what.
fn summary(audit: &ModelAudit) -> String {
    let count = |fate: FateKind| audit.rows.iter().filter(|row| row.fate == fate).count();
    let counts = [
        (audit.kept, "kept"),
        (count(FateKind::Translated), "translated"),
        (count(FateKind::Changed), "changed"),
        (count(FateKind::Dropped), "dropped"),
        (count(FateKind::Refused), "refused"),
        (count(FateKind::Added), "added"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, word)| format!("{count} {word}")).collect();
    let upstream = audit.upstream.map_or_else(|| "nothing".to_owned(), |it| it.to_string());
    format!(
        "{} ({} to {upstream}): {}: {}",
        for_terminal(&audit.model),
        audit.dialect,
        plural(audit.fields, "field"),
        counts.join(", ")
    )
}

/// What a reader wants to know beside the fate.
fn detail(row: &FieldRow) -> String {
    let equivalent = match (row.fate, row.has_equivalent) {
        (FateKind::Dropped, Some(false)) => "the upstream's protocol has nothing like it; ",
        _ => "",
    };
    match row.because.as_str() {
        "" => format!("{equivalent}{}", row.lost),
        because if row.lost.is_empty() => because.to_owned(),
        because => format!("{because}; {}", row.lost),
    }
}

/// The audit on a terminal.
pub(crate) fn audit_table(report: &AuditReport, all: bool) -> String {
    let mut lines = Vec::new();
    for audit in &report.models {
        lines.push(summary(audit));
        for (name, rows) in sections(audit, all) {
            lines.push(format!("  {name}:"));
            lines.extend(rows.iter().map(|row| {
                let (field, detail) = (for_terminal(&row.field), for_terminal(&detail(row)));
                format!("    {}: {}: {field}: {detail}", row.level, fate(row))
            }));
        }
    }
    lines.join("\n") + "\n"
}

/// The audit as Markdown.
pub(crate) fn audit_markdown(report: &AuditReport, all: bool) -> String {
    let mut lines = vec![format!("# Fields through {}", for_markdown(&report.adapter))];
    for audit in &report.models {
        lines.push(format!("\n{}\n", for_markdown(&summary(audit))));
        let rows: Vec<&FieldRow> = sections(audit, all).flat_map(|(_, rows)| rows).collect();
        if rows.is_empty() {
            continue;
        }
        lines.push("| field | fate | policy | what of it |\n|---|---|---|---|".to_owned());
        lines.extend(rows.iter().map(|row| {
            let (field, detail) = (for_markdown(&row.field), for_markdown(&detail(row)));
            format!("| {field} | {} | {} | {detail} |", fate(row), row.level)
        }));
    }
    lines.join("\n") + "\n"
}

/// The audit as a part of a page.
pub(super) fn audit_section(report: &AuditReport) -> Markup {
    html! {
        section #fields {
            h2 { "Fields of requests" }
            @for audit in &report.models {
                h3 { (summary(audit)) }
                @for (name, rows) in sections(audit, false) {
                    h4 { (name) }
                    ul {
                        @for row in rows {
                            li {
                                (row.level) ": " (fate(row)) ": " code { (for_terminal(&row.field)) }
                                ": " (for_terminal(&detail(row)))
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::audit::Concern;
    use crate::dialect::DialectId;

    fn row(field: &str, fate: FateKind, because: &str) -> FieldRow {
        FieldRow {
            field: field.to_owned(),
            concerns: Some(Concern::Tools),
            fate,
            because: because.to_owned(),
            has_equivalent: Some(false),
            lost: "it is lost".to_owned(),
            source: "a page".to_owned(),
            level: "warn".to_owned(),
            sent: Value::Null,
            arrived: Value::Null,
        }
    }

    fn report() -> AuditReport {
        let rows = vec![
            row("stop", FateKind::Refused, "HTTP 400: no \u{1b}[1mstop | here"),
            row("strict", FateKind::Dropped, ""),
            row("top_k", FateKind::Translated, "elsewhere"),
        ];
        let (dialect, upstream) = (DialectId::OpenAiChat, Some(DialectId::Gemini));
        let model =
            ModelAudit { model: "m".to_owned(), dialect, upstream, fields: 4, kept: 1, rows };
        AuditReport { audit_version: 1, adapter: "http://a".to_owned(), models: vec![model] }
    }

    #[test]
    fn what_is_lost_in_silence_stands_before_what_is_refused() {
        let shown = audit_table(&report(), false);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(
            lines[0],
            "m (openai-chat to gemini): 4 fields: 1 kept, 1 translated, 1 dropped, 1 refused"
        );
        assert_eq!(lines[1], "  lost in silence:");
        let dropped =
            "    warn: dropped: strict: the upstream's protocol has nothing like it; it is lost";
        assert_eq!(lines[2], dropped);
        assert_eq!(lines[3], "  refused:");
        assert!(!shown.contains('\u{1b}') && !shown.contains("top_k"), "{shown}");
        assert!(audit_table(&report(), true).contains("translated: top_k"));
    }

    #[test]
    fn a_page_shows_the_fields_and_no_markup_of_the_gateways() {
        let mut report = report();
        report.models[0].rows[0].because = "HTTP 400: <script>".to_owned();
        let shown = audit_section(&report).into_string();
        assert!(shown.contains("strict") && shown.contains("&lt;script&gt;"), "{shown}");
        assert!(!shown.contains("top_k"), "{shown}");
    }

    #[test]
    fn no_cell_of_the_markdown_ends_early() {
        let shown = audit_markdown(&report(), true);
        for line in shown.lines().filter(|line| line.starts_with('|')) {
            assert_eq!(line.matches('|').count(), 5, "{line}");
        }
    }
}
