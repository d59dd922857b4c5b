//! Adaptation in a profile: corrections, the tier of trust, and false claims of the server.

mod claim;
mod correction;
mod rollout;

pub use claim::{Claim, ClaimVerdict, FalseClaim};
pub use correction::{
    Correction, CorrectionKind, ErrorMarker, Keep, ParallelLimit, Placement, ReasoningTurns,
    ReasoningUse, Setting, StreamUse, ToolOffer,
};
pub use rollout::{Rollout, Tier};
