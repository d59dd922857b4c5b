//! Failures: what the HTTP client's errors mean.

use std::error::Error;
use std::io::{self, ErrorKind};

use crate::transport::error::{CloseStage, TransportError};

pub(super) fn body_error(error: &reqwest::Error) -> TransportError {
    let detail = causes(error);
    if is_closed(error) {
        TransportError::Closed { stage: CloseStage::MidBody, detail }
    } else if error.is_decode() {
        TransportError::Decompression { detail }
    } else {
        TransportError::NotHttp { detail }
    }
}

pub(super) fn chain<'e>(
    error: &'e reqwest::Error,
) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    let first: Option<&'e (dyn Error + 'static)> = Some(error);
    std::iter::successors(first, |error| (*error).source())
}

/// The causes in words. The client's own sentence is left out: it holds the address, which may hold
/// a credential.
pub(super) fn causes(error: &reqwest::Error) -> String {
    let mut texts: Vec<String> = chain(error).skip(1).map(ToString::to_string).collect();
    texts.dedup();
    if texts.is_empty() { "no cause given".to_owned() } else { texts.join(": ") }
}

pub(super) fn is_closed(error: &reqwest::Error) -> bool {
    chain(error).any(|cause| {
        cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_incomplete_message)
            || io_kind(cause).is_some_and(|kind| {
                matches!(
                    kind,
                    ErrorKind::ConnectionReset
                        | ErrorKind::ConnectionAborted
                        | ErrorKind::BrokenPipe
                        | ErrorKind::UnexpectedEof
                        | ErrorKind::NotConnected
                )
            })
    })
}

/// The TLS library reports through I/O errors of this kind; a plain connection has none.
pub(super) fn is_tls(error: &reqwest::Error) -> bool {
    chain(error).any(|cause| io_kind(cause) == Some(ErrorKind::InvalidData))
}

pub(super) fn is_not_http(cause: &(dyn Error + 'static)) -> bool {
    cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse)
}

/// The kind of an I/O error; of the innermost, where one wraps another without naming it its source.
fn io_kind(cause: &(dyn Error + 'static)) -> Option<ErrorKind> {
    let mut error = cause.downcast_ref::<io::Error>()?;
    while let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
        error = inner;
    }
    Some(error.kind())
}
