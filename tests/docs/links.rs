//! Links between pages: does each relative one lead to a file, and to a heading in it?

use std::fs;
use std::path::Path;

use crate::pages;

#[test]
fn relative_links_lead_to_files_and_headings_that_exist() {
    let mut dead = Vec::new();
    for page in pages::all() {
        for link in links(&page.prose()) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => page.path.clone(),
                _ => page.path.parent().unwrap().join(file),
            };
            if !target.exists() || !(anchor.is_empty() || has_heading(&target, anchor)) {
                dead.push(format!("{}: {link}", page.path.display()));
            }
        }
    }
    assert!(dead.is_empty(), "links that lead nowhere:\n{}", dead.join("\n"));
}

#[test]
fn the_index_names_every_page() {
    let index = pages::named("README").text;
    for page in pages::all() {
        let name = page.path.file_name().unwrap().to_str().unwrap();
        assert!(name == "README.md" || index.contains(&format!("]({name})")), "lacks {name}");
    }
}

/// The addresses of Markdown links that are not on the web.
fn links(text: &str) -> Vec<String> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()))
        .filter(|link| !link.contains("://"))
        .collect()
}

fn has_heading(file: &Path, anchor: &str) -> bool {
    let text = fs::read_to_string(file).unwrap();
    text.lines().filter(|line| line.starts_with('#')).any(|line| slug(line) == anchor)
}

/// The anchor that a heading gets.
fn slug(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}
