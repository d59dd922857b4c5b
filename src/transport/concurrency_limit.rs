//! How many requests may be under way over several endpoints?

use std::num::NonZeroUsize;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::Semaphore;

use super::call::{HttpCall, SentRequest};
use super::exchange::Exchange;
use super::{Judge, Transport};

/// The places that all endpoints of a run share. Clones share them too.
#[derive(Debug, Clone, Default)]
pub struct ConcurrencyLimit(Option<Arc<Semaphore>>);

impl ConcurrencyLimit {
    /// So many requests at the same time; `None` is no limit.
    pub fn of(places: Option<NonZeroUsize>) -> Self {
        Self(places.map(|places| Arc::new(Semaphore::new(places.get()))))
    }

    /// A transport that takes one of these places for each exchange.
    pub fn around<T: Transport>(&self, inner: T) -> ConcurrencyLimited<T> {
        ConcurrencyLimited { inner, places: self.0.clone() }
    }
}

/// A transport that waits for a place among the requests to all endpoints.
#[derive(Debug)]
pub struct ConcurrencyLimited<T> {
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
