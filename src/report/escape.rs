//! Escaping: text that a model wrote is hostile.
//!
//! One function per medium. HTML and XML need none beside [`for_terminal`]: their writers escape
//! by themselves.

/// Text for a terminal: one line, without control characters, without the marks that turn the
/// direction of writing, and without characters that nobody sees.
pub(crate) fn for_terminal(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' => ' ',
            c if c.is_control() || is_deceptive(c) => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// Whether a character makes a text look like another one: it turns the direction of writing, breaks
/// the line, or takes no room. The joiners U+200C and U+200D pass: scripts and emoji need them.
pub(crate) fn is_deceptive(c: char) -> bool {
    matches!(
        c,
        '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Text for a Markdown table: a code span, where nothing is a link, a mention, a tag or an image.
///
/// No escape keeps `\|` from ending a cell in every renderer, so that bars are broken ones.
pub(super) fn for_markdown(text: &str) -> String {
    let text = for_terminal(text).replace('|', "¦");
    if text.trim().is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

fn longest_run(text: &str, wanted: char) -> usize {
    text.split(|c| c != wanted).map(|run| run.chars().count()).max().unwrap_or_default()
}

/// Text for a cell of a spreadsheet: one that would be a formula gets an apostrophe in front.
pub(super) fn for_csv(text: &str) -> String {
    let text = for_terminal(text);
    if text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) {
        format!("'{text}")
    } else {
        text
    }
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

    #[test]
    fn markdown_is_a_code_span_that_its_text_cannot_end() {
        for (text, expected) in [
            ("plain", "`plain`"),
            ("@you <img src=x> [a](b)", "`@you <img src=x> [a](b)`"),
            ("a|b\nc", "`a¦b c`"),
            ("\\|", "`\\¦`"),
            ("say `x` or ``y", "```say `x` or ``y```"),
            ("`", "`` ` ``"),
            (" ", ""),
        ] {
            assert_eq!(for_markdown(text), expected);
        }
    }

    #[test]
    fn no_cell_of_a_spreadsheet_is_a_formula() {
        for text in ["=HYPERLINK(\"x\")", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "\r=1", "＝1"] {
            assert!(for_csv(text).starts_with('\''), "{text}");
        }
        assert_eq!(for_csv("a=b"), "a=b");
    }
}
