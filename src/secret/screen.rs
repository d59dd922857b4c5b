//! The screen: tells in one quick pass that a text holds no secret, as nearly all texts do.
//!
//! Every form has at least eight bytes, so its first eight are looked for: where the last two of eight bytes
//! of the text do not end such a beginning, the window moves on by as many bytes as it can (Wu and
//! Manber's search). Letters in upper and lower case count as the same.

use super::MIN_SCRUBBED_LEN;

/// How many bytes of each form are looked for.
const WINDOW: usize = MIN_SCRUBBED_LEN;

/// Places in the table of moves.
const PLACES: usize = 4096;

/// Looks for the beginnings of forms.
#[derive(Debug)]
pub(super) struct Screen {
    /// How far the window moves, by the last two bytes in it.
    moves: Vec<u8>,
    /// In order: a hostile text asks for one at every byte.
    heads: Vec<[u8; WINDOW]>,
}

impl Screen {
    /// A screen for these forms.
    pub(super) fn new(forms: &[Vec<u8>]) -> Self {
        let mut heads: Vec<[u8; WINDOW]> =
            forms.iter().filter_map(|form| form.first_chunk().copied().map(fold)).collect();
        heads.sort_unstable();
        heads.dedup();
        let mut moves = vec![to_byte(WINDOW - 1); PLACES];
        for (end, pair) in heads.iter().flat_map(|head| (2..).zip(head.windows(2))) {
            if let [first, second] = pair
                && let Some(known) = moves.get_mut(place(*first, *second))
            {
                *known = (*known).min(to_byte(WINDOW - end));
            }
        }
        Self { moves, heads }
    }

    /// Whether a form may stand in a text. Where it does not, this is false or, rarely, true.
    pub(super) fn may_hold(&self, text: &[u8]) -> bool {
        let mut rest = text;
        while let Some(window) = rest.first_chunk::<WINDOW>() {
            let [.., first, second] = *window;
            let by = self.moves.get(place(first, second)).copied().unwrap_or_default();
            if by == 0 && self.heads.binary_search(&fold(*window)).is_ok() {
                return true;
            }
            rest = rest.get(usize::from(by.max(1))..).unwrap_or_default();
        }
        false
    }
}

/// Where the table keeps a pair of bytes. Several pairs may share a place.
fn place(first: u8, second: u8) -> usize {
    // The bit in which the cases of a letter differ.
    let (first, second) = (first | 0x20, second | 0x20);
    (usize::from(first) << 4 ^ usize::from(second)) % PLACES
}

fn fold(window: [u8; WINDOW]) -> [u8; WINDOW] {
    window.map(|byte| byte.to_ascii_lowercase())
}

fn to_byte(number: usize) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_found_wherever_it_stands_and_in_any_case() {
        let forms = ["secret-key-1", "KEYS-of-2", "11111111", "eight888"];
        let screen = Screen::new(&forms.map(|form| form.as_bytes().to_vec()));
        for form in forms {
            for before in 0..40 {
                for case in [form.to_owned(), form.to_uppercase(), form.to_lowercase()] {
                    let text = format!("{}{case}", "key1-secrets".repeat(9).split_at(before).0);
                    assert!(screen.may_hold(text.as_bytes()), "{text}");
                    let text = format!("{case}{}", "1".repeat(before));
                    assert!(screen.may_hold(text.as_bytes()), "{text}");
                }
            }
        }
    }

    #[test]
    fn texts_without_a_form_pass() {
        let screen = Screen::new(&[b"secret-key-1".to_vec(), b"\xff\xfe12345678".to_vec()]);
        for text in ["", "secret", "a secret key", "secret-", "keysecret-", "\u{ff}12345678"] {
            assert!(!screen.may_hold(text.as_bytes()), "{text}");
        }
    }
}
