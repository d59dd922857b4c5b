//! Passages: what an adapter does to each request and each reply on its way.
//!
//! A passage has four ends: the request that left the client and the one that arrived upstream, the
//! reply that left upstream and the one that arrived at the client.
//!
//! - `pairing`: which request that left is which one that arrived

mod pairing;

pub use pairing::{Traveller, pair_requests, pair_travellers};
