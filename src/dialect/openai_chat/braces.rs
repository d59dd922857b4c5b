//! A counter of braces: has argument text, received piece by piece, closed its outermost one?

/// Follows the braces of a JSON object without keeping its text.
///
/// Each character is looked at once, so asking after every delta costs nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Braces {
    depth: usize,
    in_string: bool,
    escaped: bool,
    closed: bool,
}

impl Braces {
    /// Takes the next piece of text.
    pub(super) fn feed(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.step(byte));
    }

    /// Whether an object was opened and has ended.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' => self.depth += 1,
            b'}' => {
                self.depth = self.depth.saturating_sub(1);
                self.closed = self.depth == 0;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_outermost_brace_outside_of_strings_closes() {
        for (text, closed) in [
            ("", false),
            ("{", false),
            ("{\"a\":{\"b\":1}", false),
            ("{\"a\":\"}\"", false),
            ("{\"a\":\"\\\"}\"", false),
            ("{}", true),
            ("{\"a\":{\"b\":\"\\\\\"}}", true),
        ] {
            let mut braces = Braces::default();
            text.chars().for_each(|c| braces.feed(&c.to_string()));
            assert_eq!(braces.is_closed(), closed, "{text}");
        }
    }
}
