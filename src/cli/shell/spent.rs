//! The cost of a run, in one line for people.

use std::time::Duration;

use crate::report::plural;
use crate::store::Totals;

/// Requests, tokens and time, in one line.
pub(crate) fn describe_spent(totals: Totals) -> String {
    let Totals { requests, prompt_tokens, completion_tokens, wall_ms } = totals;
    let seconds = Duration::from_millis(wall_ms).as_secs_f64();
    let requests = plural(requests, "request");
    format!("{requests}, {prompt_tokens} tokens in, {completion_tokens} out, {seconds:.1} s")
}
