//! Names for tools of MCP servers that every provider accepts.

use sha2::{Digest, Sha256};

/// The longest name that every provider takes.
pub(super) const MAX_NAME_LENGTH: usize = 64;

const PREFIX: &str = "mcp__";
const SEPARATOR: &str = "__";
const HASH_LENGTH: usize = 12;

/// `mcp__server__tool`, in letters, digits, `_` and `-`, at most 64 characters. Different pairs get
/// different names: a name that had to be changed, shortened, or that could be read as another pair
/// ends in a hash of the pair.
pub(crate) fn mcp_name(server: &str, tool: &str) -> String {
    let plain = format!("{PREFIX}{}{SEPARATOR}{}", legal(server), legal(tool));
    if plain.len() <= MAX_NAME_LENGTH && is_readable(server, tool) {
        return plain;
    }
    let kept: String = plain.chars().take(MAX_NAME_LENGTH - HASH_LENGTH - 1).collect();
    format!("{kept}_{}", hash(server, tool))
}

fn legal(name: &str) -> String {
    name.chars().map(|c| if is_legal(c) { c } else { '_' }).collect()
}

fn is_legal(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Whether the pair can be read back: the first separator after the prefix ends the server's name.
fn is_readable(server: &str, tool: &str) -> bool {
    !server.is_empty()
        && !server.contains(SEPARATOR)
        && !server.ends_with('_')
        && server.chars().chain(tool.chars()).all(is_legal)
}

fn hash(server: &str, tool: &str) -> String {
    let digest = Sha256::new().chain_update(server).chain_update([0]).chain_update(tool).finalize();
    let nibbles = digest.into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    nibbles.take(HASH_LENGTH).filter_map(|n| char::from_digit(u32::from(n), 16)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_ordinary_pair_keeps_its_words() {
        assert_eq!(mcp_name("github", "create_issue"), "mcp__github__create_issue");
    }

    #[test]
    fn pairs_that_would_read_alike_get_different_names() {
        let pairs =
            [("a__b", "c"), ("a", "b__c"), ("a.b", "c"), ("a_b", "c"), ("a_", "b"), ("a", "_b")];
        let mut names: Vec<String> = pairs.iter().map(|(s, t)| mcp_name(s, t)).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), pairs.len(), "{names:?}");
    }

    #[test]
    fn a_long_name_is_cut_and_still_its_own() {
        let one = mcp_name("server", &"x".repeat(80));
        let other = mcp_name("server", &"x".repeat(81));
        assert_eq!((one.len(), other.len()), (MAX_NAME_LENGTH, MAX_NAME_LENGTH));
        assert_ne!(one, other);
    }

    proptest! {
        #[test]
        fn names_are_legal_and_different_pairs_never_collide(
            one in ("[ab_.é]{0,4}", "[ab_.é]{0,70}"),
            other in ("[ab_.é]{0,4}", "[ab_.é]{0,70}"),
        ) {
            let names = [mcp_name(&one.0, &one.1), mcp_name(&other.0, &other.1)];
            for name in &names {
                prop_assert!(name.len() <= MAX_NAME_LENGTH && name.chars().all(is_legal));
            }
            prop_assert_eq!(names[0] == names[1], one == other);
        }
    }
}
