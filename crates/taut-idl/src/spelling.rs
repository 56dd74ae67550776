//! Names that were perhaps meant.

/// The candidate that is nearest to a misspelt word, if one is near enough.
pub(crate) fn nearest<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let most = match word.len() {
        0..=2 => return None,
        3..=5 => 1,
        6..=40 => 2,
        _ => return None,
    };
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= most)
        .map(|candidate| (distance(word.as_bytes(), candidate.as_bytes()), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many letters must be put in, dropped, replaced or swapped with their
/// neighbours, without regard to case.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (row, left) in a.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, right) in b.iter().enumerate() {
            let replaced = above[column] + usize::from(!left.eq_ignore_ascii_case(right));
            let mut best = replaced.min(above[column + 1] + 1).min(current[column] + 1);
            let swapped = row > 0
                && column > 0
                && left.eq_ignore_ascii_case(&b[column - 1])
                && a[row - 1].eq_ignore_ascii_case(right);
            if swapped {
                best = best.min(before[column - 1] + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_near_words_only() {
        let words = ["Account", "Accounts", "Bank", "at"];
        assert_eq!(nearest("Acount", words), Some("Account"));
        assert_eq!(nearest("Bakn", words), Some("Bank"));
        assert_eq!(nearest("bank", words), Some("Bank"));
        assert_eq!(nearest("Ledger", words), None);
        assert_eq!(nearest("it", words), None);
    }
}
