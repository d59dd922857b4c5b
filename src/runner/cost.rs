//! What did asking a target cost, and how fast was it?

use std::time::Duration;

use crate::profile::store::{Cost, Percentiles};
use crate::transport::{Budget, Exchange, Response};

/// The cost of these exchanges. Requests and tokens are the account's: it also counts what was asked
/// in vain.
pub(super) fn cost(exchanges: &[Exchange], account: &Budget, wall: Duration) -> Cost {
    let answered = || exchanges.iter().filter(|it| it.response().is_ok_and(Response::is_success));
    let tokens = account.tokens();
    Cost {
        requests: account.spent(),
        prompt_tokens: tokens.prompt,
        completion_tokens: tokens.completion,
        wall_ms: u64::try_from(wall.as_millis()).unwrap_or(u64::MAX),
        first_byte_ms: Percentiles::of(
            answered().filter_map(|it| it.timing.first_byte_ms).collect(),
        ),
        total_ms: Percentiles::of(answered().map(|it| it.timing.total_ms).collect()),
    }
}
