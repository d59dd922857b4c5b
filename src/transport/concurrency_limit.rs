//! Concurrency limit: how many requests may be under way over all endpoints of a run.

use std::num::NonZeroUsize;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::Semaphore;

use super::call::{HttpCall, SentRequest};
use super::exchange::Exchange;
use super::{Judge, Transport};

/// A number of concurrent requests that all endpoints of a run share, as clones do.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConcurrencyLimit(Option<Arc<Semaphore>>);

impl ConcurrencyLimit {
    /// At most so many requests at the same time; `None` means unlimited.
    pub(crate) fn of(places: Option<NonZeroUsize>) -> Self {
        Self(places.map(|places| Arc::new(Semaphore::new(places.get()))))
    }

    /// A transport that waits for a place for each exchange.
    pub(crate) fn around<T: Transport>(&self, inner: T) -> ConcurrencyLimited<T> {
        ConcurrencyLimited { inner, places: self.0.clone() }
    }
}

/// A transport under a `ConcurrencyLimit`.
#[derive(Debug)]
pub(crate) struct ConcurrencyLimited<T> {
    inner: T,
    places: Option<Arc<Semaphore>>,
}

impl<T: Transport> Transport for ConcurrencyLimited<T> {
    fn redact(&self, call: &HttpCall) -> SentRequest {
        self.inner.redact(call)
    }

    fn send<'a>(&'a self, call: &'a HttpCall, judge: Judge<'a>) -> BoxFuture<'a, Exchange> {
        async move {
            let _place = match &self.places {
                // Never closed, so there is no error to meet.
                Some(places) => places.acquire().await.ok(),
                None => None,
            };
            self.inner.send(call, judge).await
        }
        .boxed()
    }
}
