//! The pace of an endpoint: how many requests it takes at the same time, learned from what it refuses.
//!
//! Additive increase, multiplicative decrease. A refusal for asking too much halves what is sent at the same
//! time, and every answer lets a little more out again: quickly up to where the endpoint refused, slowly beyond
//! that. Below one request at the same time there are pauses between two.

use std::time::Duration;

use tokio::time::Instant;

/// One request at the same time, in the unit that is counted in.
const ONE: usize = 16;

/// The slowest pace: half a request at the same time. An endpoint that refuses everything is given up by its health
/// after some tens of requests, which must not take minutes.
const SLOWEST: usize = ONE / 2;

/// The pause at half a request at the same time.
const PAUSE: Duration = Duration::from_millis(500);

/// How hard an endpoint may be asked at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pace {
    /// What is configured, in sixteenths of a request at the same time.
    most: usize,
    /// What is allowed at the moment.
    allowed: usize,
    /// What was under way when it last refused.
    refused: usize,
    /// When it was last slowed down. What was sent before says nothing new.
    slowed: Option<Instant>,
}

impl Pace {
    /// At most so many requests at the same time; `None` is no limit.
    pub(super) fn of(places: Option<usize>) -> Self {
        let most = places.map_or(usize::MAX, |places| places.saturating_mul(ONE));
        Self { most, allowed: most, refused: most, slowed: None }
    }

    /// How many requests may be under way.
    pub(super) fn places(&self) -> usize {
        (self.allowed / ONE).max(1)
    }

    /// How long to wait after the start of a request before the next one begins.
    pub(super) fn pause(&self) -> Duration {
        let missing = ONE.saturating_sub(self.allowed);
        let (missing, allowed) = (u32::try_from(missing), u32::try_from(self.allowed.max(SLOWEST)));
        PAUSE.saturating_mul(missing.unwrap_or(0)) / allowed.unwrap_or(u32::MAX)
    }

    /// After a refusal of a request that began then, with so many under way, itself included.
    #[must_use]
    pub(super) fn refused(self, began: Instant, now: Instant, under_way: usize) -> Self {
        if self.slowed.is_some_and(|slowed| began < slowed) {
            return self;
        }
        let used = self.allowed.min(under_way.max(1).saturating_mul(ONE));
        Self { allowed: (used / 2).max(SLOWEST), refused: used, slowed: Some(now), ..self }
    }

    /// After an answer.
    #[must_use]
    pub(super) fn answered(self) -> Self {
        let is_known_to_be_taken =
            self.allowed >= ONE && self.allowed.saturating_add(ONE) < self.refused;
        let step = if is_known_to_be_taken { ONE } else { 1 };
        Self { allowed: self.allowed.saturating_add(step).min(self.most), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_answers(pace: Pace, count: usize) -> Pace {
        (0..count).fold(pace, |pace, _| pace.answered())
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_halves_the_pace_once_for_all_that_was_under_way() {
        let (began, pace) = (Instant::now(), Pace::of(Some(8)));
        let slowed = pace.refused(began, began + PAUSE, 8);
        assert_eq!(slowed.places(), 4);
        assert_eq!(slowed.refused(began, began + PAUSE, 7), slowed, "it was sent before");
        assert_eq!(slowed.refused(began + PAUSE, began + PAUSE, 4).places(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_quick_up_to_what_was_refused_and_slow_beyond() {
        let now = Instant::now();
        let slowed = Pace::of(Some(8)).refused(now, now, 8);
        assert_eq!(after_answers(slowed, 3).places(), 7);
        assert_eq!(after_answers(slowed, 3 + ONE - 1).places(), 7, "the eighth was one too many");
        assert_eq!(after_answers(slowed, 3 + ONE), Pace { allowed: 8 * ONE, ..slowed });
    }

    #[tokio::test(start_paused = true)]
    async fn an_endpoint_that_refuses_one_at_a_time_is_given_pauses_that_end_again() {
        let now = Instant::now();
        let slowed =
            |times| (0..times).fold(Pace::of(Some(1)), |pace, _| pace.refused(now, now, 1));
        assert_eq!((slowed(0).pause(), slowed(1).pause()), (Duration::ZERO, PAUSE));
        assert_eq!((slowed(9).places(), slowed(9).pause()), (1, PAUSE), "and no longer ones");
        assert_eq!(after_answers(slowed(9), 8).pause(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn where_there_is_no_limit_a_refusal_makes_one() {
        let now = Instant::now();
        assert_eq!(Pace::of(None).refused(now, now, 40).places(), 20);
    }
}
