//! Which text matches this pattern?

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::Seed;

/// What an unbounded repetition is repeated to, at least.
const SOME: u32 = 3;

/// Patterns whose texts would be longer are not worth asking for.
const LONGEST: usize = 512;

/// A text that a pattern matches; `None` where the pattern cannot be read or its text is too long.
/// Look-around is taken for granted, so the text has still to be checked.
pub(super) fn matching(pattern: &str, seed: &Seed) -> Option<String> {
    let hir = ParserBuilder::new().build().parse(pattern).ok()?;
    let mut out = String::new();
    write(&hir, seed, &mut out)?;
    Some(out)
}

fn write(hir: &Hir, seed: &Seed, out: &mut String) -> Option<()> {
    if out.len() > LONGEST {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => out.push(member(class, seed)?),
        HirKind::Capture(group) => write(&group.sub, seed, out)?,
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            for number in 0..repetition.min.max(SOME.min(most)) {
                write(&repetition.sub, &seed.child(&number.to_string()), out)?;
            }
        }
        HirKind::Concat(parts) => {
            for (number, part) in parts.iter().enumerate() {
                write(part, &seed.child(&number.to_string()), out)?;
            }
        }
        HirKind::Alternation(branches) => write(seed.pick(branches)?, seed, out)?,
    }
    Some(())
}

/// One of a class, a letter or a digit where it has any: those survive every encoding.
fn member(class: &Class, seed: &Seed) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.ranges().iter().map(|it| (it.start(), it.end())).collect(),
        Class::Bytes(class) => {
            class.ranges().iter().map(|it| (it.start().into(), it.end().into())).collect()
        }
    };
    let holds = |c: &char| ranges.iter().any(|(start, end)| (start..=end).contains(&c));
    let plain: Vec<char> = ('a'..='z').chain('A'..='Z').chain('0'..='9').filter(holds).collect();
    seed.pick(&plain).copied().or_else(|| ranges.first().map(|(start, _)| *start))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
        ] {
            for number in 0..5 {
                let text = matching(pattern, &Seed::new(number)).unwrap();
                let schema = json!({"type": "string", "pattern": pattern});
                assert!(jsonschema::is_valid(&schema, &json!(text)), "{pattern} gave {text}");
            }
        }
    }

    #[test]
    fn what_cannot_be_read_or_grows_too_long_gives_nothing() {
        assert_eq!(matching("(", &Seed::new(1)), None);
        assert_eq!(matching("^a{500}b{500}$", &Seed::new(1)), None);
    }
}
