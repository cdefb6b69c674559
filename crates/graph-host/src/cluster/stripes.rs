//! Stripes of graphs, locked among servers: for writers that change what they have read.
//!
//! Each graph has a row, written by swaps only, that says which stripes which server has and which ones it waits for. A
//! server takes stripes for all its writers that want some, in one swap; among themselves its writers are kept apart by
//! the locks in its memory. It keeps what it has taken for a moment ([`limits::STRIPES_KEPT`]), since the next writer
//! often wants the same: then that costs nothing. A thread looks at the row meanwhile, and gives back what others wait
//! for as soon as no writer here uses it.
//!
//! Servers that wait stand in the row in the order in which they came. One takes free stripes only where none before it
//! waits for them, so each gets its turn, and all that one writer wants is taken at one time, so that nobody waits with
//! stripes in hand. What a dead server had is free.
//!
//! Where the clocks of servers order writes, the row carries the time of the last one: who takes a stripe writes later
//! than that ([`kv::Engine::follow_clock`]).

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use graph_store::StripesSeen;
use key_codec::{CodecError, GraphNumber, setting_value};
use parking_lot::{Condvar, Mutex};

use crate::limits;

/// The tables of all graphs that have been locked here.
#[derive(Default)]
pub(crate) struct StripeLocks {
    pub(super) tables: Mutex<HashMap<GraphNumber, Arc<Table>>>,
    /// What was read of graphs last, for writers that only want to know that nobody came in between.
    pub(super) seen: Mutex<HashMap<GraphNumber, StripesSeen>>,
    /// Whether there is something to look after.
    pub(super) active: Mutex<bool>,
    pub(super) roused: Condvar,
    pub(super) stopped: AtomicBool,
}

/// What this server has of the stripes of one graph.
pub(super) struct Table {
    pub(super) graph: GraphNumber,
    pub(super) state: Mutex<State>,
    pub(super) changed: Condvar,
}

pub(super) struct State {
    /// The row as this process knows it; `None`: to be read.
    pub(super) row: Option<Row>,
    /// Stripes this server has.
    pub(super) owned: u64,
    /// Those that a writer here uses.
    pub(super) used: u64,
    /// Those that other servers wait for.
    pub(super) wished: u64,
    pub(super) waiting: Vec<Waiter>,
    pub(super) ticket: u64,
    /// The row says that this server waits for some.
    pub(super) queued: bool,
    /// A thread is at the row. It alone changes `row` and `owned`.
    pub(super) busy: bool,
    /// A swap may have been done without a word: nothing counts before another one has.
    pub(super) unsure: bool,
    /// How often this server may have been taken for dead, and its stripes from it.
    pub(super) doubts: u64,
    pub(super) used_at: Instant,
}

pub(super) struct Waiter {
    pub(super) ticket: u64,
    pub(super) stripes: u64,
    pub(super) granted: bool,
}

/// The stored row of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) stored: Option<Vec<u8>>,
    /// Grows with each swap, so that no two states are the same bytes.
    pub(super) count: u64,
    /// A moment after all writes under stripes that were given back.
    pub(super) clock: u64,
    /// In the order in which they began to wait.
    pub(super) servers: Vec<Share>,
}

/// What one server has, and what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) server: u64,
    pub(super) owned: u64,
    pub(super) wished: u64,
}

/// The name of the row of a graph.
pub(super) fn row_name(graph: GraphNumber) -> String {
    graph.0.to_string()
}

impl Row {
    /// Whether another server than `me` has some of these stripes.
    pub(super) fn others_have(&self, me: u64, stripes: u64) -> bool {
        self.servers.iter().any(|share| share.server != me && share.owned & stripes != 0)
    }

    pub(super) fn decode(stored: Option<Vec<u8>>) -> Result<Self, CodecError> {
        let Some(bytes) = &stored else { return Ok(Self::default()) };
        let numbers = setting_value::read_all_numbers(bytes)?;
        let damaged = || CodecError { what: "row of stripes", problem: "not three numbers for each server", at: 0 };
        let ([count, clock], rest) = numbers.split_first_chunk::<2>().ok_or_else(damaged)?;
        let (shares, []) = rest.as_chunks::<3>() else { return Err(damaged()) };
        let servers =
            shares.iter().map(|[server, owned, wished]| Share { server: *server, owned: *owned, wished: *wished });
        Ok(Self { count: *count, clock: *clock, servers: servers.collect(), stored })
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        setting_value::put_numbers(&mut bytes, &[self.count, self.clock]);
        for Share { server, owned, wished } in &self.servers {
            setting_value::put_numbers(&mut bytes, &[*server, *owned, *wished]);
        }
        bytes
    }
}

/// What a server wants the row to say, and which of its waiters that serves.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) servers: Vec<Share>,
    pub(super) owned: u64,
    /// What others wait for.
    pub(super) wished: u64,
    pub(super) queued: bool,
    pub(super) granted: Vec<u64>,
}

/// Plans a swap. `servers`: those that live. `keep`: stripes of this server that it would rather not give back.
pub(super) fn plan(me: u64, servers: &[Share], used: u64, keep: u64, waiting: &[(u64, u64)]) -> Plan {
    let own = servers.iter().find(|share| share.server == me).copied();
    let queued = own.is_some_and(|own| own.wished != 0);
    let others = || servers.iter().filter(|share| share.server != me);
    let taken = others().fold(0, |all, share| all | share.owned);
    let wished = others().fold(0, |all, share| all | share.wished);
    // Who does not wait yet stands behind all that do.
    let before = servers.iter().take_while(|share| !queued || share.server != me).filter(|share| share.server != me);
    let first = before.fold(0, |all, share| all | share.wished);
    let mut owned = (used | (keep & !wished)) & !taken;
    let mut busy = used;
    let mut granted = Vec::new();
    let mut missing = 0;
    for (ticket, stripes) in waiting {
        if stripes & busy != 0 {
            // Another writer of this server uses it.
            continue;
        }
        if stripes & (taken | first) != 0 {
            missing |= stripes;
            continue;
        }
        granted.push(*ticket);
        owned |= stripes;
        busy |= stripes;
    }
    let share = Share { server: me, owned, wished: missing };
    let mut next: Vec<Share> = Vec::with_capacity(servers.len() + 1);
    let stays = queued || missing == 0;
    for other in servers {
        if other.server != me {
            next.push(*other);
        } else if stays && (owned | missing) != 0 {
            next.push(share);
        }
    }
    if (owned | missing) != 0 && !(own.is_some() && stays) {
        next.push(share);
    }
    Plan { servers: next, owned, wished, queued: missing != 0, granted }
}

/// Stripes in use, until it is dropped.
pub(super) struct InUse {
    pub(super) table: Arc<Table>,
    pub(super) stripes: u64,
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut state = self.table.state.lock();
        state.used &= !self.stripes;
        state.used_at = Instant::now();
        drop(state);
        self.table.changed.notify_all();
    }
}

impl Table {
    pub(super) fn new(graph: GraphNumber) -> Self {
        let state = State {
            row: None,
            owned: 0,
            used: 0,
            wished: 0,
            waiting: Vec::new(),
            ticket: 0,
            queued: false,
            busy: false,
            unsure: false,
            doubts: 0,
            used_at: Instant::now(),
        };
        Self { graph, state: Mutex::new(state), changed: Condvar::new() }
    }

    pub(super) fn name(&self) -> String {
        row_name(self.graph)
    }

    pub(super) fn in_use(self: &Arc<Self>, stripes: u64) -> InUse {
        InUse { table: Arc::clone(self), stripes }
    }
}

impl State {
    /// Takes stripes that this server has and nobody wants.
    pub(super) fn try_use(&mut self, stripes: u64) -> bool {
        let free = !self.unsure && self.owned & stripes == stripes && (self.used | self.wished) & stripes == 0;
        if free {
            self.used |= stripes;
        }
        free
    }

    pub(super) fn leave(&mut self, ticket: u64) {
        self.waiting.retain(|waiter| waiter.ticket != ticket);
    }

    pub(super) fn is_idle(&self) -> bool {
        !self.unsure && !self.queued && (self.owned | self.used) == 0 && self.waiting.is_empty()
    }
}

impl StripeLocks {
    /// Has no stripes count as this server's before it has seen the rows again.
    pub(super) fn doubt(&self) {
        for table in self.tables.lock().values() {
            let mut state = table.state.lock();
            state.doubts += 1;
            state.unsure = true;
            state.row = None;
            let State { waiting, used, .. } = &mut *state;
            for waiter in waiting.iter_mut().filter(|waiter| waiter.granted) {
                waiter.granted = false;
                *used &= !waiter.stripes;
            }
        }
    }

    pub(super) fn rouse(&self) {
        *self.active.lock() = true;
        self.roused.notify_all();
    }

    /// Waits until there is something to look after; `false` at the end.
    pub(super) fn wait_until_active(&self) -> bool {
        let mut active = self.active.lock();
        while !*active {
            self.roused.wait(&mut active);
        }
        // Whoever comes from now on says so again.
        *active = false;
        !self.stopped.load(Ordering::Acquire)
    }

    /// Pauses; unless all is `idle`, there is more to look after.
    pub(super) fn rest(&self, idle: bool) {
        if !idle {
            std::thread::sleep(limits::STRIPES_TICK);
            *self.active.lock() = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(server: u64, owned: u64, wished: u64) -> Share {
        Share { server, owned, wished }
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let servers = vec![share(u64::MAX, 1, 0), share(7, 0, u64::MAX)];
        let row = Row { stored: None, count: 300, clock: 1 << 50, servers };
        let bytes = row.encode();
        let again = Row::decode(Some(bytes.clone())).unwrap();
        assert_eq!(again, Row { stored: Some(bytes.clone()), ..row });
        assert_eq!(Row::decode(None).unwrap(), Row::default());
        for cut in 0..bytes.len() {
            let partial = Row::decode(Some(bytes[..cut].to_vec()));
            assert!(partial.is_err() || partial.unwrap().servers.len() < 2, "cut at {cut}");
        }
    }

    #[test]
    fn free_stripes_are_taken_for_all_that_wait_at_once() {
        let plan = plan(1, &[share(2, 0b1000, 0)], 0, 0, &[(0, 0b0011), (1, 0b0100), (2, 0b1100), (3, 0b0001)]);
        assert_eq!(plan.granted, [0, 1], "the third wants one of another server, the fourth one of the first");
        assert_eq!(plan.servers, [share(2, 0b1000, 0), share(1, 0b0111, 0)]);
        let missing = super::plan(1, &[share(2, 0b1000, 0)], 0, 0, &[(0, 0b1100)]);
        assert_eq!(missing.servers, [share(2, 0b1000, 0), share(1, 0, 0b1100)], "nothing in hand while it waits");
    }

    #[test]
    fn what_others_wait_for_is_given_back_unless_it_is_used() {
        let servers = [share(1, 0b0111, 0), share(2, 0, 0b0011)];
        let plan = plan(1, &servers, 0b0001, 0b0111, &[]);
        assert_eq!((plan.owned, plan.wished), (0b0101, 0b0011));
        assert_eq!(super::plan(1, &servers, 0, 0, &[]).servers, [share(2, 0, 0b0011)]);
    }

    #[test]
    fn who_came_first_is_served_first() {
        // This server has the stripe and wants it again, but another one waits.
        let plan = plan(1, &[share(1, 1, 0), share(2, 0, 1)], 0, 1, &[(9, 1)]);
        assert_eq!(plan.servers, [share(2, 0, 1), share(1, 0, 1)]);
        assert!(plan.granted.is_empty());
        // The other one takes it, and then stands behind.
        let taken = super::plan(2, &plan.servers, 0, 0, &[(5, 1)]);
        assert_eq!((taken.granted.as_slice(), &*taken.servers), (&[5][..], &[share(2, 1, 0), share(1, 0, 1)][..]));
        let again = super::plan(2, &taken.servers, 0, 1, &[(6, 1)]);
        assert!(again.granted.is_empty());
        assert_eq!(again.servers, [share(1, 0, 1), share(2, 0, 1)]);
        let turn = super::plan(1, &again.servers, 0, 0, &[(9, 1)]);
        assert_eq!((turn.granted.as_slice(), turn.owned), (&[9][..], 1));
    }
}
