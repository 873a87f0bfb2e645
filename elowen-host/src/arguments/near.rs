//! Which known word did the model probably mean?

/// Words longer than this are not compared: nobody mistypes them, and the cost is the product of the lengths.
const LONGEST: usize = 64;

/// The candidate that differs least from `word`, if it differs by so little that it must be a slip: only in case
/// and separators, or by one edit in three letters, two in six, three in twelve.
pub(crate) fn closest<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let letters: Vec<char> = word.chars().take(LONGEST + 1).collect();
    let plain = plain(word);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.filter(|candidate| *candidate != word) {
        let other: Vec<char> = candidate.chars().take(LONGEST + 1).collect();
        let allowed = match letters.len().max(other.len()) {
            0..=2 => 0,
            3..=5 => 1,
            6..=11 => 2,
            12..=LONGEST => 3,
            _ => continue,
        };
        let distance = if plain == self::plain(candidate) {
            0
        } else if letters.len().abs_diff(other.len()) > allowed {
            continue;
        } else {
            distance(&letters, &other)
        };
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// `filePath`, `file_path` and `File-Path` are one word to a model.
fn plain(word: &str) -> String {
    let kept = word.chars().filter(|c| !matches!(c, '_' | '-' | ' ' | '.'));
    kept.flat_map(char::to_lowercase).take(LONGEST + 1).collect()
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut previous = None;
    for (row, from) in a.iter().enumerate() {
        let mut next = vec![row + 1];
        let mut previous_to = None;
        for (column, to) in b.iter().enumerate() {
            let cell = |line: &[usize], at: usize| line.get(at).copied().unwrap_or(usize::MAX / 2);
            let mut cost = (cell(&last, column) + usize::from(from != to))
                .min(cell(&last, column + 1) + 1)
                .min(cell(&next, column) + 1);
            if column > 0 && previous == Some(to) && previous_to == Some(from) {
                cost = cost.min(cell(&before, column - 1) + 1);
            }
            next.push(cost);
            previous_to = Some(to);
        }
        before = std::mem::replace(&mut last, next);
        previous = Some(from);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn a_slip_finds_its_word_and_another_word_does_not() {
        let words = ["path", "files", "maxCount", "id"];
        for (slip, word) in [
            ("patth", "path"),
            ("paht", "path"),
            ("file", "files"),
            ("max_count", "maxCount"),
            ("maxcuont", "maxCount"),
            ("ID", "id"),
        ] {
            assert_eq!(closest(slip, words.into_iter()), Some(word), "{slip}");
        }
        for other in ["bath!", "ix", "minimum", "", "path", &"path".repeat(100)] {
            assert_eq!(closest(other, words.into_iter()), None, "{other}");
        }
    }
}
