//! Send gate: lets nothing new out once a run is asked to stop, and tells when nothing is under way.

use std::future::pending;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::watch;

use super::call::{HttpCall, SentRequest};
use super::exchange::{Exchange, HttpOutcome, Timing};
use super::{Judge, Transport, TransportError};

/// A gate before the network that all connections of a run share, as clones do.
#[derive(Debug, Clone, Default)]
pub struct SendGate(Arc<watch::Sender<Traffic>>);

#[derive(Debug, Clone, Copy, Default)]
struct Traffic {
    passing: Passing,
    under_way: usize,
}

/// What becomes of a request that is about to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Passing {
    #[default]
    Sent,
    /// It waits until it is dropped.
    Held,
    /// It fails at once.
    Refused,
    /// It fails at once, and so does what is under way.
    Cut,
}

impl Traffic {
    fn is_refusing(&self) -> bool {
        matches!(self.passing, Passing::Refused | Passing::Cut)
    }

    fn is_cut(&self) -> bool {
        self.passing == Passing::Cut
    }
}

impl SendGate {
    /// Lets nothing new out. What would be sent waits until it is dropped.
    pub fn close(&self) {
        self.0.send_modify(|traffic| traffic.passing = Passing::Held);
    }

    /// Lets nothing new out. What would be sent fails before anything is paid for it, so that whoever
    /// sends it comes to an end.
    pub fn refuse(&self) {
        self.0.send_modify(|traffic| traffic.passing = Passing::Refused);
    }

    /// Fails what is under way as well.
    pub fn cut(&self) {
        self.0.send_modify(|traffic| traffic.passing = Passing::Cut);
    }

    /// Whether what would be sent fails.
    pub fn is_refusing(&self) -> bool {
        self.0.borrow().is_refusing()
    }

    /// Gives what is waited for, unless that much has come before.
    async fn unless<T>(
        &self,
        has_come: fn(&Traffic) -> bool,
        waiting: impl Future<Output = T>,
    ) -> Result<T, TransportError> {
        let mut traffic = self.0.subscribe();
        tokio::select! {
            biased;
            // The sender lives as long as this gate, so there is no error to meet.
            _ = traffic.wait_for(has_come) => Err(TransportError::Stopped),
            waited = waiting => Ok(waited),
        }
    }

    /// Waits for a place, or for the moment from which on everything new is refused.
    pub(super) async fn unless_refused<T>(
        &self,
        place: impl Future<Output = T>,
    ) -> Result<T, TransportError> {
        self.unless(Traffic::is_refusing, place).await
    }

    /// Ready when nothing is under way.
    pub async fn wait_until_drained(&self) {
        // The sender lives as long as this gate, so there is no error to meet.
        let _ = self.0.subscribe().wait_for(|traffic| traffic.under_way == 0).await;
    }

    /// A transport behind this gate.
    pub fn before<T: Transport>(&self, inner: T) -> Gated<T> {
        Gated { inner, gate: self.clone() }
    }

    /// A way through, unless what comes is held. What is refused does not come this far.
    fn enter(&self) -> Option<Permit<'_>> {
        let mut is_open = false;
        self.0.send_if_modified(|traffic| {
            is_open = traffic.passing != Passing::Held;
            traffic.under_way += usize::from(is_open);
            false
        });
        is_open.then(|| Permit(self))
    }
}

/// One attempt that is under way.
struct Permit<'a>(&'a SendGate);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.0.send_if_modified(|traffic| {
            traffic.under_way -= 1;
            traffic.passing != Passing::Sent && traffic.under_way == 0
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
            let sent = self.gate.unless(Traffic::is_cut, self.inner.send(call, judge)).await;
            sent.unwrap_or_else(|error| {
                let outcome = HttpOutcome::Failed { error, partial: None };
                Exchange::single(self.redact(call), outcome, Timing::default())
            })
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
    use super::super::exchange::{Body, Response};
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
        assert!(timeout(long, gate.wait_until_drained()).await.is_err());
        server.0.notify_one();
        assert!(first.await.response().is_ok());
        gate.wait_until_drained().await;
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_under_way_goes_on_while_new_requests_are_refused_and_ends_when_it_is_cut() {
        let (gate, server) = (SendGate::default(), Waiting(Notify::new()));
        let call = HttpCall::get("http://127.0.0.1:1/".parse().unwrap());
        let transport = gate.before(&server);
        let mut first = transport.send(&call, &by_status);
        assert!(timeout(Duration::from_secs(1), &mut first).await.is_err());
        gate.refuse();
        assert!(timeout(Duration::from_secs(60), &mut first).await.is_err());
        let place = gate.unless_refused(std::future::ready(())).await;
        assert_eq!(place, Err(TransportError::Stopped));
        gate.cut();
        assert_eq!(first.await.response(), Err(&TransportError::Stopped));
    }
}
