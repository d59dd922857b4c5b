//! What does one turn with an endpoint give, and how does a conversation go on?
//!
//! - [`Client`]: a model behind a URL, and the log of what was exchanged with it
//! - [`Answer`]: a reply, a refusal, or no answer at all; [`answer_in`]: which of them a response is
//! - [`Reading`]: which calls are in a reply, and which layer kept them
//! - [`limit`](self): what is left of a reply that the token limit ended
//! - [`Conversation`]: the turns of an agent, bounded
//! - [`telling`](self): what a turn comes to in the metrics

mod answer;
mod client;
mod decoding;
mod engine;
mod limit;
mod log;
mod reading;
mod telling;

pub use answer::{Answer, CUT_SHORT, Miss, excerpt};
pub use client::{Address, Client, EvidencedAnswer};
pub use decoding::answer_in;
pub use engine::{Conversation, Ending, Turn};
pub use log::ExchangeLog;
pub use reading::{Reading, read};
