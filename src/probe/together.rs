//! Conversations held at the same time.

use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;

/// Waits for all of them; what they give, in their order. Unlike `join_all`, which polls all of a few
/// futures whenever one is woken, it polls that one alone: the trials of a suite are a tree of joins, and every
/// piece that arrives would otherwise poll all of it.
pub(super) async fn hold_together<F: Future>(all: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    all.into_iter().collect::<FuturesOrdered<_>>().collect().await
}
