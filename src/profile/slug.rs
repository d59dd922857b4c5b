//! What is a profile's file called?
//!
//! Readable, and made only of what every file system takes: a model's name is the provider's text
//! and may hold slashes, dots or worse. The hash keeps apart what reads alike.

use super::Subject;
use crate::dialect::DialectId;
use crate::ir::Digest;

/// How much of a name stays readable.
const READABLE: usize = 80;

/// How many digits of the hash stand at the end: 48 bits.
const HASH_DIGITS: usize = 12;

/// The name of a profile's file, without its ending.
///
/// The dialect is part of it, because one endpoint can speak several and do so differently.
pub fn slug(subject: &Subject, dialect: DialectId) -> String {
    let Subject { provider, model, endpoint, chat_template_hash, variant } = subject;
    let mut readable = format!("{provider} {model}");
    if let Some(variant) = variant {
        readable = format!("{readable} {variant}");
    }
    let parts = (provider, model, endpoint, chat_template_hash, variant, dialect);
    let exact = serde_json::json!(parts).to_string();
    let hash: String = Digest::of(exact).hex().chars().take(HASH_DIGITS).collect();
    format!("{}-{hash}", plain(&readable))
}

/// Lower case letters, digits and single dashes; dots only between two of them.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().map(|c| c.to_ascii_lowercase()) {
        match c {
            'a'..='z' | '0'..='9' => out.push(c),
            '.' if out.ends_with(|c: char| c.is_ascii_alphanumeric()) => out.push('.'),
            _ if out.ends_with(|c: char| c.is_ascii_alphanumeric()) => out.push('-'),
            _ => {}
        }
        if out.len() >= READABLE {
            break;
        }
    }
    let trimmed = out.trim_end_matches(['-', '.']);
    if trimmed.is_empty() { "unnamed".to_owned() } else { trimmed.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::profile::testing::subject;

    fn of_model(model: &str) -> String {
        slug(&Subject { model: model.to_owned(), ..subject() }, DialectId::OpenAiChat)
    }

    #[test]
    fn a_slug_is_readable_and_stable() {
        assert_eq!(slug(&subject(), DialectId::OpenAiChat), "acme-big-model-7b-free-a42f0dd0e660");
    }

    #[test]
    fn no_models_name_reaches_the_file_system_as_it_is() {
        for model in ["../../etc/passwd", "..", "a/b\\c:d", "CON", "\u{0}x", "模型", "", " . . "]
        {
            let slug = of_model(model);
            let safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-".contains(c);
            assert!(slug.chars().all(safe), "{slug}");
            assert!(slug.starts_with("acme") && !slug.contains(".."), "{slug}");
        }
        assert!(of_model(&"x".repeat(10_000)).len() < 100);
    }

    #[test]
    fn every_part_of_the_tuple_and_the_dialect_keep_slugs_apart() {
        let base = subject();
        let chat = DialectId::OpenAiChat;
        let some = |text: &str| Some(text.to_owned());
        let slugs = [
            slug(&base, chat),
            slug(&base, DialectId::OpenAiResponses),
            slug(&Subject { provider: "Acme".to_owned(), ..base.clone() }, chat),
            slug(&Subject { model: "big model/7b:free".to_owned(), ..base.clone() }, chat),
            slug(&Subject { endpoint: "https://other".to_owned(), ..base.clone() }, chat),
            slug(&Subject { chat_template_hash: some("sha256:1"), ..base.clone() }, chat),
            slug(&Subject { variant: some("thinking-off"), ..base.clone() }, chat),
        ];
        assert_eq!(slugs.iter().collect::<BTreeSet<_>>().len(), slugs.len(), "{slugs:?}");
    }
}
