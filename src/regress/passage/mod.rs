//! Passages: what an adapter does to each request and each reply on its way.
//!
//! A passage has four ends: the request that left the client and the one that arrived upstream, the
//! reply that left upstream and the one that came to the client.
//!
//! - `pairing`: which request that left is which one that arrived
//! - `aspect`: what of a request or a reply can be changed
//! - `bodies`: what of a request only its body shows; `contents`, `fields`, `schemas`: what else of it is compared
//! - `wording`: whether two texts say the same in the same words and lines
//! - `shape`: which fields of a reply's body hold something
//! - `requests`, `replies`: the aspects in which the two ends differ
//! - `view`: what all passages of one model come to

mod aspect;
mod bodies;
mod contents;
mod fields;
mod pairing;
mod replies;
mod requests;
mod schemas;
mod shape;
mod view;
mod wording;

pub(crate) use aspect::{ReplyAspect, RequestAspect};
pub(crate) use pairing::{Traveller, pair_travellers};
pub(crate) use replies::{ReplySaid, SeenReply};
pub(crate) use requests::SeenRequest;
pub(crate) use shape::BodyShape;
pub(super) use view::DocumentSide;
pub(crate) use view::{Passage, PassageView};
