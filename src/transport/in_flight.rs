//! The bytes of large replies that are in memory at the same time, over all endpoints of a run.
//!
//! A small reply needs no room. A large one takes room for the largest that its kind may become before
//! more of it is read, and gives it back when its exchange was stored: so two large replies never wait
//! for each other, and however many requests are under way, memory stays bounded.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::bounds::{Oversize, SizeLimits};

/// One unit of room, in bytes.
const UNIT: usize = 1024;

/// The room that large replies share. Clones share it too.
#[derive(Debug, Clone)]
pub struct InFlight {
    room: Arc<Semaphore>,
    units: u32,
}

impl InFlight {
    /// Room for as many bytes as these limits say.
    pub fn new(limits: &SizeLimits) -> Self {
        let units = units(limits.of(Oversize::InFlight)).max(1);
        let room = Arc::new(Semaphore::new(usize::try_from(units).unwrap_or(usize::MAX)));
        Self { room, units }
    }

    /// Waits for room. A reply larger than the whole room gets all of it.
    pub(super) async fn take(&self, bytes: usize) -> Room {
        let wanted = units(bytes).min(self.units);
        // The semaphore is never closed, so there is no error to meet.
        Room(Arc::clone(&self.room).acquire_many_owned(wanted).await.ok().map(Arc::new))
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).min(u32::MAX >> 4)
}

/// Room that an exchange has, given back when the last copy is dropped. Not part of its record.
#[derive(Debug, Clone, Default)]
pub struct Room(Option<Arc<OwnedSemaphorePermit>>);

/// Where an exchange is in memory says nothing about what was said.
impl PartialEq for Room {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Room {
    pub(super) fn is_taken(&self) -> bool {
        self.0.is_some()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn large_replies_wait_for_room_and_one_that_is_too_large_has_it_alone() {
        let room = InFlight::new(&SizeLimits::default().with(Oversize::InFlight, 10 * UNIT));
        let first = room.take(6 * UNIT).await;
        assert!(first.is_taken() && room.take(6 * UNIT).now_or_never().is_none());
        let small = room.take(4 * UNIT).now_or_never().unwrap();
        drop((first, small));
        assert!(room.take(99 * UNIT).now_or_never().is_some());
    }
}
