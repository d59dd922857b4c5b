//! Is this place in prose, at the start of a line, or in code that is merely quoted?

/// What Markdown says of the current place.
#[derive(Debug)]
pub(crate) struct Prose {
    line: Line,
    /// No visible text at all so far.
    blank: bool,
    /// Nothing but white space since the last call.
    after_call: bool,
    /// How many backticks opened the code span that we are in; 0 if in none.
    span: usize,
    fence: Option<Fence>,
    /// The opening line of a fence, until it is known whether it is content.
    held_line: Option<String>,
    /// The line start that has been looked at.
    looked_at: Option<usize>,
}

/// What the current line holds so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    /// White space at most.
    Blank,
    /// Something visible.
    Written,
}

#[derive(Debug)]
struct Fence {
    ticks: usize,
    state: FenceState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FenceState {
    /// Quoted code: nothing in it counts.
    Code,
    /// The first thing in the text, with nothing in it yet.
    Fresh,
    /// Holds calls, and so is no quotation.
    Calls,
}

impl Default for Prose {
    fn default() -> Self {
        Self {
            line: Line::Blank,
            blank: true,
            after_call: false,
            span: 0,
            fence: None,
            held_line: None,
            looked_at: None,
        }
    }
}

impl Prose {
    pub(crate) fn line_is_blank(&self) -> bool {
        self.line == Line::Blank && self.span == 0
    }

    pub(crate) fn is_after_call(&self) -> bool {
        self.after_call
    }

    pub(crate) fn in_span(&self) -> bool {
        self.span > 0
    }

    pub(crate) fn in_fence(&self) -> bool {
        self.fence.is_some()
    }

    pub(crate) fn in_code(&self) -> bool {
        matches!(&self.fence, Some(Fence { state: FenceState::Code, .. }))
    }

    /// Whether the start of this line has not been looked at.
    pub(crate) fn look_at(&self, start: usize) -> bool {
        self.looked_at != Some(start)
    }

    pub(crate) fn looked_at(&mut self, start: usize) {
        self.looked_at = Some(start);
    }

    /// A call, a message or reasoning ended: what follows stands at the start of a line.
    pub(crate) fn boundary(&mut self) {
        self.line = Line::Blank;
        self.span = 0;
    }

    /// A token that is not content was dropped.
    pub(crate) fn dropped(&mut self) {
        self.looked_at = None;
    }

    pub(crate) fn called(&mut self) {
        self.after_call = true;
        if let Some(fence) = &mut self.fence {
            fence.state = FenceState::Calls;
            self.held_line = None;
        }
    }

    pub(crate) fn wrote(&mut self, line: Line) {
        self.line = line;
    }

    /// A run of backticks opens or closes a code span.
    pub(crate) fn ticks(&mut self, run: usize) {
        if self.span == 0 {
            self.span = run;
        } else if self.span == run {
            self.span = 0;
        }
    }

    /// Notes text that is handed on; gives a fence's opening line that must go before it.
    pub(crate) fn write(&mut self, text: &str) -> Option<String> {
        let last = text.rsplit('\n').next().unwrap_or(text);
        if text.contains('\n') {
            self.line = Line::Blank;
            self.span = 0;
        }
        if !last.trim().is_empty() {
            self.line = Line::Written;
        }
        if text.trim().is_empty() {
            return None;
        }
        self.blank = false;
        self.after_call = false;
        if let Some(fence) = &mut self.fence {
            fence.state = FenceState::Code;
        }
        self.held_line.take()
    }

    /// Notes a fence; true if its opening line is to be held back.
    pub(crate) fn open_fence(&mut self, ticks: usize, line: String) -> bool {
        let fresh = self.blank;
        let state = if fresh { FenceState::Fresh } else { FenceState::Code };
        self.held_line = fresh.then_some(line);
        self.fence = Some(Fence { ticks, state });
        fresh
    }

    /// Notes the end of a fence that is not code; true if its closing line is not content.
    pub(crate) fn close_fence(&mut self) -> bool {
        self.fence.take().is_some_and(|fence| fence.state == FenceState::Calls)
    }

    /// A held-back opening line after which nothing came.
    pub(crate) fn unused_fence(&mut self) -> Option<String> {
        self.held_line.take()
    }

    /// Whether no visible text has come.
    pub(crate) fn is_blank(&self) -> bool {
        self.blank
    }

    /// How much of a text is code, and whether what follows can be looked at now.
    pub(crate) fn code(&mut self, text: &str, ended: bool) -> (usize, bool) {
        let line = text.find('\n').map(|at| at + 1);
        let length = line.unwrap_or(text.len());
        if self.line == Line::Written {
            return (length, line.is_some());
        }
        let body = text.get(..length).unwrap_or("").trim();
        let ticks = self.fence.as_ref().map_or(3, |fence| fence.ticks);
        let run = body.len() - body.trim_start_matches('`').len();
        if line.is_none() && !ended && run == body.len() {
            return (0, false);
        }
        if run >= ticks && run == body.len() {
            self.fence = None;
        }
        (length, line.is_some())
    }
}
