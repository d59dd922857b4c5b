//! Request bodies within limits: each of them, and all together.

use axum::body::{Body, Bytes};
use futures_util::StreamExt as _;
use tokio::sync::{Semaphore, SemaphorePermit};

/// One unit of room, in bytes.
const UNIT: usize = 1024;

/// The room that the bodies of all requests share.
#[derive(Debug)]
pub(super) struct BodyRoom {
    room: Semaphore,
    most: usize,
}

/// A body, or why it was not received.
pub(super) enum Received<'a> {
    Whole(Vec<u8>, Vec<SemaphorePermit<'a>>),
    /// It is longer than one body may be, or the client left.
    TooLarge,
    /// There is no room for it now.
    NoRoom,
}

impl BodyRoom {
    /// Room for so many bytes of one body, and of all together.
    pub(super) fn new(most: usize, all: usize) -> Self {
        Self { room: Semaphore::new(all.div_ceil(UNIT).max(1)), most }
    }

    /// Reads a body. Room is taken for what has come, not for what was announced.
    pub(super) async fn receive(&self, body: Body) -> Received<'_> {
        let (mut bytes, mut permits, mut room) = (Vec::new(), Vec::new(), 0);
        let mut pieces = body.into_data_stream();
        while let Some(piece) = pieces.next().await {
            let Some(piece) = piece.ok().filter(|piece| self.fits(&bytes, piece)) else {
                return Received::TooLarge;
            };
            bytes.extend_from_slice(&piece);
            if let Some(missing) = bytes.len().checked_sub(room).filter(|missing| *missing > 0) {
                let units = u32::try_from(missing.div_ceil(UNIT)).unwrap_or(u32::MAX);
                let Ok(permit) = self.room.try_acquire_many(units) else {
                    return Received::NoRoom;
                };
                room += missing.div_ceil(UNIT) * UNIT;
                permits.push(permit);
            }
        }
        Received::Whole(bytes, permits)
    }

    fn fits(&self, bytes: &[u8], piece: &Bytes) -> bool {
        bytes.len().saturating_add(piece.len()) <= self.most
    }
}
