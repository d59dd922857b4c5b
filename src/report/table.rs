//! The table: verdicts on a terminal.
//!
//! A symbol and a word for each status, so that nothing depends on colour.

use std::collections::BTreeMap;

use comfy_table::{Cell, Color, ContentArrangement, Table, TableStyle};

use super::fleet::{self, COLUMNS};
use super::grid::{LINES, tighten};
use super::metrics::metric_rows;
use super::plan::{claim_rows, plan_rows, rollout_rows};
use super::view::{
    ProbeView, STATUSES, TargetView, interval, passes_of_trials, server, settings, symbol,
};
use super::{Detail, Paint, Report, TerminalStyle, for_terminal};
use crate::profile::{Profile, Status};
use crate::regress::Level;

pub(super) fn render(report: &Report<'_>, style: TerminalStyle) -> String {
    match (report.run, report.profiles) {
        (None, [profile]) => one(profile, report, style),
        _ => many(report, style),
    }
}

/// One row per target, one column per capability.
fn many(report: &Report<'_>, style: TerminalStyle) -> String {
    let mut table = new_table(style);
    table.load_style(LINES);
    table.set_header(["target"].into_iter().chain(COLUMNS.iter().map(|column| column.head)));
    let mut targets = report.targets();
    targets.sort_by_key(|target| (!is_denied(target, report), health(target)));
    for target in targets {
        table.add_row(fleet_row(&target));
    }
    tighten(&mut table, 0);
    let about = COLUMNS.iter().map(|column| format!("{}: {}", column.head, column.about));
    let about = wrap_paragraph(&about.collect::<Vec<_>>().join("; "), style);
    format!("{}\n\n{}\n{about}\n", table.trim_fmt(), legend())
}

fn is_denied(target: &TargetView<'_>, report: &Report<'_>) -> bool {
    let mut entries = report.gate.iter().flat_map(|changes| &changes.entries);
    entries.any(|it| it.level() == Level::Deny && target.is_subject_of(it.change))
}

/// What needs a look first: what has no verdict, then what fails, then what passes in part.
fn health(target: &TargetView<'_>) -> u8 {
    let has = |profile: &Profile, status| profile.results.outcomes().any(|it| it.status == status);
    match target.profile {
        None => 0,
        Some(profile) if !profile.results.has_verdict() => 0,
        Some(profile) if has(profile, Status::Fail) => 1,
        Some(profile) if has(profile, Status::Inconclusive) => 2,
        Some(profile) if has(profile, Status::Partial) => 3,
        Some(_) => 4,
    }
}

fn fleet_row(target: &TargetView<'_>) -> Vec<Cell> {
    let name = Cell::new(for_terminal(&target.name));
    let nothing = |word: &str| vec![name.clone(), Cell::new(word).fg(color(Status::Inconclusive))];
    let Some(profile) = target.profile else { return nothing("? no profile") };
    if !profile.results.has_verdict() {
        return nothing("? no verdict");
    }
    let cells = COLUMNS.iter().map(|column| (column.cell)(profile));
    std::iter::once(name).chain(cells.map(fleet_cell)).collect()
}

fn fleet_cell(cell: Option<fleet::Cell>) -> Cell {
    let Some(fleet::Cell { status, word }) = cell else { return Cell::new("") };
    Cell::new(format!("{} {word}", symbol(status)).trim_end()).fg(color(status))
}

/// One row per probe of one endpoint, with the reason, and the settings that follow.
fn one(profile: &Profile, report: &Report<'_>, style: TerminalStyle) -> String {
    if !profile.results.has_verdict() {
        return format!("{}\n? no verdict\n", heading(profile));
    }
    let targets = report.targets();
    let sections: Vec<ProbeView<'_>> = targets.iter().flat_map(TargetView::sections).collect();
    match style.detail {
        Detail::Brief => brief(profile, &sections, style),
        Detail::Full => full(profile, &sections, style),
    }
}

/// What fits on a screen of 24 lines: a line for each probe, correction and false claim, and one for the tier.
fn brief(profile: &Profile, sections: &[ProbeView<'_>], style: TerminalStyle) -> String {
    let plan = plan_rows(&profile.corrections);
    let plan = plan.iter().map(|(kind, summary)| format!("{kind}: {summary}"));
    let plan = if plan.len() == 0 { vec!["nothing to correct".to_owned()] } else { plan.collect() };
    let tier = profile.rollout.iter().map(|rollout| {
        let rows = rollout_rows(rollout).into_iter();
        rows.map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
    });
    let tier = tier.map(|words| words.trim_start_matches("tier ").to_owned());
    let settings = settings(profile).into_iter().map(|(name, value)| format!("{name} {value}"));
    let claims = claim_rows(&profile.false_claims);
    let claims = claims.iter().map(|(claim, words)| format!("{claim}: {words}"));
    let room = usize::from(style.width).saturating_sub(BRIEF_NAMES).max(20);
    let named = |name: &'static str, lines: Vec<String>| {
        let names = std::iter::once(name).chain(std::iter::repeat(""));
        let lines = lines.iter().map(|words| cut(for_terminal(words), room));
        names.zip(lines).collect::<Vec<_>>()
    };
    let rows = [
        named("plan", plan),
        named("tier", tier.collect()),
        vec![("settings", settings.collect::<Vec<_>>().join(", "))],
        named("but it says", claims.collect()),
    ];
    let rows = pairs(rows.concat().into_iter(), style);
    format!("{}\n{}\n\n{rows}\n", heading(profile), probes(sections, style))
}

/// How wide the names of a brief page are at most, with what is around them.
const BRIEF_NAMES: usize = 16;

/// All that is known.
fn full(profile: &Profile, sections: &[ProbeView<'_>], style: TerminalStyle) -> String {
    let mut text = format!("{}\n\n{}\n\n{}\n", heading(profile), probes(sections, style), legend());
    text.push_str("\nPlan for an adapter\n");
    text.push_str(&match plan_rows(&profile.corrections).as_slice() {
        [] => "  nothing to correct".to_owned(),
        rows => pairs(rows.iter().cloned(), style),
    });
    if let Some(rollout) = &profile.rollout {
        text.push_str("\n\nRollout\n");
        text.push_str(&pairs(rollout_rows(rollout).into_iter(), style));
    }
    text.push_str("\n\nSettings for an adapter\n");
    text.push_str(&pairs(settings(profile).into_iter(), style));
    if !profile.false_claims.is_empty() {
        text.push_str("\n\nThe server says otherwise\n");
        text.push_str(&pairs(claim_rows(&profile.false_claims).into_iter(), style));
    }
    text + &details(profile, sections, style) + "\n"
}

/// What does not fit on one screen.
fn details(profile: &Profile, sections: &[ProbeView<'_>], style: TerminalStyle) -> String {
    let mut text = String::new();
    if let Some(metrics) = &profile.metrics {
        text.push_str("\n\nOver all turns\n");
        text.push_str(&pairs(metric_rows(metrics).into_iter(), style));
    }
    let seen: Vec<(&str, String)> = sections.iter().flat_map(seen).collect();
    if !seen.is_empty() {
        text.push_str("\n\nAlso seen\n");
        text.push_str(&pairs(seen.into_iter(), style));
    }
    text
}

fn heading(profile: &Profile) -> String {
    let subject = &profile.subject;
    let shown = [&subject.model, &subject.provider, &subject.endpoint].map(|it| for_terminal(it));
    let [model, provider, endpoint] = shown;
    let told = server(profile).map(|told| format!("\nserver: {}", for_terminal(&told)));
    let told = told.unwrap_or_default();
    format!("{model} at {endpoint} ({provider}, {}){told}", profile.dialect)
}

fn probes(sections: &[ProbeView<'_>], style: TerminalStyle) -> String {
    let mut table = new_table(style);
    table.load_style(LINES);
    table.set_header(["probe", "verdict", "passed", "interval", "why"]);
    let room = room(sections, style);
    for section in sections {
        let outcome = section.outcome;
        let verdict = format!("{} {}", symbol(outcome.status), outcome.status.as_str());
        table.add_row([
            Cell::new(for_terminal(&outcome.probe)),
            Cell::new(verdict).fg(color(outcome.status)),
            Cell::new(passes_of_trials(outcome.passes, outcome.trials)),
            Cell::new(interval(outcome)),
            Cell::new(cut(for_terminal(&section.why()), room)),
        ]);
    }
    tighten(&mut table, 1);
    table.trim_fmt()
}

/// The columns between the words of a verdict and the two before: counts, intervals and the gaps.
const OTHER_COLUMNS: usize = 22;

/// How many characters the words of a verdict may have: one line, where all has to fit on a screen.
fn room(sections: &[ProbeView<'_>], style: TerminalStyle) -> usize {
    if style.detail == Detail::Full {
        return usize::MAX;
    }
    let probe = sections.iter().map(|it| it.outcome.probe.chars().count()).max();
    let verdicts = sections.iter().map(|it| it.outcome.status.as_str().len() + 2);
    let verdict = verdicts.fold("verdict".len(), usize::max);
    let taken = probe.unwrap_or_default() + verdict + OTHER_COLUMNS;
    usize::from(style.width).saturating_sub(taken).max(20)
}

/// The words, cut to this many characters.
fn cut(words: String, room: usize) -> String {
    if words.chars().count() <= room {
        return words;
    }
    let kept: String = words.chars().take(room.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// What a probe saw beside its verdict: facts, and which variants went which way.
fn seen<'a>(section: &ProbeView<'a>) -> Vec<(&'a str, String)> {
    let probe = section.outcome.probe.as_str();
    let facts = section.facts.iter().map(|(name, value)| format!("{name}: {value}"));
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for case in section.cases.iter().filter(|case| case.judged.is_none()) {
        groups.entry(&case.word).or_default().push(case.name);
    }
    let groups = groups
        .into_iter()
        .filter(|(word, _)| !word.is_empty())
        .map(|(word, names)| format!("{word}: {}", names.join(", ")));
    facts.chain(groups).map(|line| (probe, line)).collect()
}

fn legend() -> String {
    STATUSES.map(|status| format!("{} {}", symbol(status), status.as_str())).join("   ")
}

/// A paragraph.
fn wrap_paragraph(text: &str, style: TerminalStyle) -> String {
    let mut table = new_table(style);
    table.load_style(TableStyle::new());
    table.add_row([text]);
    tighten(&mut table, 0);
    table.trim_fmt()
}

/// Names and values in two columns.
pub(crate) fn pairs<'a>(
    rows: impl Iterator<Item = (&'a str, String)>,
    style: TerminalStyle,
) -> String {
    let mut table = new_table(style);
    table.load_style(TableStyle::new());
    for (name, value) in rows {
        table.add_row([format!("  {}", for_terminal(name)), for_terminal(&value)]);
    }
    tighten(&mut table, 2);
    table.trim_fmt()
}

fn new_table(style: TerminalStyle) -> Table {
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(style.width);
    match style.paint {
        Paint::Colored => table.enforce_styling(),
        Paint::Plain => table.force_no_tty(),
    };
    table
}

fn color(status: Status) -> Color {
    match status {
        Status::Pass => Color::Green,
        Status::Partial => Color::Yellow,
        Status::Fail => Color::Red,
        Status::Inconclusive => Color::Magenta,
        Status::Skipped => Color::DarkGrey,
    }
}
