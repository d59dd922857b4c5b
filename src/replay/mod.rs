//! Replay: transcripts and stored runs, judged again without a network.
//!
//! - `transcript`, `transcript_exchange`: the transcript file, and the exchanges in it
//! - `transcribe`: makes a transcript of the exchanges with a target
//! - `rejudge`: asks the suite again, of recorded exchanges
//! - `verify`: checks that a transcript still gives the same requests and verdicts
//! - `streams`: checks its streams, cut into other pieces and cut short
//! - `assess`: judges a stored run by the rules of today

mod assess;
mod rejudge;
mod streams;
mod transcribe;
mod transcript;
mod transcript_exchange;
mod verify;

pub use assess::{AssessError, Assessment, assess};
pub use rejudge::{RecordedSettings, RejudgeError, Rejudgement, rejudge, verdicts};
pub use transcribe::{Origin, TranscribeError, transcribe};
pub use transcript::{TRANSCRIPT_VERSION, Transcript};
pub use transcript_exchange::{
    TranscriptBody, TranscriptExchange, TranscriptFrame, TranscriptReply, TranscriptRequest,
};
pub use verify::{ReplayProblem, ReplayReport, StreamPlace, StreamProblem, replay, replay_by};
