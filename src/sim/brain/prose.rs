//! Prose: what a model says when it does not call.
//!
//! Nothing said here looks like a call. No one may rely on the wording.

use super::PlannedCall;
use super::errors::{ErrorReport, text};
use super::view::ModelView;
use crate::sim::draw::Draw;

/// Longer results are quoted in part.
const QUOTED_WHOLE: usize = 4000;

/// An answer from the results, or to a question that needs no tool.
pub(super) fn answer(view: &ModelView) -> String {
    if view.results.is_empty() {
        return small_talk(view);
    }
    let told = view.results.iter().map(|answered| {
        let content = text(&answered.result.content);
        if content.chars().count() <= QUOTED_WHOLE {
            return content;
        }
        wanted_parts(&content, &view.ask)
    });
    format!("Here is what came back: {}", told.collect::<Vec<_>>().join(" and "))
}

/// Of a long result, what the question asks for: each of its words that the result gives a value to.
fn wanted_parts(content: &str, ask: &str) -> String {
    let mut words: Vec<&str> = ask
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.len() >= 4)
        .collect();
    words.dedup();
    let found = words.into_iter().filter_map(|word| {
        let (_, rest) = content.split_once(word)?;
        let (gap, _) = rest.split_at(rest.find(char::is_alphanumeric)?);
        let has_mark = gap.len() <= 6 && gap.contains([':', '=']);
        let value = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let value: String =
            value.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
        has_mark.then(|| format!("{word} {value}"))
    });
    found.collect::<Vec<_>>().join(", ")
}

fn small_talk(view: &ModelView) -> String {
    let words = view.ask.split_whitespace().count();
    format!("I have read your message of {words} words. There is nothing to look up for it.")
}

/// The sentence before a turn's calls.
pub(super) fn before_calls(planned: &[PlannedCall]) -> String {
    format!(
        "One moment, I need {} for that.",
        if planned.len() == 1 { "a tool" } else { "some tools" }
    )
}

/// What a model says that does not call tools.
pub(in crate::sim) fn instead_of_calls(planned: &[PlannedCall]) -> String {
    let names: Vec<&str> = planned.iter().map(|call| call.name.as_str()).collect();
    format!("That is something {} could do for you; I can only describe it.", names.join(" and "))
}

/// What a model says that did not read the result.
pub(super) fn made_up(draw: &Draw) -> String {
    format!("All done. The value is {}.", draw.word("made up", 10))
}

/// What a model says when it does not try again.
pub(super) fn gives_up(report: &ErrorReport) -> String {
    format!(
        "That did not work, because the tool says: {}. Please change it yourself.",
        report.message
    )
}

/// What a model thinks before it speaks.
pub(super) fn thoughts(ask: &str, draw: &Draw) -> String {
    let words = ask.split_whitespace().count();
    format!(
        "The user wrote {words} words. Step {}: decide what to do next.",
        draw.word("thought", 6)
    )
}
