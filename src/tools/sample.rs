//! Sample texts for the schema keywords `pattern` and `format`.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Where the choices of a sample come from: the seed of a trial, or always the first.
pub(crate) trait Choices {
    /// Choices for a part of the sample, independent of the others.
    #[must_use]
    fn child(&self, label: &str) -> Self;

    /// One of several; `None` where there are none.
    fn pick<'a, T>(&self, options: &'a [T]) -> Option<&'a T>;
}

/// What an unbounded repetition is repeated to, at least.
const SOME: u32 = 3;

/// Patterns whose texts would be longer are not worth asking for.
const LONGEST: usize = 512;

/// A text that a pattern matches; `None` where the pattern cannot be read or its text is too long.
/// Look-around is taken for granted, so the text has still to be checked.
pub(crate) fn text_matching(pattern: &str, choices: &impl Choices) -> Option<String> {
    let hir = ParserBuilder::new().build().parse(pattern).ok()?;
    let mut out = String::new();
    write(&hir, choices, &mut out)?;
    Some(out)
}

fn write(hir: &Hir, choices: &impl Choices, out: &mut String) -> Option<()> {
    if out.len() > LONGEST {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => out.push(member(class, choices)?),
        HirKind::Capture(group) => write(&group.sub, choices, out)?,
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            for number in 0..repetition.min.max(SOME.min(most)) {
                write(&repetition.sub, &choices.child(&number.to_string()), out)?;
            }
        }
        HirKind::Concat(parts) => {
            for (number, part) in parts.iter().enumerate() {
                write(part, &choices.child(&number.to_string()), out)?;
            }
        }
        HirKind::Alternation(branches) => write(choices.pick(branches)?, choices, out)?,
    }
    Some(())
}

/// One of a class, a letter or a digit where it has any: those survive every encoding.
fn member(class: &Class, choices: &impl Choices) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.ranges().iter().map(|it| (it.start(), it.end())).collect(),
        Class::Bytes(class) => {
            class.ranges().iter().map(|it| (it.start().into(), it.end().into())).collect()
        }
    };
    let holds = |c: &char| ranges.iter().any(|(start, end)| (start..=end).contains(&c));
    let plain: Vec<char> = ('a'..='z').chain('A'..='Z').chain('0'..='9').filter(holds).collect();
    choices.pick(&plain).copied().or_else(|| ranges.first().map(|(start, _)| *start))
}

/// A text of one of the formats that JSON Schema names; `None` for formats it does not know.
pub(crate) fn text_of_format(format: &str) -> Option<&'static str> {
    Some(match format {
        "date" => "2026-01-15",
        "date-time" => "2026-01-15T09:30:00Z",
        "time" => "09:30:00Z",
        "duration" => "PT15M",
        "email" => "person@example.com",
        "hostname" => "example.com",
        "uri" | "url" => "https://example.com/",
        "uuid" => "123e4567-e89b-42d3-a456-426614174000",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Always the option with this number, counted round.
    struct Nth(usize);

    impl Choices for Nth {
        fn child(&self, _: &str) -> Self {
            Self(self.0)
        }
        fn pick<'a, T>(&self, options: &'a [T]) -> Option<&'a T> {
            options.get(self.0.checked_rem(options.len())?)
        }
    }

    #[test]
    fn a_text_is_found_for_the_patterns_that_schemas_use() {
        for pattern in [
            "^[A-Z]{2}-[0-9]{4}$",
            "^\\d{4}-\\d{2}-\\d{2}$",
            "^(GET|POST|PUT)$",
            "^[a-z][a-z0-9_]*$",
            "\\w+@\\w+\\.com",
            "^#?([0-9a-f]{3}){1,2}$",
            "^[^/]+/[^/]+$",
            "^(foo|bar)+$",
            "^/[a-z/]*$",
            r"^v\d+\.\d+$",
            "abc",
            "^(?:a|b)c?$",
        ] {
            for number in 0..5 {
                let text = text_matching(pattern, &Nth(number)).unwrap();
                let schema = json!({"type": "string", "pattern": pattern});
                assert!(jsonschema::is_valid(&schema, &json!(text)), "{pattern} gave {text}");
            }
        }
    }

    #[test]
    fn what_cannot_be_read_or_grows_too_long_gives_nothing() {
        assert_eq!(text_matching("(", &Nth(1)), None);
        assert_eq!(text_matching("^a{500}b{500}$", &Nth(1)), None);
    }
}
