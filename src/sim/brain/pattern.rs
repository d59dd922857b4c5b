//! Which text matches this pattern?
//!
//! Covers what tool schemas use: literals, classes, groups, alternatives and counts. Anything else
//! gives no text rather than a wrong one: callers check what they get.

use std::iter::Peekable;
use std::str::Chars;

type Input<'a> = Peekable<Chars<'a>>;

/// A text that matches, for patterns simple enough.
pub(super) fn matching(pattern: &str) -> Option<String> {
    let mut input = pattern.chars().peekable();
    let text = alternatives(&mut input)?;
    input.next().is_none().then_some(text)
}

/// The first of several alternatives; the others are read over.
fn alternatives(input: &mut Input<'_>) -> Option<String> {
    let first = sequence(input)?;
    while input.next_if_eq(&'|').is_some() {
        sequence(input)?;
    }
    Some(first)
}

fn sequence(input: &mut Input<'_>) -> Option<String> {
    let mut out = String::new();
    while let Some(next) = input.peek() {
        match next {
            '|' | ')' => break,
            '^' | '$' => {
                input.next();
            }
            _ => {
                let piece = atom(input)?;
                out.push_str(&piece.repeat(count(input)?));
            }
        }
    }
    Some(out)
}

fn atom(input: &mut Input<'_>) -> Option<String> {
    match input.next()? {
        '(' => {
            if input.next_if_eq(&'?').is_some() {
                input.next_if_eq(&':')?;
            }
            let inner = alternatives(input)?;
            input.next_if_eq(&')')?;
            Some(inner)
        }
        '[' => class(input).map(String::from),
        '\\' => escaped(input.next()?).map(String::from),
        '.' => Some("x".to_owned()),
        literal => Some(literal.to_string()),
    }
}

/// A character that the class after `[` allows.
fn class(input: &mut Input<'_>) -> Option<char> {
    let negated = input.next_if_eq(&'^').is_some();
    let mut members = Vec::new();
    loop {
        match input.next()? {
            ']' => break,
            '\\' => members.push(escaped(input.next()?)?),
            '-' if !members.is_empty() && input.peek() != Some(&']') => {
                // The start of a range stands for it; its end is read over.
                input.next()?;
            }
            member => members.push(member),
        }
    }
    if negated {
        return ('a'..='z').find(|c| !members.contains(c));
    }
    members.first().copied()
}

fn escaped(c: char) -> Option<char> {
    match c {
        'd' => Some('0'),
        'w' => Some('a'),
        's' => Some(' '),
        'b' | 'B' | 'D' | 'W' | 'S' | 'p' | 'P' | 'u' | 'x' => None,
        literal => Some(literal),
    }
}

/// How often the atom before is to be written: the least that the count allows, but `+` once.
fn count(input: &mut Input<'_>) -> Option<usize> {
    let least = match input.peek() {
        Some('+') => 1,
        Some('*' | '?') => 0,
        Some('{') => {
            input.next();
            let mut inside = String::new();
            while let Some(c) = input.next_if(|c| *c != '}') {
                inside.push(c);
            }
            inside.split(',').next()?.trim().parse::<usize>().ok().filter(|n| *n <= 256)?
        }
        _ => return Some(1),
    };
    input.next();
    input.next_if_eq(&'?');
    Some(least)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_text_matches_the_pattern_it_is_made_from() {
        for pattern in [
            "^[A-Z]{2}-[0-9]{4}$",
            r"^\d{3}-\d{2,4}$",
            "^(foo|bar)+$",
            "^/[a-z/]*$",
            "^#?[0-9a-fA-F]{6}$",
            r"^v\d+\.\d+$",
            "^[^/]+$",
            "abc",
            "^(?:a|b)c?$",
        ] {
            let text = matching(pattern).unwrap();
            let schema = json!({"type": "string", "pattern": pattern});
            assert!(jsonschema::is_valid(&schema, &json!(text)), "{pattern} gave {text:?}");
        }
    }

    #[test]
    fn a_pattern_beyond_it_gives_nothing() {
        for pattern in [r"^\p{L}+$", "^(?=a)b$", "(", "[a"] {
            assert_eq!(matching(pattern), None, "{pattern}");
        }
    }
}
