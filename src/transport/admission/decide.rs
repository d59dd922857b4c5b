//! Who is sent next: the decision over all limits of a run, without a clock and without waiting.
//!
//! A request begins when the run, its provider and its endpoint all have room for it: nobody keeps a place in one
//! of them while it waits for another, so an endpoint that is slow or full keeps nothing from the others. Among
//! those that have room, the endpoint and then the target with the fewest requests under way goes first, and of a
//! target the longest conversation.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use tokio::time::Instant;

use super::EndpointLimits;
use super::pace::Pace;
use super::window::Window;

/// What may be under way in one part of a run.
#[derive(Debug)]
struct Room {
    pace: Pace,
    window: Option<Window>,
    under_way: usize,
    last_start: Option<Instant>,
}

impl Room {
    fn of(limits: EndpointLimits) -> Self {
        Self {
            pace: Pace::of(limits.concurrency.map(NonZeroUsize::get)),
            window: limits.per_minute.map(Window::new),
            under_way: 0,
            last_start: None,
        }
    }

    fn is_full(&self) -> bool {
        self.under_way >= self.pace.places()
    }

    /// When another request may begin, as far as time goes.
    fn opens(&self, now: Instant) -> Instant {
        let paused = self.last_start.map_or(now, |start| now.max(start + self.pace.pause()));
        self.window.as_ref().map_or(paused, |window| window.opens(paused))
    }

    fn begin(&mut self, now: Instant) {
        self.under_way += 1;
        self.note_start(now);
    }

    fn note_start(&mut self, now: Instant) {
        self.last_start = Some(now);
        if let Some(window) = &mut self.window {
            window.count(now);
        }
    }
}

/// One endpoint and those who wait for it.
#[derive(Debug)]
struct Lane<T> {
    provider: Option<usize>,
    room: Room,
    targets: BTreeMap<u64, Queue<T>>,
    /// Those who kept their place here while they waited before another attempt.
    returning: BTreeMap<Ticket, T>,
}

/// What one target has under way, and what waits.
#[derive(Debug)]
struct Queue<T> {
    under_way: usize,
    /// When it was last served, as the number of that request.
    served: u64,
    /// By the length of the conversation, the longest first, then in the order they came.
    waiting: BTreeMap<(Reverse<u32>, Ticket), T>,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { under_way: 0, served: 0, waiting: BTreeMap::new() }
    }
}

/// The number of a request that waits.
pub(super) type Ticket = u64;

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) lane: usize,
    pub(super) target: u64,
    /// How long its conversation is, in requests.
    pub(super) turns: u32,
    /// Whether it has a place at the endpoint already.
    pub(super) returns: bool,
}

/// All limits of a run, what is under way, and what waits.
#[derive(Debug)]
pub(super) struct Admissions<T> {
    run: Room,
    providers: Vec<Room>,
    lanes: Vec<Lane<T>>,
    /// The lanes for which somebody waits.
    wanted: BTreeSet<usize>,
    tickets: Ticket,
    served: u64,
}

impl<T> Admissions<T> {
    pub(super) fn new(run: EndpointLimits) -> Self {
        let (providers, lanes) = (Vec::new(), Vec::new());
        let wanted = BTreeSet::new();
        Self { run: Room::of(run), providers, lanes, wanted, tickets: 0, served: 0 }
    }

    /// Adds a provider, and gives its number.
    pub(super) fn add_provider(&mut self, limits: EndpointLimits) -> usize {
        self.providers.push(Room::of(limits));
        self.providers.len() - 1
    }

    /// Adds an endpoint, and gives its number.
    pub(super) fn add_lane(&mut self, limits: EndpointLimits, provider: Option<usize>) -> usize {
        let (targets, returning) = (BTreeMap::new(), BTreeMap::new());
        self.lanes.push(Lane { provider, room: Room::of(limits), targets, returning });
        self.lanes.len() - 1
    }

    /// Gives an endpoint other limits, before anything is sent to it.
    pub(super) fn limit(&mut self, lane: usize, limits: EndpointLimits) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.room = Room { under_way: lane.room.under_way, ..Room::of(limits) };
        }
    }

    /// Lines up.
    pub(super) fn wait(&mut self, wish: Wish, waiter: T) -> Ticket {
        self.tickets += 1;
        let ticket = self.tickets;
        if let Some(lane) = self.lanes.get_mut(wish.lane) {
            self.wanted.insert(wish.lane);
            if wish.returns {
                lane.returning.insert(ticket, waiter);
            } else {
                let queue = lane.targets.entry(wish.target).or_default();
                queue.waiting.insert((Reverse(wish.turns), ticket), waiter);
            }
        }
        ticket
    }

    /// Waits no longer.
    pub(super) fn leave(&mut self, wish: Wish, ticket: Ticket) {
        let Some(lane) = self.lanes.get_mut(wish.lane) else { return };
        lane.returning.remove(&ticket);
        if let Some(queue) = lane.targets.get_mut(&wish.target) {
            queue.waiting.remove(&(Reverse(wish.turns), ticket));
            if queue.under_way == 0 && queue.waiting.is_empty() {
                lane.targets.remove(&wish.target);
            }
        }
    }

    /// Everybody who may begin now, who is then under way.
    pub(super) fn admit(&mut self, now: Instant) -> Vec<T> {
        std::iter::from_fn(|| self.admit_next(now)).collect()
    }

    fn admit_next(&mut self, now: Instant) -> Option<T> {
        if self.run.is_full() {
            return None;
        }
        let open = self.wanted.iter().copied().filter(|lane| self.is_open(*lane, now));
        let under_way = |lane: &usize| self.lanes.get(*lane).map(|it| it.room.under_way);
        let chosen = open.min_by_key(under_way)?;
        self.begin(chosen, now)
    }

    /// Whether a request for this endpoint may begin, and one waits.
    fn is_open(&self, lane: usize, now: Instant) -> bool {
        let Some(lane) = self.lanes.get(lane) else { return false };
        let has_room = !lane.returning.is_empty() || (!lane.room.is_full() && lane.waits());
        let provider = lane.provider.and_then(|provider| self.providers.get(provider));
        has_room
            && provider.is_none_or(|room| !room.is_full() && room.opens(now) <= now)
            && lane.room.opens(now) <= now
    }

    fn begin(&mut self, number: usize, now: Instant) -> Option<T> {
        self.served += 1;
        let lane = self.lanes.get_mut(number)?;
        let waiter = if let Some((_, waiter)) = lane.returning.pop_first() {
            lane.room.note_start(now);
            waiter
        } else {
            lane.room.begin(now);
            lane.pop(self.served)?
        };
        if !lane.waits() && lane.returning.is_empty() {
            self.wanted.remove(&number);
        }
        let provider = lane.provider.and_then(|provider| self.providers.get_mut(provider));
        self.run.begin(now);
        if let Some(room) = provider {
            room.begin(now);
        }
        Some(waiter)
    }

    /// When somebody who waits may begin, if only time is in the way.
    pub(super) fn opens_at(&self, now: Instant) -> Option<Instant> {
        let time_of = |number: &usize| {
            let lane = self.lanes.get(*number)?;
            let has_room = !lane.returning.is_empty() || (!lane.room.is_full() && lane.waits());
            let provider = lane.provider.and_then(|provider| self.providers.get(provider));
            let opens = provider.map_or(now, |room| room.opens(now));
            has_room.then(|| opens.max(lane.room.opens(now)))
        };
        self.wanted.iter().filter_map(time_of).filter(|time| *time > now).min()
    }

    /// A request is over, or waits before another attempt: then it may keep its place at the endpoint, and
    /// gives back the others.
    pub(super) fn end(&mut self, wish: Wish, keeps_place: bool) {
        self.run.under_way = self.run.under_way.saturating_sub(1);
        let Some(lane) = self.lanes.get_mut(wish.lane) else { return };
        if let Some(room) = lane.provider.and_then(|provider| self.providers.get_mut(provider)) {
            room.under_way = room.under_way.saturating_sub(1);
        }
        if !keeps_place {
            lane.leave(wish.target);
        }
    }

    /// Gives back a place at an endpoint that was kept.
    pub(super) fn give_up(&mut self, wish: Wish) {
        if let Some(lane) = self.lanes.get_mut(wish.lane) {
            lane.leave(wish.target);
        }
    }

    /// The endpoint refused a request that began then, because it is asked too much.
    pub(super) fn slow_down(&mut self, lane: usize, began: Instant, now: Instant) {
        if let Some(Lane { room, .. }) = self.lanes.get_mut(lane) {
            room.pace = room.pace.refused(began, now, room.under_way);
        }
    }

    /// The endpoint answered.
    pub(super) fn speed_up(&mut self, lane: usize) {
        if let Some(Lane { room, .. }) = self.lanes.get_mut(lane) {
            room.pace = room.pace.answered();
        }
    }
}

impl<T> Lane<T> {
    fn waits(&self) -> bool {
        self.targets.values().any(|queue| !queue.waiting.is_empty())
    }

    /// The first of the target with the fewest requests under way; of several, the one that waited longest.
    fn pop(&mut self, served: u64) -> Option<T> {
        let waiting = self.targets.values_mut().filter(|queue| !queue.waiting.is_empty());
        let queue = waiting.min_by_key(|queue| (queue.under_way, queue.served))?;
        (queue.under_way, queue.served) = (queue.under_way + 1, served);
        queue.waiting.pop_first().map(|(_, waiter)| waiter)
    }

    fn leave(&mut self, target: u64) {
        self.room.under_way = self.room.under_way.saturating_sub(1);
        let Some(queue) = self.targets.get_mut(&target) else { return };
        queue.under_way = queue.under_way.saturating_sub(1);
        if queue.under_way == 0 && queue.waiting.is_empty() {
            self.targets.remove(&target);
        }
    }
}
