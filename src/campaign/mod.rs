//! Many targets: order, limits, resume, confirmation, both sides of an adapter.

mod behind;
mod confirm;
mod cost;
mod fleet;
mod freshness;
mod reach;
mod record;
mod resume;
mod session;
mod sighting;

pub use behind::{Behind, BehindError, behind};
pub use confirm::{Confirmed, Suspect, confirm, confirm_all};
pub use cost::foreseen;
pub use fleet::{RunListener, visit_all};
pub use freshness::freshness;
pub use reach::{NotReached, reached};
pub use record::{RunEnd, RunRecorder, open_question};
pub use resume::{ResumeError, Resumed};
pub use session::{ProbedTarget, RunSettings, SessionError, probe_target};
pub use sighting::seen;
