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

pub use assess::{AssessError, Assessment, assess};
pub use meaning::Meaning;
pub use recorded_target::recorded_target;
pub use recordings::{MissListener, Recordings};
pub use rejudge::{RecordedSettings, RejudgeError, Rejudgement, rejudge, verdicts};
pub use transcribe::{Origin, TranscribeError, transcribe};
pub use transcript::{TRANSCRIPT_VERSION, Transcript};
pub use transcript_exchange::{
    TranscriptBody, TranscriptExchange, TranscriptFrame, TranscriptReply, TranscriptRequest,
};
pub use unrecorded::find_unrecorded;
pub use verify::{ReplayProblem, ReplayReport, StreamPlace, StreamProblem, replay, replay_by};
