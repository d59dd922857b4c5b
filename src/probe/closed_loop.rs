//! Is a result consumed, under the id that the endpoint issued?

use futures_util::future::join_all;
use serde_json::Value;

use super::bench::{Bench, Offer, Trial, blocked, wanted};
use super::calls::{Fit, best, no_call};
use super::outcome::settled;
use super::suite::ClosedLoop;
use super::{Probe, Seed, ask_for};
use crate::conversation::{Miss, Turn, excerpt};
use crate::ir::ToolResult;
use crate::profile::{Finding, Loop};
use crate::tools::ArgumentSchema;

/// Prompt tokens that the call and its result added.
pub(super) type Delta = Option<i64>;

/// Asks, answers, and reads what is made of the answer.
pub(super) async fn trials(bench: &Bench, probe: &Probe, ask: &ClosedLoop) -> Vec<Trial<Delta>> {
    join_all(bench.seeds(&probe.id, "").iter().map(|seed| trial(bench, probe, ask, seed))).await
}

/// The result; every negative here has its own first turn as its control.
pub(super) fn settle(probe: &str, trials: Vec<Trial<Delta>>) -> (Loop, Vec<Finding>) {
    let prompt_token_delta = trials.iter().find_map(|trial| trial.facts);
    let unneeded = Finding::Skipped("settled within the trial".to_owned());
    let (outcome, findings) = settled(probe, trials, &unneeded, "its own call");
    (Loop { outcome, prompt_token_delta }, findings)
}

async fn trial(bench: &Bench, probe: &Probe, ask: &ClosedLoop, seed: &Seed) -> Trial<Delta> {
    let wanted = wanted(&ask.call, seed);
    let offer = Offer { probe, names: &[&wanted.tool], among: 0, filler: ask.filler };
    let tools = match offer.tools(seed) {
        Ok(tools) => tools,
        Err(error) => return Trial::skipped(error.to_string(), None),
    };
    let schema = tools.specs().next().and_then(|spec| ArgumentSchema::new(&spec.input_schema).ok());
    let words = format!("{}\n\n{}", ask_for(std::slice::from_ref(&wanted)), ask.then);
    let mut conversation = bench.conversation(&tools, &words);
    let called = conversation.turn().await;
    let fit = best(&called.reading, &wanted, schema.as_ref()).map(|(_, fit)| fit);
    let is_exact = fit == Some(Fit::Exact);
    let first = blocked(&called.answer, "no call to answer").unwrap_or_else(|| match fit {
        Some(Fit::Exact | Fit::Valid) => Finding::pass("a call to answer"),
        Some(Fit::Invalid(problem)) => {
            Finding::Skipped(format!("no valid call to answer: {problem}"))
        }
        Some(Fit::OtherTool(name)) => {
            Finding::Skipped(format!("no call to answer but one of '{name}'"))
        }
        None => Finding::Skipped(format!("no call to answer: {}", no_call(&called.reading))),
    });
    if !matches!(first, Finding::Pass(_)) {
        return Trial::of(&conversation, first, None);
    }
    let results = conversation.run_tools(&called).await;
    let answered = conversation.turn().await;
    let finding = judge(&answered, &results, &first);
    let facts = delta(&called, &answered);
    Trial::of(&conversation, finding, facts).exactly(is_exact)
}

fn judge(answered: &Turn, results: &[ToolResult], called: &Finding) -> Finding {
    let fail = |reason: String| Finding::fail_against(reason, called, "the call itself");
    let reply = match (answered.answer.miss(), answered.reply()) {
        (Some(Miss::Open(words)), _) => return Finding::Inconclusive(words),
        (Some(Miss::Clear(words)), _) => {
            return fail(format!("the result is not answered: {words}"));
        }
        (None, None) => return Finding::Skipped("no answer".to_owned()),
        (None, Some(reply)) => reply,
    };
    let text = format!("{} {}", answered.reading.text, reply.text());
    let receipts: Vec<&str> = results.iter().filter_map(receipt).collect();
    if receipts.iter().any(|receipt| holds(&text, receipt)) {
        return Finding::pass("the answer holds what only the result could tell");
    }
    fail(without_the_result(answered, &receipts, &reply.reasoning_text()))
}

/// In words, what came in place of an answer from the result.
fn without_the_result(answered: &Turn, receipts: &[&str], reasoning: &str) -> String {
    let text = answered.reading.text.trim();
    if answered.reading.attempted() {
        "called again instead of answering".to_owned()
    } else if receipts.iter().any(|receipt| holds(reasoning, receipt)) {
        "read the result but left the answer in its reasoning".to_owned()
    } else if text.is_empty() {
        "an empty answer".to_owned()
    } else if invents(text, receipts) {
        format!("invented a value: {:?}", excerpt(text, 80))
    } else {
        format!("answered without the result: {:?}", excerpt(text, 80))
    }
}

/// Whether a text holds something that looks like a receipt and is none.
fn invents(text: &str, receipts: &[&str]) -> bool {
    let lengths: Vec<usize> = receipts.iter().map(|receipt| receipt.len()).collect();
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        lengths.contains(&word.len())
            && word.chars().any(|c| c.is_ascii_digit())
            && word.chars().any(|c| c.is_ascii_alphabetic())
    })
}

/// Whether a text holds a receipt, however it is dressed up or spelt out. A receipt is too long to
/// come about by leaving out what stands between other words.
pub(super) fn holds(text: &str, receipt: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let receipt = letters(receipt);
    !receipt.is_empty() && letters(text).contains(&receipt)
}

/// What only a result can tell.
pub(super) fn receipt(result: &ToolResult) -> Option<&str> {
    result.content.get("receipt").and_then(Value::as_str)
}

fn delta(called: &Turn, answered: &Turn) -> Delta {
    let input = |said: &Turn| i64::try_from(said.reply()?.usage.input?).ok();
    Some(input(answered)? - input(called)?)
}
