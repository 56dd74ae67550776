//! The numbers of findings that the workspace still has, which may only fall.

/// The findings of each kind.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Sentences that begin with a bare pronoun.
    pub(super) openings: usize,
    /// Uses of retired names.
    pub(super) retired_names: usize,
}

impl Counts {
    /// Reads lines such as `openings = 3`. A kind that is not named may have no finding.
    pub(super) fn parse(text: &str) -> Self {
        let count = |kind: &str| {
            text.lines()
                .filter_map(|line| line.split_once('='))
                .find(|(key, _)| key.trim() == kind)
                .and_then(|(_, number)| number.trim().parse().ok())
                .unwrap_or(0)
        };
        Self {
            openings: count("openings"),
            retired_names: count("retired_names"),
        }
    }

    /// Says how these numbers differ from the allowed ones; `None` if they do not.
    pub(super) fn compare(&self, allowed: &Self) -> Option<String> {
        let kinds = [
            (
                "sentences that begin with What, Who or Whoever",
                self.openings,
                allowed.openings,
            ),
            (
                "uses of retired names",
                self.retired_names,
                allowed.retired_names,
            ),
        ];
        let faults: Vec<_> = kinds
            .iter()
            .filter_map(|(kind, found, allowed)| match found {
                found if found > allowed => {
                    Some(format!("{found} {kind}, of which {allowed} are allowed"))
                }
                found if found < allowed => Some(format!(
                    "{found} {kind} where {allowed} are allowed: lower the number"
                )),
                _ => None,
            })
            .collect();
        (!faults.is_empty()).then(|| faults.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_by_name_and_default_to_none() {
        let counts = Counts::parse("# a comment\nopenings = 12\n");
        assert_eq!(
            counts,
            Counts {
                openings: 12,
                retired_names: 0
            }
        );
    }

    #[test]
    fn counts_that_differ_are_faults_either_way() {
        let allowed = Counts::parse("openings = 2\nretired_names = 1\n");
        let compare = |openings, retired_names| {
            let found = Counts {
                openings,
                retired_names,
            };
            found.compare(&allowed)
        };
        assert_eq!(compare(2, 1), None);
        let higher = compare(3, 1).unwrap();
        assert!(higher.contains("3 sentences") && higher.contains("2 are allowed"));
        let lower = compare(2, 0).unwrap();
        assert!(lower.contains("0 uses") && lower.contains("lower the number"));
    }
}
