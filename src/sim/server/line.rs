//! How is a connection closed that was announced as kept alive?
//!
//! The server's HTTP machinery closes connections politely and says so first. Real servers were
//! seen to close without a word after a stream; a [`Line`] can do that: once it is told to hang up
//! it reads as if the client had gone.

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

/// Accepts connections that can be hung up.
pub(super) struct Switchboard(pub(super) TcpListener);

impl Listener for Switchboard {
    type Io = Line;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Line, SocketAddr) {
        let (stream, from) = Listener::accept(&mut self.0).await;
        // Frames must leave when they are written; a socket that refuses is merely slower.
        let _ = stream.set_nodelay(true);
        (Line { stream, hang_up: HangUp::default() }, from)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// Tells the connection of a request to close after the response.
#[derive(Debug, Clone, Default)]
pub(super) struct HangUp(Arc<Hook>);

#[derive(Debug, Default)]
struct Hook {
    down: AtomicBool,
    /// Whoever waits for the next request on this connection.
    reader: AtomicWaker,
}

impl HangUp {
    pub(super) fn after_this_response(&self) {
        self.0.down.store(true, Ordering::Release);
        self.0.reader.wake();
    }
}

impl Connected<IncomingStream<'_, Switchboard>> for HangUp {
    fn connect_info(stream: IncomingStream<'_, Switchboard>) -> Self {
        stream.io().hang_up.clone()
    }
}

/// One connection.
pub(super) struct Line {
    stream: TcpStream,
    hang_up: HangUp,
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // First the waker, then the question: a hang-up in between is not missed.
        self.hang_up.0.reader.register(context.waker());
        if self.hang_up.0.down.load(Ordering::Acquire) {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Line {
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
