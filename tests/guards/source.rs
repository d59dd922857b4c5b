//! The production code of the tree as tokens: comments, literals and what only tests compile left out.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A word or a mark, and the line it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// A file of the crate.
#[derive(Debug)]
pub(crate) struct Source {
    /// The path below `src`.
    pub(crate) path: String,
    pub(crate) tokens: Vec<Token>,
}

impl Source {
    /// The production code of a file, and the names of the modules in it that only tests compile.
    pub(crate) fn parse(path: &str, text: &str) -> (Self, Vec<String>) {
        let (tokens, test_modules) = without_tests(&tokens(text));
        (Self { path: path.to_owned(), tokens }, test_modules)
    }

    /// The top-level module that the file belongs to.
    pub(crate) fn room(&self) -> &str {
        self.path.split('/').next().unwrap().trim_end_matches(".rs")
    }

    /// How many modules the file's own module stands in, itself included.
    pub(crate) fn depth(&self) -> usize {
        let steps = self.path.split('/').count();
        if self.path.ends_with("mod.rs") { steps - 1 } else { steps }
    }

    /// Where a sequence of tokens begins.
    pub(crate) fn find(&self, sequence: &[&str]) -> Vec<usize> {
        let same = |window: &[Token]| window.iter().zip(sequence).all(|(a, b)| a.text == *b);
        let windows = self.tokens.windows(sequence.len()).enumerate();
        windows.filter(|(_, window)| same(window)).map(|(at, _)| at).collect()
    }

    /// Each run of `super::super::…`, as its line and the number of its steps.
    pub(crate) fn longest_climbs(&self) -> Vec<(usize, usize)> {
        let words: Vec<&str> = self.tokens.iter().map(|token| token.text.as_str()).collect();
        let climb =
            |at: usize| words[at..].chunks(2).take_while(|it| *it == ["super", "::"]).count();
        (0..words.len()).map(|at| (self.tokens[at].line, climb(at))).filter(|it| it.1 > 0).collect()
    }
}

/// Every file of the crate that is compiled without tests.
pub(crate) fn production() -> &'static [Source] {
    static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(read_production);
    &SOURCES
}

fn read_production() -> Vec<Source> {
    let folder = root().join("src");
    let mut test_only: Vec<PathBuf> = Vec::new();
    let mut sources = Vec::new();
    for file in rust_files(&folder) {
        let path = file.strip_prefix(&folder).unwrap().to_str().unwrap();
        let (source, modules) = Source::parse(path, &read(&file));
        let is_root = ["mod.rs", "lib.rs", "main.rs"].iter().any(|name| file.ends_with(name));
        let inside = if is_root { file.parent().unwrap().into() } else { file.with_extension("") };
        test_only.extend(modules.iter().map(|name| inside.join(name)));
        sources.push(source);
    }
    sources.retain(|source| {
        let module = folder.join(&source.path).with_extension("");
        !test_only.iter().any(|test| module.starts_with(test))
    });
    sources
}

/// Takes away each item under `#[cfg(test)]`, and names those that are modules in other files.
fn without_tests(tokens: &[Token]) -> (Vec<Token>, Vec<String>) {
    let (mut kept, mut modules, mut at) = (Vec::new(), Vec::new(), 0);
    while at < tokens.len() {
        let starts_with = |words: &[&str]| {
            let here = tokens[at..].iter().map(|token| token.text.as_str());
            here.take(words.len()).eq(words.iter().copied())
        };
        let is_test = || {
            starts_with(&["#", "[", "cfg", "(", "test", ")", "]"])
                || starts_with(&["#", "[", "cfg", "(", "all", "(", "test"])
        };
        if tokens[at].text == "#" && is_test() {
            let end = at + item(&tokens[at..]);
            if let [.., module, name, semicolon] = &tokens[at..end]
                && (module.text.as_str(), semicolon.text.as_str()) == ("mod", ";")
            {
                modules.push(name.text.clone());
            }
            at = end;
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    (kept, modules)
}

/// How many tokens an item with its attributes has. One that has a body ends with it; others, and
/// statements, end with a semicolon; variants, fields and arms with a comma or with their parent.
fn item(tokens: &[Token]) -> usize {
    let bodies = ["fn", "mod", "struct", "enum", "union", "impl", "trait", "macro_rules"];
    let (mut depth, mut in_attribute, mut has_body, mut is_import) = (0_i32, false, false, false);
    for (at, token) in tokens.iter().enumerate() {
        let text = token.text.as_str();
        match text {
            "#" if depth == 0 => in_attribute = true,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => return at,
            ")" | "]" | "}" => depth -= 1,
            "use" if depth == 0 => is_import = true,
            word if depth == 0 && bodies.contains(&word) => has_body = true,
            _ => {}
        }
        let ends = match text {
            "]" if in_attribute && depth == 0 => {
                in_attribute = false;
                false
            }
            ";" => depth == 0,
            "," => depth == 0 && !has_body && !is_import,
            "}" => depth == 0 && has_body,
            _ => false,
        };
        if ends {
            return at + 1;
        }
    }
    tokens.len()
}

/// The tokens of Rust code. A literal is one empty token, whatever it holds.
fn tokens(text: &str) -> Vec<Token> {
    let (mut found, mut rest, mut line) = (Vec::new(), text, 1);
    while let Some(first) = rest.chars().next() {
        let length = token_length(rest);
        let piece = &rest[..length];
        let is_comment = piece.starts_with("//") || piece.starts_with("/*");
        if !first.is_whitespace() && !is_comment {
            let is_literal = piece.ends_with(['"', '\'', '#']) && piece.len() > 1;
            let text = if is_literal { "" } else { piece };
            found.push(Token { line, text: text.to_owned() });
        }
        line += piece.matches('\n').count();
        rest = &rest[length..];
    }
    found
}

fn token_length(text: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = text.find(|c| !is_word(c)).unwrap_or(text.len());
    let after_word = &text[word..];
    if text.starts_with("//") {
        text.find('\n').unwrap_or(text.len())
    } else if text.starts_with("/*") {
        block_comment(text)
    } else if ["r", "br", "cr"].contains(&&text[..word]) && after_word.starts_with(['"', '#']) {
        let hashes = after_word.len() - after_word.trim_start_matches('#').len();
        let Some(body) = after_word[hashes..].strip_prefix('"') else {
            return word; // a raw identifier
        };
        let close = format!("\"{}", "#".repeat(hashes));
        word + hashes + 1 + body.find(&close).unwrap() + close.len()
    } else if ["", "b", "c"].contains(&&text[..word]) && after_word.starts_with('"') {
        word + quoted(after_word, '"')
    } else if ["", "b"].contains(&&text[..word]) && after_word.starts_with('\'') {
        let mut ahead = after_word.chars().skip(1);
        let is_char = ahead.next() == Some('\\') || ahead.next() == Some('\'');
        let lifetime = || 1 + after_word[1..].find(|c| !is_word(c)).unwrap();
        word + if is_char { quoted(after_word, '\'') } else { lifetime() }
    } else if word > 0 {
        word
    } else if text.starts_with("::") {
        2
    } else {
        text.chars().next().map_or(0, char::len_utf8)
    }
}

/// The length of a literal in quotes, with escapes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
        if text[at..].starts_with("/*") {
            depth += 1;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            if depth == 0 {
                return at + 2;
            }
        }
    }
    text.len()
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    files(folder).into_iter().filter(|file| file.extension().is_some_and(|e| e == "rs")).collect()
}

/// All files in a folder and below it, in order.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .flat_map(|entry| {
            let path = entry.unwrap().path();
            if path.is_dir() { files(&path) } else { vec![path] }
        })
        .collect();
    found.sort();
    found
}

fn words(text: &str) -> (String, Vec<String>) {
    let (source, modules) = Source::parse("probe/x.rs", text);
    let words: Vec<&str> = source.tokens.iter().map(|token| token.text.as_str()).collect();
    (words.join(" "), modules)
}

#[test]
fn only_the_item_under_cfg_test_is_left_out() {
    for (text, expected) in [
        ("#[cfg(test)]\nmod tests { fn a() { b(\"}\") } }\nfn c() {}", "fn c ( ) { }"),
        ("#[cfg(test)]\n#[derive(Debug)]\nstruct A(B, C);\nuse d;", "use d ;"),
        ("#[cfg(test)]\nuse a::{b, c};\nuse d;", "use d ;"),
        ("#[cfg(test)]\npub(crate) fn a<B, C>(d: E) -> F { g }\nuse d;", "use d ;"),
        ("enum A { #[cfg(test)] B, C }", "enum A { C }"),
        ("enum A { C, #[cfg(test)] B }", "enum A { C , }"),
        ("#[cfg(not(test))]\nuse a;", "# [ cfg ( not ( test ) ) ] use a ;"),
    ] {
        assert_eq!(words(text).0, expected, "{text}");
    }
    assert_eq!(
        words("#[cfg(test)]\nmod testing;\nmod b;"),
        ("mod b ;".into(), vec!["testing".into()])
    );
}

#[test]
fn comments_and_literals_say_nothing() {
    let text = r##"a /* } /* { */ */ // "
        '{' '\'' b'"' "\"{" r#"" { "# br"{" &'a b r#type"##;
    assert_eq!(words(text).0, "a       & 'a b r # type");
}
