//! Usage: whether an endpoint's own count of tokens can be believed, and what a reply is charged.

use super::Answer;
use super::bounds::bytes_of;
use crate::ir::{Defect, Defects, Reply, Usage};
use crate::transport::{TokenCount, in_tokens};

/// How many times what a request can cost is still believed: limits are not kept to the token, and a
/// gateway may add a prompt of its own.
const BELIEVED_TIMES: u64 = 4;

/// Tokens that are believed beyond that.
const BELIEVED_MORE: u64 = 16 * 1024;

/// Takes counts that cannot be believed out of a reply, notes that as a defect, and gives what the reply
/// is to be charged: the endpoint's count, or an estimate where there is none. `None` for answers
/// without a reply.
pub(crate) fn check_usage(answer: &mut Answer, most: TokenCount) -> Option<TokenCount> {
    match answer {
        Answer::Reply(reply) => Some(charge(reply, most, ReplyEnding::Complete)),
        Answer::CutShort(reply) => Some(charge(reply, most, ReplyEnding::CutShort)),
        // The model has written what the server could not read.
        Answer::OutputRejected(_) => Some(most),
        Answer::Refused(_) | Answer::Nothing(_) => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReplyEnding {
    Complete,
    /// Usage comes last, so a cut stream lacks it without a further defect.
    CutShort,
}

fn charge(reply: &mut Reply, most: TokenCount, ending: ReplyEnding) -> TokenCount {
    let size = bytes_of(&reply.parts);
    let Reply { usage, defects, .. } = reply;
    believe(&mut usage.input, 1, most.prompt, defects);
    believe(&mut usage.output, u64::from(size > 0), most.completion, defects);
    drop_absurd_details(usage);
    let is_missing = usage.input.is_none() || usage.output.is_none();
    if is_missing && ending == ReplyEnding::Complete && !defects.contains(Defect::UsageImplausible)
    {
        defects.record(Defect::UsageMissing);
    }
    TokenCount {
        prompt: usage.input.unwrap_or(most.prompt),
        completion: usage.output.unwrap_or_else(|| in_tokens(size).min(most.completion)),
    }
}

/// Takes a count away that is below the least or far beyond the most that it can be.
fn believe(told: &mut Option<u64>, least: u64, most: u64, defects: &mut Defects) {
    let bound = most.saturating_mul(BELIEVED_TIMES).saturating_add(BELIEVED_MORE);
    if told.is_some_and(|told| told < least || told > bound) {
        defects.record(Defect::UsageImplausible);
        *told = None;
    }
}

/// Limits the parts of a count to the whole.
fn drop_absurd_details(usage: &mut Usage) {
    let Usage { input, output, cached, cache_write, reasoning } = usage;
    let within = |part: &mut Option<u64>, whole: Option<u64>| {
        *part = part.filter(|part| whole.is_some_and(|whole| *part <= whole));
    };
    within(cached, *input);
    within(cache_write, *input);
    within(reasoning, *output);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Part, Stop, StopKind};

    const MOST: TokenCount = TokenCount { prompt: 1_000, completion: 500 };

    fn replied(input: Option<u64>, output: Option<u64>) -> Answer {
        let parts = vec![Part::Text("a text of 24 characters ".to_owned())];
        let mut reply = Reply::new(parts, Stop::unlabelled(StopKind::EndTurn));
        reply.usage = Usage { input, output, ..Usage::default() };
        Answer::Reply(Box::new(reply))
    }

    fn checked(input: Option<u64>, output: Option<u64>) -> (TokenCount, Vec<Defect>) {
        let mut answer = replied(input, output);
        let charged = check_usage(&mut answer, MOST).unwrap();
        (charged, answer.reply().unwrap().defects.iter().collect())
    }

    fn tokens(prompt: u64, completion: u64) -> TokenCount {
        TokenCount { prompt, completion }
    }

    #[test]
    fn a_count_is_charged_as_it_is_told() {
        assert_eq!(checked(Some(90), Some(7)), (tokens(90, 7), vec![]));
        assert_eq!(checked(Some(9_000), Some(600)), (tokens(9_000, 600), vec![]));
    }

    #[test]
    fn a_missing_count_is_charged_by_estimate_and_noted() {
        let missing = vec![Defect::UsageMissing];
        assert_eq!(checked(None, None), (tokens(1_000, 12), missing.clone()));
        assert_eq!(checked(Some(90), None), (tokens(90, 12), missing));
    }

    #[test]
    fn an_absurd_count_is_charged_by_estimate_and_noted_and_goes_no_further() {
        for (input, output) in [(u64::MAX, 7), (0, 7), (90, u64::MAX), (90, 0), (200_000, 1 << 40)]
        {
            let (charged, defects) = checked(Some(input), Some(output));
            assert_eq!(defects, [Defect::UsageImplausible], "{input} {output}");
            assert!(charged.prompt <= 1_000 && charged.completion <= 500, "{charged:?}");
        }
        let mut answer = replied(Some(u64::MAX), Some(u64::MAX));
        check_usage(&mut answer, MOST);
        assert_eq!(answer.reply().unwrap().usage, Usage::default());
    }

    #[test]
    fn only_what_has_made_a_model_work_is_charged() {
        let mut nothing = Answer::Nothing("502".to_owned());
        assert_eq!(check_usage(&mut nothing, MOST), None);
        let Answer::Reply(reply) = replied(None, None) else { return };
        let mut cut = Answer::CutShort(reply);
        assert_eq!(check_usage(&mut cut, MOST), Some(tokens(1_000, 12)));
        let Answer::CutShort(reply) = cut else { return };
        assert!(reply.defects.is_empty());
    }
}
