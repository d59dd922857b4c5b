//! Telemetry files: reads turn events line by line, and says which line is wrong.

use super::TurnEvent;

/// A line that is not a turn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}{}: {problem}", column.map_or_else(String::new, |column| format!(", column {column}")))]
pub struct BadLine {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, where a parser stopped.
    pub column: Option<usize>,
    /// What is wrong, with the field.
    pub problem: String,
}

/// The turns of a text, one JSON object per line; empty lines are passed over.
pub fn read_lines(text: &str) -> Result<Vec<TurnEvent>, BadLine> {
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    numbered
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| event(number, line))
        .collect()
}

fn event(line: usize, text: &str) -> Result<TurnEvent, BadLine> {
    let event: TurnEvent = serde_json::from_str(text).map_err(|error| BadLine {
        line,
        column: Some(error.column().max(1)),
        problem: problem(text, &error),
    })?;
    match event.check() {
        Ok(()) => Ok(event),
        Err(contradiction) => {
            Err(BadLine { line, column: None, problem: contradiction.to_string() })
        }
    }
}

/// The parser's words without its place, and with the field that they do not name by themselves.
fn problem(text: &str, error: &serde_json::Error) -> String {
    let words = error.to_string();
    let words = words.split(" at line ").next().unwrap_or_default();
    match field_before(text, error.column()) {
        Some(field) if !words.contains(&format!("`{field}`")) => format!("`{field}`: {words}"),
        _ => words.to_owned(),
    }
}

/// The last key that stands before a column.
fn field_before(text: &str, column: usize) -> Option<&str> {
    let before = text.get(..column.min(text.len()))?;
    let (key, _) = before.rsplit_once("\":")?;
    key.rsplit_once('"').map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem_of(text: &str) -> String {
        read_lines(text).unwrap_err().to_string()
    }

    #[test]
    fn a_turn_of_nothing_but_its_defaults_is_an_empty_object() {
        let events = read_lines("{}\n\n{\"calls\":2,\"extra\":{\"mine\":1}}\n").unwrap();
        assert_eq!(events.len(), 2);
        assert_eq!(serde_json::to_string(&events[0]).unwrap(), "{}");
        assert_eq!(events[1].calls, 2);
    }

    #[test]
    fn bad_lines_are_named_with_line_and_field() {
        let unknown = problem_of("{}\n{\"call\": 1}\n");
        assert!(unknown.starts_with("line 2, column 7: unknown field `call`"), "{unknown}");
        let kind = problem_of("{\"calls\": \"two\"}");
        assert!(kind.starts_with("line 1, column 15: `calls`: invalid type: string"), "{kind}");
        let cut = problem_of("{\"calls\": 1");
        assert!(cut.starts_with("line 1, column 11: `calls`: EOF while parsing"), "{cut}");
        let negative = problem_of("{\"calls\": -1}");
        assert!(negative.contains("`calls`: invalid value: integer `-1`"), "{negative}");
        assert!(problem_of("3").starts_with("line 1, column 1: invalid type"), "not an object");
    }

    #[test]
    fn turns_that_contradict_themselves_are_refused() {
        assert_eq!(
            problem_of("{\"calls\": 1, \"invalidCalls\": 2}"),
            "line 1: `invalidCalls`: is 2, more than `calls` (1)"
        );
        assert_eq!(
            problem_of("{\"reasoningReplayError\": true}"),
            "line 1: `reasoningReplayError`: is true where `replayedReasoning` is not"
        );
        assert!(problem_of("{\"telemetryVersion\": 2}").contains("`telemetryVersion`: is 2"));
    }
}
