//! Send gate: lets nothing new out once a run is asked to stop, and tells when nothing is under way.

use std::future::pending;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::watch;

use super::call::{HttpCall, SentRequest};
use super::exchange::Exchange;
use super::{Judge, Transport};

/// A gate before the network that all connections of a run share, as clones do.
#[derive(Debug, Clone, Default)]
pub struct SendGate(Arc<watch::Sender<Traffic>>);

#[derive(Debug, Clone, Copy, Default)]
struct Traffic {
    is_closed: bool,
    under_way: usize,
}

impl SendGate {
    /// Lets nothing new out. What would be sent waits until it is dropped.
    pub fn close(&self) {
        self.0.send_modify(|traffic| traffic.is_closed = true);
    }

    /// Ready when nothing is under way.
    pub async fn drained(&self) {
        // The sender lives as long as this gate, so there is no error to meet.
        let _ = self.0.subscribe().wait_for(|traffic| traffic.under_way == 0).await;
    }

    /// A transport behind this gate.
    pub fn before<T: Transport>(&self, inner: T) -> Gated<T> {
        Gated { inner, gate: self.clone() }
    }

    fn enter(&self) -> Option<Passage<'_>> {
        let mut is_open = false;
        self.0.send_if_modified(|traffic| {
            is_open = !traffic.is_closed;
            traffic.under_way += usize::from(is_open);
            false
        });
        is_open.then(|| Passage(self))
    }
}

/// One attempt that is under way.
struct Passage<'a>(&'a SendGate);

impl Drop for Passage<'_> {
    fn drop(&mut self) {
        self.0.0.send_if_modified(|traffic| {
            traffic.under_way -= 1;
            traffic.is_closed && traffic.under_way == 0
        });
    }
}

/// A transport behind a [`SendGate`].
#[derive(Debug)]
pub struct Gated<T> {
    inner: T,
    gate: SendGate,
}

impl<T: Transport> Transport for Gated<T> {
    fn redact(&self, call: &HttpCall) -> SentRequest {
        self.inner.redact(call)
    }

    fn send<'a>(&'a self, call: &'a HttpCall, judge: Judge<'a>) -> BoxFuture<'a, Exchange> {
        async move {
            let Some(_passage) = self.gate.enter() else { return pending().await };
            self.inner.send(call, judge).await
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::Notify;
    use tokio::time::timeout;

    use super::super::by_status;
    use super::super::exchange::{Body, HttpOutcome, Response, Timing};
    use super::*;
    use crate::secret::Scrubber;

    /// Answers when it is told to.
    struct Waiting(Notify);

    impl Transport for &Waiting {
        fn redact(&self, call: &HttpCall) -> SentRequest {
            SentRequest::redacted(call, &Scrubber::default())
        }

        fn send<'a>(&'a self, call: &'a HttpCall, _: Judge<'a>) -> BoxFuture<'a, Exchange> {
            async move {
                self.0.notified().await;
                let body = Body::Whole(String::new());
                let response = Response { status: 200, headers: Vec::new(), body };
                let outcome = HttpOutcome::Answered(response);
                Exchange::single(self.redact(call), outcome, Timing::default())
            }
            .boxed()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_closed_gate_lets_what_is_under_way_end_and_nothing_else_out() {
        let (gate, server) = (SendGate::default(), Waiting(Notify::new()));
        let call = HttpCall::get("http://127.0.0.1:1/".parse().unwrap());
        let transport = gate.before(&server);
        let mut first = transport.send(&call, &by_status);
        assert!(timeout(Duration::from_secs(1), &mut first).await.is_err());
        gate.close();
        let long = Duration::from_secs(60);
        assert!(timeout(long, transport.send(&call, &by_status)).await.is_err());
        assert!(timeout(long, gate.drained()).await.is_err());
        server.0.notify_one();
        assert!(first.await.response().is_ok());
        gate.drained().await;
    }
}
