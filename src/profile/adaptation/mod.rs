//! What a profile stores of what follows from it: corrections, how far the model is trusted, and which
//! claims of its server are false.

mod claim;
mod correction;
mod rollout;

pub use claim::{Claim, ClaimVerdict, FalseClaim};
pub use correction::{
    Correction, CorrectionKind, ErrorMarker, Keep, ParallelLimit, Placement, ReasoningTurns,
    ReasoningUse, Setting, StreamUse, ToolOffer,
};
pub use rollout::{Rollout, Tier};
