//! Conversations with a model: one request, one turn, a whole agent loop.
//!
//! - [`Client`]: sends requests to one model and logs the exchanges
//! - `Answer`: a reply, a refusal, or nothing that says anything; `decode_answer`: which of them a
//!   response is
//! - [`Reading`]: the calls in a reply, and the layer they were found in
//! - [`Conversation`]: the turns, one at a time
//! - [`AgentLoop`]: turns until the model answers, bounded
//! - `bounds`: how large a reply may be that is still judged
//! - `token_limit`: what is left of a reply that the token limit ended
//! - `missing_results`: error results for calls that nobody answered
//! - `turn_event`: what is counted of a turn
//! - `usage`: what a reply is charged, and whether the endpoint's count can be believed

mod agent_loop;
mod answer;
mod bounds;
mod client;
mod decode;
mod log;
mod missing_results;
mod reading;
mod token_limit;
mod turn_event;
mod turns;
mod usage;

pub use agent_loop::{AgentLoop, Ending, Step};
pub use answer::{Answer, Miss};
pub(crate) use answer::{CUT_SHORT, excerpt};
pub(crate) use client::thinking_budget;
pub use client::{Address, Client, EvidencedAnswer};
pub(crate) use decode::decode_answer;
pub use log::{ExchangeLog, Logged};
pub use reading::{Reading, read};
pub(crate) use token_limit::CUT_BY_LIMIT;
pub use turns::{Conversation, Encoded, Received, Turn};
pub(crate) use turns::{broken_results, one_at_a_time};
pub(crate) use usage::check_usage;
