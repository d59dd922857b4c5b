//! How is text that a model wrote made harmless?

/// Text for a terminal: no control character reaches it, and none of the marks that turn the
/// direction of writing.
pub fn for_terminal(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' => ' ',
            c if c.is_control() || is_direction_mark(c) => '\u{fffd}',
            c => c,
        })
        .collect()
}

fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_lose_their_teeth() {
        let hostile = "ok\u{1b}[2J\u{1b}]0;owned\u{7} \u{202e}txet\r\nnext";
        assert_eq!(
            for_terminal(hostile),
            "ok\u{fffd}[2J\u{fffd}]0;owned\u{fffd} \u{fffd}txet  next"
        );
    }
}
