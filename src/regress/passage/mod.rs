//! Passages: what an adapter does to each request and each reply on its way.
//!
//! A passage has four ends: the request that left the client and the one that arrived upstream, the
//! reply that left upstream and the one that came to the client.
//!
//! - `pairing`: which request that left is which one that arrived
//! - `aspect`: what of a request or a reply can be changed
//! - `requests`, `replies`: the aspects in which the two ends differ
//! - `view`: what all passages of one model come to

mod aspect;
mod pairing;
mod replies;
mod requests;
mod view;

pub use aspect::{ReplyAspect, RequestAspect};
pub use pairing::{Traveller, pair_requests, pair_travellers};
pub use replies::{ReplySaid, SeenReply, reply_changes};
pub use requests::{Issued, SeenRequest, request_changes};
pub(super) use view::DocumentSide;
pub use view::{Passage, PassageView};
