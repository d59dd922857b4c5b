//! What a journal holds after it was written, closed, resumed, torn or altered.

use std::sync::Arc;

use super::super::Evidence;
use super::testing::exchange;
use super::*;
use crate::transport::RecordedExchange;

fn folder() -> (tempfile::TempDir, Evidence) {
    let dir = tempfile::tempdir().unwrap();
    let evidence = Evidence::in_folder(dir.path().join("evidence"));
    (dir, evidence)
}

/// The evidence as another process finds it.
fn found(dir: &tempfile::TempDir) -> Evidence {
    Evidence::in_folder(dir.path().join("evidence"))
}

/// What a request can cost at most.
const MOST: TokenCount = TokenCount { prompt: 100, completion: 50 };

fn keep(journal: &JournalFile, exchange: &Exchange) -> Digest {
    journal.reserve(MOST).unwrap();
    let mut kept = exchange.clone();
    journal.keep(&mut kept, Standing::Answered);
    journal.settle(MOST, TokenCount { prompt: 10, completion: 1 });
    RecordedExchange::from(kept).digest().clone()
}

fn without_mark(exchange: Exchange) -> Exchange {
    Exchange { kept: None, ..exchange }
}

#[test]
fn an_exchange_is_found_by_its_address_whether_the_journal_was_closed_or_not() {
    for (answer, closed) in [("small", true), ("small", false)]
        .into_iter()
        .chain([(LARGE.as_str(), true), (LARGE.as_str(), false)])
    {
        let (dir, evidence) = folder();
        let journal = evidence.begin("acme");
        let (first, second) = (exchange(1, answer), exchange(2, answer));
        let digests = [keep(&journal, &first), keep(&journal, &second)];
        assert_eq!(digests[1], *RecordedExchange::from(second.clone()).digest());
        if closed {
            journal.close().unwrap();
        }
        let evidence = found(&dir);
        assert_eq!(without_mark(evidence.get(&digests[1]).unwrap()), second);
        assert_eq!(evidence.file_name(&digests[0]).as_deref(), Some("acme.jsonl"));
        assert_eq!(evidence.of_target("acme").unwrap().len(), 2);
        let error = evidence.get(&Digest::of("x")).unwrap_err().to_string();
        assert!(error.starts_with("no evidence sha256:"), "{error}");
    }
}

static LARGE: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| "y".repeat(40_000));

#[test]
fn large_records_are_compressed() {
    let (dir, evidence) = folder();
    keep(&evidence.begin("acme"), &exchange(1, &LARGE));
    assert!(fs::metadata(dir.path().join("evidence/acme.jsonl")).unwrap().len() < 4_000);
}

#[test]
fn a_resumed_journal_gives_each_answer_once_and_adds_to_what_was_spent() {
    let (dir, evidence) = folder();
    let journal = evidence.begin("acme");
    for answer in ["one", "two"] {
        keep(&journal, &exchange(1, answer));
    }
    journal.keep(&mut exchange(2, "down"), Standing::Open);
    journal.reserve(MOST).unwrap();
    assert!(!journal.holds_answers());
    drop(journal);
    let resumed = found(&dir).resume("acme");
    // The last request was never settled, so it counts in full.
    let spent = Spent { requests: 3, prompt_tokens: 120, completion_tokens: 52 };
    assert_eq!(resumed.spent().unwrap(), spent);
    assert!(resumed.holds_answers());
    let recall = |question| resumed.recall(&exchange(question, "").request).map(without_mark);
    assert_eq!(recall(1), Some(exchange(1, "one")));
    assert_eq!(recall(1), Some(exchange(1, "two")));
    assert_eq!((recall(1), recall(2)), (None, None), "what is open is asked again");
    assert!(!resumed.holds_answers());
    keep(&resumed, &exchange(2, "up"));
    resumed.close().unwrap();
    assert_eq!(found(&dir).resume("acme").spent().unwrap().requests, 4);
    assert_eq!(found(&dir).of_target("acme").unwrap().len(), 4);
}

#[test]
fn a_torn_line_is_cut_off_wherever_it_is_torn() {
    let (dir, evidence) = folder();
    let path = dir.path().join("evidence/acme.jsonl");
    let journal = evidence.begin("acme");
    let first = keep(&journal, &exchange(1, "one"));
    let whole = fs::read(&path).unwrap();
    keep(&journal, &exchange(2, "two"));
    drop(journal);
    let longer = fs::read(&path).unwrap();
    for cut in whole.len()..longer.len() {
        fs::write(&path, &longer[..cut]).unwrap();
        let resumed = found(&dir).resume("acme");
        resumed.reserve(MOST).unwrap();
        resumed.close().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.lines().all(|line| serde_json::from_str::<Line<'_>>(line).is_ok()), "{cut}");
        assert!(found(&dir).get(&first).is_ok(), "{cut}");
    }
}

#[test]
fn an_altered_record_is_found_out_and_the_others_still_count() {
    let (dir, evidence) = folder();
    let path = dir.path().join("evidence/acme.jsonl");
    let journal = evidence.begin("acme");
    let digests = ["one", "two"].map(|answer| keep(&journal, &exchange(1, answer)));
    journal.close().unwrap();
    let text =
        fs::read_to_string(&path).unwrap().replacen("\"whole\":\"one\"", "\"whole\":\"eno\"", 1);
    fs::write(&path, text).unwrap();
    let error = found(&dir).get(&digests[0]).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{} does not hold", path.display())), "{error}");
    assert!(found(&dir).get(&digests[1]).is_ok());
}

#[test]
fn a_folder_that_vanished_is_not_made_again() {
    let (dir, evidence) = folder();
    let journal = Arc::new(evidence.begin("acme"));
    keep(&journal, &exchange(1, "one"));
    fs::remove_dir_all(dir.path()).unwrap();
    assert!(journal.close().is_err());
    assert!(evidence.begin("other").reserve(MOST).is_err());
    assert!(!dir.path().exists());
}

#[test]
fn names_that_read_the_same_have_files_of_their_own() {
    let names = ["acme", "Acme", "acme/one", "acme one", "", "..", "..\u{7}", &"x".repeat(300)];
    let mut files = names.map(file_name);
    assert_eq!(files[0], "acme.jsonl");
    files.sort();
    assert!(files.windows(2).all(|pair| pair[0].to_lowercase() != pair[1].to_lowercase()));
    assert!(files.iter().all(|name| name.len() < 100 && !name.starts_with('.')), "{files:?}");
}
