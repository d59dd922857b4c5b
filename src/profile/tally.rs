//! The tally of trials, and the status that follows from it.

use super::Finding;
use crate::profile::Status;

/// How the trials of one probe or case came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    /// Trials that passed.
    pub passes: u32,
    /// Trials that failed, each with its control.
    pub fails: u32,
    /// Trials that infrastructure kept from a conclusion.
    pub inconclusive: u32,
    /// Trials whose precondition did not hold.
    pub skipped: u32,
}

impl Tally {
    /// Counts findings.
    pub(crate) fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut tally = Self::default();
        for finding in findings {
            match finding {
                Finding::Pass(_) => tally.passes += 1,
                Finding::Fail(_) => tally.fails += 1,
                Finding::Inconclusive(_) => tally.inconclusive += 1,
                Finding::Skipped(_) => tally.skipped += 1,
            }
        }
        tally
    }

    /// Trials that count.
    pub(crate) fn conclusive(self) -> u32 {
        self.passes + self.fails
    }

    /// The share of conclusive trials that passed; `None` without any.
    pub(crate) fn rate(self) -> Option<f64> {
        (self.conclusive() > 0).then(|| f64::from(self.passes) / f64::from(self.conclusive()))
    }

    /// The status by the 90 % rule. In whole numbers, so that 9 of 10 is exactly enough.
    pub(crate) fn status(self) -> Status {
        let conclusive = self.conclusive();
        if conclusive == 0 {
            return if self.inconclusive > 0 { Status::Inconclusive } else { Status::Skipped };
        }
        match self.passes {
            0 => Status::Fail,
            passes if passes * 10 >= conclusive * 9 => Status::Pass,
            _ => Status::Partial,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passes: u32, fails: u32, inconclusive: u32, skipped: u32) -> Tally {
        Tally { passes, fails, inconclusive, skipped }
    }

    #[test]
    fn nine_of_ten_pass_and_eight_of_nine_are_partial() {
        assert_eq!(tally(9, 1, 0, 0).status(), Status::Pass);
        assert_eq!(tally(8, 1, 0, 0).status(), Status::Partial);
        assert_eq!(tally(0, 3, 0, 0).status(), Status::Fail);
    }

    #[test]
    fn infrastructure_leaves_no_mark_on_conclusive_trials() {
        assert_eq!(tally(3, 0, 2, 0).status(), Status::Pass);
        assert_eq!(tally(0, 0, 2, 1).status(), Status::Inconclusive);
        assert_eq!(tally(0, 0, 0, 3).status(), Status::Skipped);
    }

    #[test]
    fn a_rate_without_trials_is_null() {
        assert_eq!(tally(0, 0, 4, 0).rate(), None);
    }
}
