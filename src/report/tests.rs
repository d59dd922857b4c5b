//! Does every format show the same two reports, and none of them anything hostile?

use super::testing::{HOSTILE, both, odd, run};
use super::{EvidenceLinks, Paint, Report, ReportFormat, TerminalStyle};
use crate::profile::Profile;
use crate::store::{RunFolder, keep_exchange};

/// Checks both reports against their snapshots, which carry the format's ending.
fn check(format: ReportFormat, ending: &str) {
    for (name, shown) in both(format) {
        insta::assert_snapshot!(format!("{name}.{ending}"), shown);
    }
}

#[test]
fn tables_are_as_approved() {
    check(ReportFormat::Table, "txt");
}

#[test]
fn markdown_is_as_approved() {
    check(ReportFormat::Markdown, "md");
}

#[test]
fn spreadsheets_are_as_approved() {
    check(ReportFormat::Csv, "csv");
}

#[test]
fn junit_files_are_as_approved() {
    check(ReportFormat::Junit, "xml");
}

#[test]
fn pages_are_as_approved() {
    check(ReportFormat::Html, "html");
}

#[test]
fn json_is_as_approved() {
    check(ReportFormat::Json, "json");
}

#[test]
fn json_of_one_target_is_the_profile_and_nothing_else() {
    let [(_, text), _] = both(ReportFormat::Json);
    assert_eq!(serde_json::from_str::<Profile>(&text).unwrap(), odd());
}

#[test]
fn a_table_fits_eighty_columns_and_any_other_width() {
    let (manifest, profiles) = run();
    for width in [60, 80, 120] {
        let style = TerminalStyle { width, ..TerminalStyle::PLAIN };
        for report in [Report::of_profile(&odd()), Report::of_run(&manifest, &profiles)] {
            let shown = ReportFormat::Table.render(&report, style).unwrap();
            let longest = shown.lines().skip(1).map(|line| line.chars().count()).max();
            assert!(longest <= Some(width.into()), "{width}:\n{shown}");
        }
    }
}

#[test]
fn colour_is_only_used_where_it_may_be() {
    let profile = odd();
    let shown = |paint| {
        let style = TerminalStyle { paint, ..TerminalStyle::PLAIN };
        ReportFormat::Table.render(&Report::of_profile(&profile), style).unwrap()
    };
    assert!(!shown(Paint::Plain).contains('\u{1b}'));
    let colored = shown(Paint::Colored);
    assert!(colored.contains('\u{1b}'));
    assert!(!colored.contains("\u{1b}[31m\u{202e}"), "only our own sequences are left");
}

#[test]
fn no_format_passes_on_what_a_terminal_or_a_reader_would_obey() {
    for format in ReportFormat::ALL {
        for (name, shown) in both(format) {
            let stray = |c: char| c == '\u{1b}' || c == '\u{202e}';
            // JSON escapes control characters; the marks are data to a program.
            if format != ReportFormat::Json {
                assert!(!shown.contains(stray), "{format:?} {name}");
            }
            assert!(!shown.contains(HOSTILE), "{format:?} {name}");
        }
    }
}

#[test]
fn a_page_has_no_markup_of_others_no_script_and_nothing_from_elsewhere() {
    for (_, page) in both(ReportFormat::Html) {
        for foreign in ["<script", "<b>model", "<img", "http-equiv=\"refresh", "src=", "url("] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        assert!(page.contains("default-src 'none'"));
    }
}

#[test]
fn a_page_links_the_evidence_that_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(dir.path(), chrono::DateTime::UNIX_EPOCH).unwrap();
    let (manifest, mut profiles) = run();
    let kept = keep_exchange(&folder, "acme");
    profiles[0].results.single_tool.as_mut().unwrap().outcome.evidence[2] = kept;
    let links = EvidenceLinks::from_page(&folder, None).unwrap();
    let report = Report::of_run(&manifest, &profiles).with_evidence(&links);
    let page = ReportFormat::Html.render(&report, TerminalStyle::PLAIN).unwrap();
    assert_eq!(page.matches("<a href=\"evidence/acme.jsonl\"").count(), 1);
}

#[test]
fn junit_counts_what_it_holds() {
    for (_, text) in both(ReportFormat::Junit) {
        let totals = text.lines().find(|line| line.starts_with("<testsuites")).unwrap();
        for (what, element) in
            [("tests", "<testcase "), ("failures", "<failure "), ("errors", "<error ")]
        {
            let count = text.matches(element).count();
            assert!(totals.contains(&format!(" {what}=\"{count}\"")), "{what}: {totals}");
        }
    }
}
