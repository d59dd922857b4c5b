//! Output to terminals and logs of CI systems: the last look at everything that is shown.
//!
//! Most texts have passed [`for_terminal`](crate::report::for_terminal) before. This is for those that have
//! not, and for what only a CI system finds hostile: `::name …::` and `##name[…]` are commands to it.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use crate::report::{Paint, is_deceptive};

/// A whole output, lines kept: without control characters, but for our own colours, and without
/// anything that a CI system takes for a command. JSON keeps its meaning: it has escapes for all that.
pub(crate) fn for_output(text: &str, paint: Paint) -> Cow<'_, str> {
    if hostile_places(text, paint).next().is_none() {
        return Cow::Borrowed(text);
    }
    let replace = if is_json(text) { json_escape } else { mark };
    let (mut out, mut copied) = (String::with_capacity(text.len() + 16), 0);
    for (at, c) in hostile_places(text, paint) {
        out.push_str(text.get(copied..at).unwrap_or_default());
        out.push_str(&replace(c));
        copied = at + c.len_utf8();
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// The characters that must not stand as they are.
fn hostile_places(text: &str, paint: Paint) -> impl Iterator<Item = (usize, char)> {
    text.char_indices().filter(move |(at, c)| match c {
        '\n' | '\t' => false,
        '\r' => !rest(text, at + 1).starts_with('\n'),
        '\u{1b}' => paint == Paint::Plain || !is_color(rest(text, *at)),
        ':' => before(text, *at).ends_with(':') && is_colon_command(rest(text, at + 1)),
        '#' => before(text, *at).ends_with('#') && is_hash_command(rest(text, at + 1)),
        c => c.is_control() || is_deceptive(*c),
    })
}

fn rest(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

fn before(text: &str, at: usize) -> &str {
    text.get(..at).unwrap_or_default()
}

/// A sequence that sets a colour, and nothing else.
fn is_color(text: &str) -> bool {
    let numbers = |c: char| c.is_ascii_digit() || c == ';';
    text.strip_prefix("\u{1b}[").is_some_and(|it| it.trim_start_matches(numbers).starts_with('m'))
}

/// What may follow `::`: the name of a command, and then its parameters or its text.
fn is_colon_command(text: &str) -> bool {
    let after = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "-_".contains(c));
    after.len() < text.len() && (after.starts_with("::") || after.starts_with(' '))
}

/// What may follow `##`: a bracket, behind the name of a CI system or without one.
fn is_hash_command(text: &str) -> bool {
    text.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).starts_with('[')
}

/// Whether all of a text is JSON, or each of its lines.
fn is_json(text: &str) -> bool {
    let reads = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
    let looks = text.trim_start().starts_with(['{', '[']);
    looks && (reads(text) || text.lines().filter(|line| !line.trim().is_empty()).all(reads))
}

fn json_escape(c: char) -> String {
    let mut units = [0; 2];
    let units: Vec<String> =
        c.encode_utf16(&mut units).iter().map(|it| format!("{it:04x}")).collect();
    format!("\\u{}", units.join("\\u"))
}

fn mark(c: char) -> String {
    match c {
        ':' | '#' => format!(" {c}"),
        _ => "\u{fffd}".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        for_output(text, Paint::Plain).into_owned()
    }

    #[test]
    fn control_characters_are_marked_and_lines_are_kept() {
        assert_eq!(plain("a\u{1b}[2Jb\u{7}\n\tc\r\nd\re\u{9b}f\u{202e}"), "a�[2Jb�\n\tc\r\nd�e�f�");
        assert_eq!(plain("g\u{200b}p\u{2028}t\u{e0041}\u{feff}"), "g�p�t��");
    }

    #[test]
    fn only_colours_pass_where_there_are_colours() {
        let text = "\u{1b}[38;5;10mok\u{1b}[0m \u{1b}[2J \u{1b}]0;x\u{7}";
        let shown = for_output(text, Paint::Colored);
        assert_eq!(shown, "\u{1b}[38;5;10mok\u{1b}[0m \u{fffd}[2J \u{fffd}]0;x\u{fffd}");
        assert!(!plain(text).contains('\u{1b}'));
    }

    #[test]
    fn no_line_holds_a_command_of_a_ci_system() {
        for (text, expected) in [
            ("::set-output name=a::b", ": :set-output name=a::b"),
            ("x ::error::y", "x : :error::y"),
            ("  ::add-mask::y", "  : :add-mask::y"),
            ("##[error]x", "# #[error]x"),
            ("see ##vso[task.setvariable]x", "see # #vso[task.setvariable]x"),
            ("###[group]", "## #[group]"),
            (":::debug::x", ":: :debug::x"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }

    #[test]
    fn what_is_no_command_stays() {
        for text in ["http://[::1]:80/", "fe80::a", "## Heading [x]", "a::b", "1::2", "漢字 — ok"]
        {
            assert_eq!(plain(text), text);
        }
    }

    #[test]
    fn json_keeps_its_meaning() {
        let value = serde_json::json!({"a": "::error::x ##[y]\u{7f}\u{9b}\u{1b}\u{e0041}"});
        for text in [value.to_string(), format!("{value:#}"), format!("{value}\n{value}\n")] {
            let shown = plain(&text);
            assert!(!shown.contains("::e") && !shown.contains("##[") && !shown.contains('\u{7f}'));
            let first = shown.lines().next().filter(|_| text.lines().count() == 2);
            let read: serde_json::Value = serde_json::from_str(first.unwrap_or(&shown)).unwrap();
            assert_eq!(read, value);
        }
    }
}
