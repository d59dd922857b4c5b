//! Replay: transcripts and stored runs, judged again without a network.
//!
//! - `transcript`, `transcript_exchange`: the transcript file, and the exchanges in it
//! - `transcribe`: makes a transcript of the exchanges with a target
//! - `rejudge`: asks the suite again, of recorded exchanges
//! - `verify`: checks that a transcript still gives the same requests and verdicts
//! - `streams`: checks its streams, cut into other pieces and cut short
//! - `meaning`, `recordings`: transcripts as the upstream of an adapter, asked by meaning
//! - `recorded_target`: a recorded model as a target
//! - `unrecorded`: what an adapter asked that was never recorded
//! - `assess`: judges a stored run by the rules of today

mod assess;
mod meaning;
mod recorded_target;
mod recordings;
mod rejudge;
mod streams;
mod transcribe;
mod transcript;
mod transcript_exchange;
mod unrecorded;
mod verify;

pub(crate) use assess::{Assessment, assess};

pub(crate) use recorded_target::recorded_target;
pub(crate) use recordings::{MissListener, Recordings};

pub(crate) use transcribe::{Origin, transcribe};
pub(crate) use transcript::TRANSCRIPT_VERSION;
pub use transcript::Transcript;
pub use transcript_exchange::TranscriptBody;

pub(crate) use unrecorded::find_unrecorded;
pub(crate) use verify::StreamProblem;
pub use verify::{ReplayProblem, ReplayReport, replay, replay_by};
