//! HTML: a run as one page.
//!
//! One page without scripts and without anything from elsewhere. The templates escape every value,
//! and the page's own policy forbids whatever might slip through.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use super::fleet::{COLUMNS, Cell};
use super::metrics::metric_rows;
use super::view::{
    CaseView, ProbeView, STATUSES, TargetView, interval, passes_of_trials, server, settings, symbol,
};
use super::{Changes, EvidenceLinks, Report, changes, for_terminal, plural};
use crate::ir::Digest;
use crate::profile::{Profile, Status};
use crate::store::{Completion, Manifest, Percentiles, TargetCost};

static STYLE: &str = include_str!("page.css");

/// How much of an address is shown.
const SHOWN_DIGITS: usize = 10;

pub(super) fn render(report: &Report<'_>) -> String {
    let targets = report.targets();
    let title = title(report, &targets);
    let head = html! {
        @if let Some(run) = report.run { (run_facts(run)) }
        (legend())
    };
    let main = html! {
        @if let Some(changes) = report.gate { (changes::section(changes)) }
        @if report.run.is_some() { (fleet(&targets)) }
        @for (index, target) in targets.iter().enumerate() {
            (details(target, index, report.evidence))
        }
    };
    page(&title, &head, &main)
}

/// Changes alone as a page.
pub(crate) fn changes_html(changes: &Changes<'_>) -> String {
    page("Changes of tool calling", &html! {}, &changes::section(changes))
}

fn page(title: &str, head: &Markup, main: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="referrer" content="no-referrer";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    (head)
                }
                main { (main) }
                footer { "Made by toolprobe " (env!("CARGO_PKG_VERSION")) "." }
            }
        }
    };
    page.into_string() + "\n"
}

/// Nothing but our own style sheet, named by its hash.
fn policy() -> String {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'")
}

fn title(report: &Report<'_>, targets: &[TargetView<'_>]) -> String {
    match (report.run, targets) {
        (None, [target]) => format!("Tool calling of {}", for_terminal(&target.name)),
        _ => format!("Tool calling of {}", plural(targets.len(), "target")),
    }
}

fn run_facts(run: &Manifest) -> Markup {
    let end = match &run.completion {
        Completion::Complete => "complete".to_owned(),
        Completion::Running => "not finished".to_owned(),
        Completion::Incomplete { because } => format!("incomplete: {}", for_terminal(because)),
    };
    let Manifest { seed, trials, totals, .. } = run;
    let trials = plural(*trials, "trial");
    let asked = format!("{}, seed {seed}, {trials}", for_terminal(&run.suite));
    let tokens = totals.prompt_tokens + totals.completion_tokens;
    facts(&[
        ("run", run.run.to_string()),
        ("began", run.started_at.format("%F %T UTC").to_string()),
        ("suite", asked),
        ("cost", format!("{}, {tokens} tokens", plural(totals.requests, "request"))),
        ("end", end),
    ])
}

fn facts(rows: &[(&str, String)]) -> Markup {
    html! {
        dl { @for (name, value) in rows { div { dt { (name) } dd { (for_terminal(value)) } } } }
    }
}

fn legend() -> Markup {
    html! {
        p.legend { @for status in STATUSES { (verdict(status, status.as_str())) " " } }
    }
}

/// A symbol and a word: colour only repeats them.
fn verdict(status: Status, word: &str) -> Markup {
    html! { span.status.(status.as_str()) { (symbol(status)) " " (for_terminal(word)) } }
}

fn fleet(targets: &[TargetView<'_>]) -> Markup {
    html! {
        div.wide {
            table.fleet {
                thead {
                    tr {
                        th scope="col" { "target" }
                        @for column in &COLUMNS {
                            th scope="col" title=(column.about) { (column.head) }
                        }
                    }
                }
                tbody {
                    @for (index, target) in targets.iter().enumerate() {
                        tr {
                            th scope="row" {
                                a href={ "#target-" (index) } { (for_terminal(&target.name)) }
                            }
                            (fleet_cells(target))
                        }
                    }
                }
            }
        }
        ul.columns {
            @for column in &COLUMNS { li { b { (column.head) } " " (column.about) } }
        }
    }
}

fn fleet_cells(target: &TargetView<'_>) -> Markup {
    let Some(profile) = target.profile else {
        return html! {
            td colspan=(COLUMNS.len()) { (verdict(Status::Inconclusive, "no profile")) }
        };
    };
    html! {
        @for column in &COLUMNS {
            td {
                @if let Some(Cell { status, word }) = (column.cell)(profile) {
                    (verdict(status, if word.is_empty() { status.as_str() } else { &word }))
                }
            }
        }
    }
}

fn details(target: &TargetView<'_>, index: usize, links: Option<&EvidenceLinks>) -> Markup {
    html! {
        section id={ "target-" (index) } {
            h2 { (for_terminal(&target.name)) }
            @match target.profile {
                Some(profile) => {
                    (facts(&about(profile, target.cost)))
                    @if let Some(problem) = target.problem { p { (for_terminal(problem)) } }
                    h3 { "Settings for an adapter" }
                    (pairs(&settings(profile)))
                    @if let Some(metrics) = &profile.metrics {
                        h3 { "Over all turns" }
                        (pairs(&metric_rows(metrics)))
                    }
                    h3 { "What was found" }
                    (probes(&target.sections(), links))
                }
                None => {
                    p { "No profile: " (for_terminal(target.problem.unwrap_or("it was not asked"))) }
                }
            }
        }
    }
}

fn pairs(rows: &[(&str, String)]) -> Markup {
    html! {
        table.settings {
            @for (name, value) in rows {
                tr { th scope="row" { (name) } td { (for_terminal(value)) } }
            }
        }
    }
}

fn about(profile: &Profile, cost: Option<TargetCost>) -> Vec<(&'static str, String)> {
    let subject = &profile.subject;
    let mut rows = vec![
        ("provider", subject.provider.clone()),
        ("model", subject.model.clone()),
        ("endpoint", subject.endpoint.clone()),
        ("dialect", profile.dialect.to_string()),
        ("verified", profile.verified_at.format("%F %T UTC").to_string()),
        ("suite", profile.probe_version.clone()),
    ];
    rows.extend(cost.map(|cost| ("requests", cost.requests.to_string())));
    let took = |it: Percentiles| {
        ("time per reply", format!("median {} ms, 95 % within {} ms", it.p50, it.p95))
    };
    rows.extend(cost.and_then(|cost| cost.total_ms).map(took));
    rows.extend(subject.chat_template_hash.iter().map(|hash| ("chat template", hash.clone())));
    rows.extend(server(profile).map(|told| ("server", told)));
    rows
}

fn probes(sections: &[ProbeView<'_>], links: Option<&EvidenceLinks>) -> Markup {
    html! {
        div.wide {
            table.probes {
                thead {
                    tr {
                        @for head in ["probe", "verdict", "passed", "95 % interval", "why"] {
                            th scope="col" { (head) }
                        }
                    }
                }
                tbody { @for section in sections { (probe(section, links)) } }
            }
        }
    }
}

fn probe(section: &ProbeView<'_>, links: Option<&EvidenceLinks>) -> Markup {
    let outcome = section.outcome;
    html! {
        tr {
            th scope="row" { (for_terminal(&outcome.probe)) }
            td { (verdict(outcome.status, outcome.status.as_str())) }
            td.number { (passes_of_trials(outcome.passes, outcome.trials)) }
            td.number { (interval(outcome)) }
            td.why {
                (for_terminal(&section.why()))
                @if let Some(control) = &outcome.control {
                    p.note { "control that passed: " (for_terminal(control)) }
                }
                @for (name, value) in &section.facts {
                    p.note { (name) ": " (for_terminal(value)) }
                }
                @if !section.cases.is_empty() { (cases(&section.cases, links)) }
                (evidence(&outcome.evidence, links))
            }
        }
    }
}

fn cases(cases: &[CaseView<'_>], links: Option<&EvidenceLinks>) -> Markup {
    html! {
        details {
            summary { (cases.len()) @if cases.len() == 1 { " case" } @else { " cases" } }
            table.cases { @for it in cases { (case(it, links)) } }
        }
    }
}

fn case(case: &CaseView<'_>, links: Option<&EvidenceLinks>) -> Markup {
    html! {
        tr {
            th scope="row" { (for_terminal(case.name)) }
            td {
                @match case.judged {
                    Some(judged) => (verdict(judged.status, &case.word)),
                    None => (for_terminal(&case.word)),
                }
            }
            td.number {
                @if let Some(judged) = case.judged { (passes_of_trials(judged.passes, judged.trials)) }
            }
            td.why {
                (for_terminal(case.why))
                @if let Some(judged) = case.judged { (evidence(judged.evidence, links)) }
            }
        }
    }
}

fn evidence(digests: &[Digest], links: Option<&EvidenceLinks>) -> Markup {
    if digests.is_empty() {
        return html! {};
    }
    html! {
        details.evidence {
            summary { "evidence (" (digests.len()) ")" }
            @for digest in digests { (address(digest, links)) " " }
        }
    }
}

fn address(digest: &Digest, links: Option<&EvidenceLinks>) -> Markup {
    let short: String = digest.hex().chars().take(SHOWN_DIGITS).collect();
    html! {
        @match links.and_then(|links| links.to(digest)) {
            Some(file) => a href=(file) title=(digest) { (short) },
            None => code title=(digest) { (short) },
        }
    }
}
