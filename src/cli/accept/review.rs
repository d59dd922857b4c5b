//! The review: what becomes of each change, asked one by one.

use std::io;

/// What becomes of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// The snapshot takes it over.
    Accept,
    /// The snapshot stays as it is, and the question is answered.
    Keep,
    /// The snapshot stays as it is until somebody decides.
    Skip,
}

/// What one answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReviewAnswer {
    This(Choice),
    /// This one and all that follow.
    Rest(Choice),
}

const QUESTION: &str = "accept it (a), keep the snapshot (k), skip it (s), accept all that follow (A), \
                        quit (q)? ";

const NOT_UNDERSTOOD: &str = "please answer a, k, s, A or q";

/// Asks about each change, which comes as a text; there is nothing to ask where there is none, and such
/// a change stays as it is. `ask` shows a text and gives the next line, or `None` at the end of the input.
pub(super) fn review(
    changes: &[Option<String>],
    mut ask: impl FnMut(&str) -> io::Result<Option<String>>,
) -> io::Result<Vec<Choice>> {
    let all = changes.iter().flatten().count();
    let (mut choices, mut asked, mut rest) = (Vec::new(), 0, None);
    for change in changes {
        choices.push(match (change, rest) {
            (None, _) => Choice::Skip,
            (Some(_), Some(choice)) => choice,
            (Some(text), None) => {
                asked += 1;
                match answer(&format!("\n{asked} of {all}: {text}{QUESTION}"), &mut ask)? {
                    ReviewAnswer::This(choice) => choice,
                    ReviewAnswer::Rest(choice) => *rest.insert(choice),
                }
            }
        });
    }
    Ok(choices)
}

/// Asks until an answer is understood. The end of the input decides nothing.
fn answer(
    question: &str,
    ask: &mut impl FnMut(&str) -> io::Result<Option<String>>,
) -> io::Result<ReviewAnswer> {
    let mut shown = question.to_owned();
    loop {
        let Some(line) = ask(&shown)? else { return Ok(ReviewAnswer::Rest(Choice::Skip)) };
        match read_answer(line.trim()) {
            Some(answer) => return Ok(answer),
            None => shown = format!("{NOT_UNDERSTOOD}\n{QUESTION}"),
        }
    }
}

fn read_answer(word: &str) -> Option<ReviewAnswer> {
    Some(match word {
        "a" | "accept" => ReviewAnswer::This(Choice::Accept),
        "k" | "keep" => ReviewAnswer::This(Choice::Keep),
        "s" | "skip" => ReviewAnswer::This(Choice::Skip),
        "A" | "all" => ReviewAnswer::Rest(Choice::Accept),
        "q" | "quit" => ReviewAnswer::Rest(Choice::Skip),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The choices on so many changes, and what was shown.
    fn reviewed(count: usize, answers: &[&str]) -> (Vec<Choice>, Vec<String>) {
        let changes: Vec<_> = (0..count).map(|nth| Some(format!("change-{nth}\n"))).collect();
        let (mut answers, mut shown) = (answers.iter(), Vec::new());
        let ask = |text: &str| {
            shown.push(text.to_owned());
            Ok(answers.next().map(|it| format!("{it}\n")))
        };
        (review(&changes, ask).unwrap(), shown)
    }

    use Choice::{Accept, Keep, Skip};

    #[test]
    fn each_change_is_shown_and_decided_by_its_own_answer() {
        let (choices, shown) = reviewed(3, &["a", "keep", " s "]);
        assert_eq!(choices, [Accept, Keep, Skip]);
        assert!(shown[1].starts_with("\n2 of 3: change-1\naccept it (a), "), "{shown:?}");
    }

    #[test]
    fn the_rest_can_be_accepted_or_left() {
        assert_eq!(reviewed(3, &["k", "A"]).0, [Keep, Accept, Accept]);
        assert_eq!(reviewed(3, &["a", "q"]).0, [Accept, Skip, Skip]);
        assert_eq!(reviewed(3, &["a"]).0, [Accept, Skip, Skip], "the input ended");
    }

    #[test]
    fn an_answer_that_is_not_understood_is_asked_for_again() {
        let (choices, shown) = reviewed(1, &["yes", "", "a"]);
        assert_eq!(choices, [Accept]);
        assert!(shown[1].starts_with("please answer a, k, s, A or q\n"), "{shown:?}");
        assert_eq!(shown.len(), 3);
    }

    #[test]
    fn what_is_not_to_be_asked_about_stays() {
        let mut asked = 0;
        let ask = |_: &str| {
            asked += 1;
            Ok(Some("A".to_owned()))
        };
        let choices = review(&[None, Some(String::new()), None], ask).unwrap();
        assert_eq!((choices, asked), (vec![Skip, Accept, Skip], 1));
    }
}
