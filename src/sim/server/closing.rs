//! Connections that are closed though they were announced as kept alive.
//!
//! The HTTP library closes a connection only after it has announced that. Real servers were seen to
//! close without notice after a stream. A [`ClosingStream`] can do that: once it is told to close, it
//! reads as if the client had left.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use futures_util::task::AtomicWaker;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// Accepts connections that can be closed without notice.
pub(super) struct ClosingListener(pub(super) TcpListener);

impl Listener for ClosingListener {
    type Io = ClosingStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (ClosingStream, SocketAddr) {
        let (stream, from) = Listener::accept(&mut self.0).await;
        // Frames are sent when they are written; a socket that refuses this is only slower.
        let _ = stream.set_nodelay(true);
        (ClosingStream { stream, close: CloseHandle::default() }, from)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// Tells the connection of a request to close after the response.
#[derive(Debug, Clone, Default)]
pub(super) struct CloseHandle(Arc<CloseState>);

#[derive(Debug, Default)]
struct CloseState {
    down: AtomicBool,
    /// The task that waits for the next request on this connection.
    reader: AtomicWaker,
}

impl CloseHandle {
    pub(super) fn close_after_response(&self) {
        self.0.down.store(true, Ordering::Release);
        self.0.reader.wake();
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
}

impl AsyncRead for ClosingStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // The waker is registered before the check, so that a close in between is not missed.
        self.close.0.reader.register(context.waker());
        if self.close.0.down.load(Ordering::Acquire) {
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
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
