//! Caution: the states that a step can fail into, each more careful than the one before.

use std::fmt;

use crate::profile::Tier;

/// How careful a session is. What comes later includes what comes before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Caution {
    /// As the tier of the target allows.
    #[default]
    AsTrusted,
    /// One call a turn, no streamed calls.
    Careful,
    /// Only tools that look run.
    ReadOnlyTools,
    /// No tools: the model plans and explains.
    NoTools,
    /// Nothing goes on without somebody being asked.
    AskSomebody,
}

impl Caution {
    /// All of them, the least careful first.
    pub const ALL: [Self; 5] =
        [Self::AsTrusted, Self::Careful, Self::ReadOnlyTools, Self::NoTools, Self::AskSomebody];

    /// The tier whose tools run at most.
    pub fn tier(self) -> Tier {
        match self {
            Self::AsTrusted | Self::Careful => Tier::Full,
            Self::ReadOnlyTools => Tier::ReadOnly,
            Self::NoTools | Self::AskSomebody => Tier::Blocked,
        }
    }
}

impl fmt::Display for Caution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AsTrusted => "as trusted",
            Self::Careful => "careful",
            Self::ReadOnlyTools => "read-only tools",
            Self::NoTools => "no tools",
            Self::AskSomebody => "ask somebody",
        })
    }
}
