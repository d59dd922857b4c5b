//! Connections that are closed though they were announced as kept alive.
//!
//! The HTTP library closes a connection only after it has announced that. Real servers were seen to
//! close without notice after a stream. A [`ClosingStream`] can do that: once it is told to close, it
//! reads as if the client had left. So do connections whose request takes too long to arrive, and the
//! oldest ones that wait for a request where there are too many.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use futures_util::task::AtomicWaker;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep, sleep};

/// Accepts connections that can be closed without notice.
pub(super) struct ClosingListener {
    listener: TcpListener,
    most: usize,
    request_time: Duration,
    /// The connections that are open, oldest first.
    open: VecDeque<Weak<CloseState>>,
}

impl ClosingListener {
    /// Keeps so many connections open at most, and waits so long for a request.
    pub(super) fn new(listener: TcpListener, most: usize, request_time: Duration) -> Self {
        Self { listener, most, request_time, open: VecDeque::new() }
    }

    /// Makes room for one more, by closing the oldest connection that only waits for a request.
    /// Gives whether there is room.
    fn make_room(&mut self) -> bool {
        self.open.retain(|it| it.strong_count() > 0);
        if self.open.len() < self.most {
            return true;
        }
        let is_idle = |it: &Weak<CloseState>| it.upgrade().is_some_and(|it| !it.is_answering());
        let Some(oldest) = self.open.iter().position(is_idle) else { return false };
        if let Some(state) = self.open.remove(oldest).and_then(|it| it.upgrade()) {
            state.close();
        }
        true
    }
}

impl Listener for ClosingListener {
    type Io = ClosingStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (ClosingStream, SocketAddr) {
        loop {
            let (stream, from) = Listener::accept(&mut self.listener).await;
            if !self.make_room() {
                // Everybody else is being answered; dropping it closes it.
                continue;
            }
            // Frames are sent when they are written; a socket that refuses this is only slower.
            let _ = stream.set_nodelay(true);
            let close = CloseHandle::default();
            self.open.push_back(Arc::downgrade(&close.0));
            let (wait, timer) = (self.request_time, Box::pin(sleep(self.request_time)));
            return (ClosingStream { stream, close, wait, timer }, from);
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Tells the connection of a request to close after the response.
#[derive(Debug, Clone, Default)]
pub(super) struct CloseHandle(Arc<CloseState>);

#[derive(Debug, Default)]
struct CloseState {
    down: AtomicBool,
    /// Requests that have come whole and are not answered yet.
    answering: AtomicUsize,
    /// The task that waits for the next request on this connection.
    reader: AtomicWaker,
}

impl CloseState {
    fn close(&self) {
        self.down.store(true, Ordering::Release);
        self.reader.wake();
    }

    fn is_answering(&self) -> bool {
        self.answering.load(Ordering::Acquire) > 0
    }
}

/// A request that has come whole; dropped when it is answered.
pub(super) struct Answering(CloseHandle);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.0.answering.fetch_sub(1, Ordering::AcqRel);
    }
}

impl CloseHandle {
    pub(super) fn close_after_response(&self) {
        self.0.close();
    }

    /// Says that a request has come whole: however long its answer takes, the client is not to blame.
    pub(super) fn begin_answer(&self) -> Answering {
        self.0.answering.fetch_add(1, Ordering::AcqRel);
        Answering(self.clone())
    }
}

impl Connected<IncomingStream<'_, ClosingListener>> for CloseHandle {
    fn connect_info(stream: IncomingStream<'_, ClosingListener>) -> Self {
        stream.io().close.clone()
    }
}

/// One connection.
pub(super) struct ClosingStream {
    stream: TcpStream,
    close: CloseHandle,
    /// How long a whole request may take, from the connection or the last piece of an answer on.
    wait: Duration,
    timer: Pin<Box<Sleep>>,
}

impl ClosingStream {
    fn restart_timer(&mut self) {
        let end = Instant::now() + self.wait;
        self.timer.as_mut().reset(end);
    }

    /// Ready when the client took too long to send a request.
    fn poll_overdue(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(self.timer.as_mut().poll(context));
            if !self.close.0.is_answering() {
                return Poll::Ready(());
            }
            self.restart_timer();
        }
    }
}

impl AsyncRead for ClosingStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // The waker is registered before the check, so that a close in between is not missed.
        self.close.0.reader.register(context.waker());
        if self.close.0.down.load(Ordering::Acquire) || self.poll_overdue(context).is_ready() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for ClosingStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if written.is_ready() {
            self.restart_timer();
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
