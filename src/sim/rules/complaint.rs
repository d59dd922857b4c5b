//! Refusal texts: what a provider says about a request, and where those words are known from.

use serde_json::Value;

/// Where the words of a refusal are known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// An issue or pull request that quotes them, as `owner/repo#number`.
    Seen(&'static str),
    /// A documentation page or source file that has them.
    Page(&'static str),
    /// A program and version that was asked and answered so.
    Tried(&'static str),
    /// Nothing at hand quotes them: they prove nothing about the provider.
    Invented,
}

/// A refusal: a status, the provider's words with blanks in braces such as `{n}`, and the source of
/// the words.
///
/// In the texts a backtick is written as it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Complaint {
    source: Source,
    status: u16,
    kind: Option<&'static str>,
    code: Option<&'static str>,
    param: Option<&'static str>,
    message: &'static str,
}

impl Complaint {
    /// A 400 with this text.
    pub(super) const fn bad(source: Source, message: &'static str) -> Self {
        Self::new(source, 400, message)
    }

    /// Any other status with this text.
    pub(super) const fn new(source: Source, status: u16, message: &'static str) -> Self {
        Self { source, status, kind: None, code: None, param: None, message }
    }

    /// With another status than it was made with.
    pub(super) const fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// With the provider's `type` word, where the status does not settle it.
    pub(super) const fn kind(self, kind: &'static str) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// With the provider's code.
    pub(super) const fn code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    /// With the parameter at fault, which may have blanks too.
    pub(super) const fn param(self, param: &'static str) -> Self {
        Self { param: Some(param), ..self }
    }

    /// The complaint with its blanks filled in.
    pub(super) fn about(&self, blanks: &[(&str, &str)]) -> Violation {
        Violation {
            source: self.source,
            status: self.status,
            kind: self.kind,
            code: self.code,
            param: self.param.map(|param| fill(param, blanks)),
            message: fill(self.message, blanks),
            detail: None,
        }
    }

    /// The complaint about the message or item at this place.
    pub(super) fn at(&self, n: usize) -> Violation {
        self.about(&[("n", &n.to_string())])
    }
}

/// One complaint about one request, before it is put into the provider's envelope.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Violation {
    pub(super) source: Source,
    pub(super) status: u16,
    pub(super) kind: Option<&'static str>,
    pub(super) code: Option<&'static str>,
    pub(super) param: Option<String>,
    pub(super) message: String,
    /// A structured message, where the provider's validator writes one.
    pub(super) detail: Option<Box<Value>>,
}

/// Replaces each `{blank}` once, in one pass: text that is filled in is not searched for blanks.
fn fill(template: &str, blanks: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let known = after.split_once('}').and_then(|(name, tail)| {
            blanks.iter().find(|(blank, _)| *blank == name).map(|(_, value)| (*value, tail))
        });
        if let Some((value, tail)) = known {
            out.push_str(value);
            rest = tail;
        } else {
            out.push('{');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_filled_once_and_braces_of_patterns_are_left_alone() {
        let text = fill("tools.{n}: '^[a-z]{1,128}$' {id} {", &[("n", "3"), ("id", "{n}")]);
        assert_eq!(text, "tools.3: '^[a-z]{1,128}$' {n} {");
    }
}
