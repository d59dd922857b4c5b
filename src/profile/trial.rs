//! Findings: what one trial showed.
//!
//! A negative needs a control: proof that the same endpoint does the same thing without the
//! difference under test. Only `Finding::fail_against` makes a negative, and only from a control
//! that passed, so that a negative verdict without one cannot be written down.

use std::fmt;

/// A failure of the capability, with the control that makes it one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Negative {
    reason: String,
    control: String,
}

impl Negative {
    /// What failed, in words.
    pub(crate) fn reason(&self) -> &str {
        &self.reason
    }

    /// What worked meanwhile, in words.
    pub(crate) fn control(&self) -> &str {
        &self.control
    }
}

/// What one trial showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Finding {
    /// The capability is there; the words say how it showed itself.
    Pass(String),
    /// The capability is not there, and its control passed.
    Fail(Negative),
    /// Infrastructure, budget or an answer outside the protocol kept it open.
    Inconclusive(String),
    /// Not asked, or not comparable: the words say what blocked it.
    Skipped(String),
}

impl Finding {
    /// A pass.
    pub(crate) fn pass(how: impl Into<String>) -> Self {
        Self::Pass(how.into())
    }

    /// A failure if its control passed; else skipped, naming what blocked it. `what` names what the
    /// control was asked.
    pub(crate) fn fail_against(reason: impl Into<String>, control: &Self, what: &str) -> Self {
        match control {
            Self::Pass(_) => {
                Self::Fail(Negative { reason: reason.into(), control: what.to_owned() })
            }
            _ => Self::Skipped(format!("no verdict without its control ({what}): {control}")),
        }
    }

    /// The words, without the kind.
    pub(crate) fn words(&self) -> &str {
        match self {
            Self::Pass(words) | Self::Inconclusive(words) | Self::Skipped(words) => words,
            Self::Fail(negative) => negative.reason(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Pass(_) => "passed",
            Self::Fail(_) => "failed",
            Self::Inconclusive(_) => "inconclusive",
            Self::Skipped(_) => "skipped",
        };
        write!(f, "{kind}: {}", self.words())
    }
}

/// What a trial showed, while what a negative would be compared with may still be running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Observation {
    /// Nothing is open.
    Settled(Finding),
    /// It did not work; whether that is a finding is for the control to say.
    Negative(String),
}

impl Observation {
    /// The finding, now that the control is known. `what` names what the control did.
    pub(crate) fn settle(self, control: &Finding, what: &str) -> Finding {
        match self {
            Self::Settled(finding) => finding,
            Self::Negative(reason) => Finding::fail_against(reason, control, what),
        }
    }
}

impl From<Finding> for Observation {
    fn from(finding: Finding) -> Self {
        Self::Settled(finding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_without_a_passing_control_becomes_skipped() {
        for blocked in
            [Finding::Inconclusive("HTTP 503".into()), Finding::Skipped("no call to stream".into())]
        {
            let finding =
                Finding::fail_against("no call in the stream", &blocked, "the plain twin");
            assert!(matches!(finding, Finding::Skipped(_)), "{finding}");
        }
    }

    #[test]
    fn a_negative_names_its_control() {
        let plain = Finding::pass("one structured call");
        let Finding::Fail(negative) =
            Finding::fail_against("no call in the stream", &plain, "the plain twin")
        else {
            panic!("the control passed");
        };
        assert_eq!(negative.control(), "the plain twin");
    }
}
