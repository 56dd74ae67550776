//! Where a value lies in a picture.

/// A logarithmic axis from one value and place to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Log {
    from: (f64, f64),
    to: (f64, f64),
}

impl Log {
    /// Values are positive, and the first is less than the second.
    pub(crate) fn new(values: (f64, f64), places: (f64, f64)) -> Self {
        Self {
            from: (values.0.ln(), places.0),
            to: (values.1.ln(), places.1),
        }
    }

    /// The place of a value; what lies beyond an end is put there.
    pub(crate) fn at(self, value: f64) -> f64 {
        let share = (value.ln() - self.from.0) / (self.to.0 - self.from.0);
        self.from.1 + share.clamp(0.0, 1.0) * (self.to.1 - self.from.1)
    }

    /// Those of the ticks that lie on the axis.
    pub(crate) fn ticks(self, candidates: &[f64]) -> Vec<f64> {
        let on_axis = |tick: &&f64| {
            let logarithm = tick.ln();
            logarithm >= self.from.0 - 1e-9 && logarithm <= self.to.0 + 1e-9
        };
        candidates.iter().filter(on_axis).copied().collect()
    }
}

/// The least round number that is not below a value, and whose quarters are round
/// too: 1, 2, 4 or 8 and zeros.
pub(crate) fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let round = [1.0, 2.0, 4.0, 8.0, 10.0].map(|digit| digit * power);
    let fits = round.into_iter().find(|&round| round >= value * 0.999_999);
    fits.unwrap_or(value)
}

/// Moves places apart, so that neighbours are at least so far from each other and
/// none lies beyond the ends, as near to where they were as that allows. They keep
/// their order.
pub(crate) fn spread_out(places: &[f64], distance: f64, ends: (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&one, &other| places[one].total_cmp(&places[other]));
    let mut moved = places.to_vec();
    let mut least = ends.0;
    for &place in &order {
        moved[place] = moved[place].max(least);
        least = moved[place] + distance;
    }
    let mut most = ends.1;
    for &place in order.iter().rev() {
        moved[place] = moved[place].min(most);
        most = moved[place] - distance;
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_its_ends_and_nothing_beyond() {
        let axis = Log::new((1.0, 100.0), (10.0, 30.0));
        let places = [1.0, 10.0, 100.0, 0.5, 1e9].map(|value| axis.at(value));
        for (place, expected) in places.into_iter().zip([10.0, 20.0, 30.0, 10.0, 30.0]) {
            assert!((place - expected).abs() < 1e-9, "{place}");
        }
        assert_eq!(
            axis.ticks(&[0.9, 1.0, 50.0, 100.0, 101.0]),
            [1.0, 50.0, 100.0]
        );
    }

    #[test]
    fn round_numbers_are_not_below() {
        for (value, expected) in [(1.0, 1.0), (1_001.0, 2_000.0), (430.0, 800.0), (0.9, 1.0)] {
            assert!((round_up(value) - expected).abs() < 1e-9, "{value}");
        }
    }

    #[test]
    fn labels_do_not_lie_on_each_other() {
        let spread = |places: &[f64]| spread_out(places, 10.0, (0.0, 100.0));
        assert_eq!(spread(&[50.0, 20.0]), [50.0, 20.0]);
        assert_eq!(spread(&[50.0, 45.0, 51.0]), [55.0, 45.0, 65.0]);
        assert_eq!(spread(&[99.0, 100.0]), [90.0, 100.0]);
        assert!(spread(&[]).is_empty());
    }
}
