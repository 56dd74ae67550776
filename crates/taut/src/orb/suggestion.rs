//! The word that a mistyped one was probably meant to be.

/// Returns the known word that is most like `word`, if one is so like it that a mistake in
/// typing explains the difference.
pub(super) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let folded = word.to_ascii_lowercase();
    let distance = |candidate: &str| distance(&folded, &candidate.to_ascii_lowercase());
    let (nearest, distance) = known
        .into_iter()
        .map(|candidate| (candidate, distance(candidate)))
        .min_by_key(|(_, distance)| *distance)?;
    // All begin with `-ORB`, of which nobody mistypes much.
    let varying = word.len().saturating_sub("-ORB".len());
    (distance <= (varying / 4).clamp(2, 4)).then_some(nearest)
}

/// The number of octets to insert, remove or replace to make one word of another
/// (Levenshtein's distance).
fn distance(one: &str, other: &str) -> usize {
    let other = other.as_bytes();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, left) in one.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, right) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(left != *right);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted() {
        for (one, other, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("timeout", "timeuot", 2),
        ] {
            assert_eq!(distance(one, other), expected);
            assert_eq!(distance(other, one), expected);
        }
    }

    #[test]
    fn only_what_is_near_is_suggested() {
        let known = ["-ORBInitRef", "-ORBCallTimeout"];
        assert_eq!(nearest("-ORBInitref", known), Some("-ORBInitRef"));
        assert_eq!(nearest("-ORBIntiRef", known), Some("-ORBInitRef"));
        assert_eq!(nearest("-ORBCallTimeuot", known), Some("-ORBCallTimeout"));
        assert_eq!(nearest("-ORBInitialHost", known), None);
        assert_eq!(nearest("-ORBx", known), None);
    }
}
