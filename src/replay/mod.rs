//! Transcripts: recording, replaying, judging again.

mod assess;
mod rejudge;
mod streams;
mod transcribe;
mod transcript;
mod verify;

pub use assess::{AssessError, Assessed, assess};
pub use rejudge::{Recorded, RejudgeError, Rejudged, rejudge, verdicts};
pub use transcribe::{Origin, TranscribeError, transcribe};
pub use transcript::{Asked, Said, SaidBody, SaidFrame, TRANSCRIPT_VERSION, Take, Transcript};
pub use verify::{Problem, Replayed, StreamPlace, StreamProblem, replay, replay_by};
