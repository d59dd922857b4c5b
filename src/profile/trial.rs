//! What did one trial show?
//!
//! A negative needs a [`Control`]: proof that the same endpoint does the same thing without the
//! difference under test. A control can only be had from something that passed, so a negative
//! verdict without one cannot be written down.

use std::fmt;

/// Proof that what a negative is compared with works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    what: String,
}

impl Control {
    /// What worked, in words.
    pub fn what(&self) -> &str {
        &self.what
    }
}

/// A failure of the capability, with the control that makes it one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Negative {
    reason: String,
    control: Control,
}

impl Negative {
    /// What failed, in words.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// What worked meanwhile.
    pub fn control(&self) -> &Control {
        &self.control
    }
}

/// What one trial showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
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
    pub fn pass(how: impl Into<String>) -> Self {
        Self::Pass(how.into())
    }

    /// A failure, which only a control can make.
    pub fn fail(reason: impl Into<String>, control: Control) -> Self {
        Self::Fail(Negative { reason: reason.into(), control })
    }

    /// This finding as the control of another: only a pass is one. `what` names what was asked.
    pub fn control(&self, what: impl Into<String>) -> Option<Control> {
        match self {
            Self::Pass(_) => Some(Control { what: what.into() }),
            Self::Fail(_) | Self::Inconclusive(_) | Self::Skipped(_) => None,
        }
    }

    /// A failure if its control passed; else skipped, naming what blocked it.
    pub fn fail_against(reason: impl Into<String>, control: &Self, what: &str) -> Self {
        match control.control(what) {
            Some(control) => Self::fail(reason, control),
            None => Self::Skipped(format!("no verdict without its control ({what}): {control}")),
        }
    }

    /// The words, without the kind.
    pub fn words(&self) -> &str {
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
pub enum Observation {
    /// Nothing is open.
    Settled(Finding),
    /// It did not work; whether that is a finding is for the control to say.
    Negative(String),
}

impl Observation {
    /// The finding, now that the control is known. `what` names what the control did.
    pub fn settle(self, control: &Finding, what: &str) -> Finding {
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
        assert_eq!(negative.control().what(), "the plain twin");
    }
}
