//! The Wilson interval: how much a rate from few trials is worth.

use crate::profile::Interval;

/// The standard normal quantile of a two-sided 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

/// Wilson's score interval for `passes` of `trials`, to three decimals; `None` for no trials.
pub(crate) fn wilson(passes: u32, trials: u32) -> Option<Interval> {
    if trials == 0 {
        return None;
    }
    let n = f64::from(trials);
    let rate = f64::from(passes) / n;
    let spread = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
    let centre = rate + Z * Z / (2.0 * n);
    let scale = 1.0 + Z * Z / n;
    let to_three = |end: f64| (end.clamp(0.0, 1.0) * 1000.0).round() / 1000.0;
    Some(Interval(to_three((centre - spread) / scale), to_three((centre + spread) / scale)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_of_three_is_far_from_certain() {
        assert_eq!(wilson(3, 3), Some(Interval(0.439, 1.0)));
        assert_eq!(wilson(0, 3), Some(Interval(0.0, 0.561)));
    }

    #[test]
    fn more_trials_narrow_the_interval() {
        assert_eq!(wilson(50, 100), Some(Interval(0.404, 0.596)));
    }

    #[test]
    fn no_trials_say_nothing() {
        assert_eq!(wilson(0, 0), None);
    }
}
