//! Controls: does an endpoint answer when nothing is under test?
//!
//! A refusal is a finding only where the control is answered after it. An account that runs dry in the
//! middle of a suite refuses everything, and so does a service that goes down.

use super::bench::Bench;
use super::kind::Asking;
use super::offer::Offer;
use super::trial::Trial;
use super::{Probe, Seed, Wanted, ask_for};
use crate::conversation::{Answer, CUT_BY_LIMIT, Miss};
use crate::ir::{Digest, Message, Request};
use crate::profile::Finding;
use crate::tools::RegistryError;

/// The tool that the control offers.
const TOOL: &str = "probe_echo";

/// The label of the control's values among those of a trial.
const CONTROL: &str = "control";

/// Whether the endpoint speaks at all when no tools are in the way: the control of "no calls", and
/// the exchange that shows it.
pub(super) async fn speaks(bench: &Bench, probe: &Probe) -> (Finding, Digest) {
    let request = Request {
        messages: vec![Message::user("Reply with the one word: ready")],
        stream: bench.streams(),
        max_tokens: Some(bench.max_tokens(probe)),
        ..Request::default()
    };
    let turn = bench.client.ask(&request).await;
    (judge(&turn.answer, "not even without tools"), turn.evidence)
}

/// Leaves a trial open that rests on a reply that was cut, or on a refusal after which the control is
/// not answered.
pub(super) async fn confirm<F: Default>(
    asking: Asking<'_>,
    trial: Trial<F>,
    seed: &Seed,
) -> Trial<F> {
    if trial.was_cut && !trial.is_pass() {
        return trial.leave_open(CUT_BY_LIMIT);
    }
    if !trial.was_refused {
        return trial;
    }
    let mut trial = trial;
    // A streamed twin is compared with plain trials.
    let bench = Bench { is_twin: false, ..asking.bench.clone() };
    let control = if asking.probe.climbs() {
        let (finding, evidence) = speaks(&bench, asking.probe).await;
        trial.evidence.push(evidence);
        finding
    } else {
        match still_takes_tools(&bench, asking, seed).await {
            Ok((finding, evidence)) => {
                trial.evidence.extend(evidence);
                finding
            }
            Err(error) => Finding::Inconclusive(error.to_string()),
        }
    };
    match control {
        Finding::Pass(_) => trial,
        other => trial.leave_open(other.words()),
    }
}

/// Whether a request for a single call is still taken; what comes of it does not matter.
async fn still_takes_tools(
    bench: &Bench,
    asking: Asking<'_>,
    seed: &Seed,
) -> Result<(Finding, Vec<Digest>), RegistryError> {
    let seed = seed.child(CONTROL);
    let tools = Offer::new(asking.probe, [TOOL]).tools(&seed)?;
    let arguments = serde_json::json!({"message": seed.word(), "tag": "alpha"});
    let words = ask_for(&[Wanted { tool: TOOL.to_owned(), arguments }]);
    let asking = Asking { bench, ..asking };
    let mut conversation = asking.conversation(&tools, &words);
    let answer = conversation.turn().await.answer;
    Ok((judge(&answer, "the control is refused as well"), conversation.evidence().to_vec()))
}

fn judge(answer: &Answer, what: &str) -> Finding {
    match answer.miss() {
        None => Finding::pass("a reply"),
        Some(Miss::Open(words)) => Finding::Inconclusive(words),
        Some(Miss::Clear(words)) => Finding::Inconclusive(format!("{what}: {words}")),
    }
}
