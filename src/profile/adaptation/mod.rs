//! What a profile stores of what follows from it: corrections, and how far the model is trusted.

mod correction;
mod rollout;

pub use correction::{
    Correction, CorrectionKind, ErrorMarker, Keep, ParallelLimit, Placement, ReasoningTurns,
    ReasoningUse, Setting, StreamUse, ToolOffer,
};
pub use rollout::{Rollout, Tier};
