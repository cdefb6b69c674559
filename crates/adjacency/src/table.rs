//! The numbers and lists of one graph.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use graph_model::{Direction, LabelId, Value, VertexId, VertexIdRef};
use hashbrown::DefaultHashBuilder;
use parking_lot::{MutexGuard, RwLock};

use crate::ahead::{Ahead, ReadAhead};
use crate::columns::{Column, ColumnOf, Columns};
use crate::limits;
use crate::lists::{NumberLists, Wanted};
use crate::members::Members;
use crate::numbers::{Near, Numbers, Slot};
use crate::piece::{Found, Outcome, Piece};
use crate::pool::{Pool, Tenant};
use crate::rest::{Rest, Use};
use crate::stripes::{Stripes, Ticket};
use crate::touched::Touched;

/// What the table and the registered writes of a graph share.
pub(crate) struct Common {
    pub(crate) stripes: Stripes,
    pub(crate) rest: Rest,
    pub(crate) hasher: DefaultHashBuilder,
}

/// Where the current table of a graph is.
pub(crate) type Home = RwLock<Option<Arc<Table>>>;

/// Numbers for vertices, and lists of neighbours as far as they were read and are still right.
pub struct Table {
    common: Arc<Common>,
    pool: Arc<Pool>,
    numbers: Numbers,
    members: Members,
    columns: Columns,
    /// Bytes of the lists, those of members too, and of the columns.
    lists: AtomicUsize,
    /// Bytes of the numbers that the pool knows of.
    counted: AtomicUsize,
    /// Where the next sweep begins.
    hand: AtomicU32,
    closed: Arc<AtomicBool>,
    home: Weak<Home>,
    /// During which all writes are registered.
    period: u64,
    of_use: Use,
    ahead: Ahead,
}

impl Table {
    pub(crate) fn new(common: Arc<Common>, pool: Arc<Pool>, home: &Arc<Home>, period: u64) -> Arc<Self> {
        let table = Arc::new(Self {
            common,
            pool,
            numbers: Numbers::new(),
            members: Members::default(),
            columns: Columns::default(),
            lists: AtomicUsize::new(0),
            counted: AtomicUsize::new(0),
            hand: AtomicU32::new(0),
            closed: Arc::default(),
            home: Arc::downgrade(home),
            period,
            of_use: Use::default(),
            ahead: Ahead::default(),
        });
        let tenant: Arc<dyn Tenant> = Arc::<Self>::clone(&table);
        table.pool.join(Arc::downgrade(&tenant));
        table.count_numbers();
        table
    }

    pub(crate) fn hash(&self, id: &VertexId) -> u64 {
        self.common.hasher.hash_one(VertexIdRef::from(id))
    }

    /// The number of a vertex, given on first sight, whether or not the vertex exists; `None` where there are no
    /// numbers left.
    #[must_use]
    pub fn number(&self, id: &VertexId) -> Option<u32> {
        self.number_of(self.hash(id), id)
    }

    pub(crate) fn number_of(&self, hash: u64, id: &VertexId) -> Option<u32> {
        self.numbers.number(&self.common.hasher, hash, id)
    }

    /// The number of a vertex that has one.
    #[must_use]
    pub fn known_number(&self, id: &VertexId) -> Option<u32> {
        self.find(self.hash(id), id)
    }

    pub(crate) fn find(&self, hash: u64, id: &VertexId) -> Option<u32> {
        self.numbers.find(hash, id.into())
    }

    /// The vertex of a number.
    #[must_use]
    pub fn id(&self, number: u32) -> Option<&VertexId> {
        self.numbers.id(number)
    }

    /// How many vertices have numbers.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.numbers.len()
    }

    /// Whether no vertex has a number.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// From now on gives out no lists.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    /// Whether it may be used in a period, and there is memory for it.
    pub(crate) fn is_usable(&self, period: u64) -> bool {
        self.period == period && !self.is_spent()
    }

    /// Whether vertices that nobody walks to may get numbers.
    pub(crate) fn has_room_for_numbers(&self) -> bool {
        self.numbers.bytes() < self.pool.numbers_bytes_max() / limits::NUMBERS_OF_ENDS_SHARE
    }

    /// Whether it has more vertices than there is memory for.
    pub(crate) fn is_spent(&self) -> bool {
        self.numbers.bytes() > self.pool.numbers_bytes_max()
    }

    /// Appends the neighbours of vertices along the edges wanted, outgoing ones first, then by label, in the order of
    /// the rows. A vertex whose neighbours are not all at hand is put on the list of those missed. `last_label`: the
    /// largest label of edges there is.
    pub fn at_hand(&self, owners: &[u32], wanted: Wanted<'_>, last_label: LabelId, lists: &mut NumberLists) {
        let missed = lists.missed.len();
        if self.closed.load(Ordering::SeqCst) {
            for _ in owners {
                lists.missed.push(lists.ends.len());
                lists.end_list();
            }
            return;
        }
        for owner in owners {
            if !self.append(*owner, wanted, last_label, &mut lists.numbers) {
                lists.missed.push(lists.ends.len());
            }
            lists.end_list();
        }
        self.count_asked(owners.len() - (lists.missed.len() - missed), 0);
    }

    /// Counts vertices whose neighbours were asked for and at hand, and those whose neighbours are read now.
    pub fn count_asked(&self, hits: usize, misses: usize) {
        self.pool.hits.fetch_add(hits as u64, Ordering::Relaxed);
        self.of_use.hits.fetch_add(hits as u64, Ordering::Relaxed);
        if misses > 0 {
            self.pool.misses.fetch_add(misses as u64, Ordering::Relaxed);
            self.of_use.misses.fetch_add(misses as u64, Ordering::Relaxed);
        }
    }

    /// Notes that walks asked for edges of so many vertices that were not in memory.
    pub fn note_read(&self, wanted: Wanted<'_>, vertices: usize) {
        self.ahead.note(wanted, vertices);
    }

    /// What to read although nobody has asked for it yet, each only once; `None`: nothing now, or half of the memory is
    /// in use, or lists were evicted for lack of it.
    #[must_use]
    pub fn next_ahead(&self) -> Option<ReadAhead> {
        let has_room = self.pool.has_room_ahead()
            && self.has_room_for_numbers()
            && self.of_use.evicted.load(Ordering::Relaxed) == 0
            && !self.closed.load(Ordering::SeqCst);
        has_room.then(|| self.ahead.next(self.len()))?
    }

    /// Counts a request that uses it.
    pub(crate) fn count_request(&self) {
        self.of_use.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// It has ended for lack of memory: has the next one wait, if this one was of little use.
    pub(crate) fn begin_rest(&self) {
        self.common.rest.begin(&self.of_use);
    }

    /// Appends the neighbours of one vertex as [`Self::at_hand`] does, without counting; whether all of them are in
    /// memory. If not, `out` is as before.
    #[must_use]
    pub fn append(&self, owner: u32, wanted: Wanted<'_>, last_label: LabelId, out: &mut Vec<u32>) -> bool {
        let start = out.len();
        let all = self.visit(owner, wanted, last_label, |_, _, list| out.extend_from_slice(list));
        if !all {
            out.truncate(start);
        }
        all
    }

    /// Gives the neighbours of one vertex list by list, with whether the edges are outgoing and their label, in the
    /// order of [`Self::at_hand`]; whether all of them are in memory. If not, it may have given some. The vertex is
    /// locked meanwhile.
    #[must_use]
    pub fn visit(
        &self,
        owner: u32,
        wanted: Wanted<'_>,
        last_label: LabelId,
        mut visit: impl FnMut(bool, LabelId, &[u32]),
    ) -> bool {
        let Some(slot) = self.numbers.slot(owner).filter(|_| !self.closed.load(Ordering::SeqCst)) else { return false };
        let mut limit = wanted.most();
        let near = self.near(slot);
        slot.set_used();
        wanted.directions().iter().all(|outgoing| {
            limit == 0
                || near.of(*outgoing).is_some_and(|piece| {
                    let visit = |label, list: &[u32]| visit(*outgoing, label, list);
                    piece.visit(wanted.labels, last_label, &mut limit, visit) == Outcome::Done
                })
        })
    }

    /// The permission to keep what is read of a vertex from now on; `None` while it is written to.
    #[must_use]
    pub fn ticket(&self, owner: u32) -> Option<Ticket> {
        self.ticket_of(self.hash(self.id(owner)?))
    }

    pub(crate) fn ticket_of(&self, hash: u64) -> Option<Ticket> {
        if self.closed.load(Ordering::SeqCst) { None } else { self.common.stripes.ticket(hash) }
    }

    /// Appends those of some labels whose edges at a vertex are to be read for lists of at most `limit`.
    pub fn unread(&self, owner: u32, outgoing: bool, labels: &[LabelId], limit: usize, unread: &mut Vec<LabelId>) {
        if let Some(slot) = self.numbers.slot(owner) {
            Piece::unread(self.near(slot).of(outgoing), labels, limit, unread);
        }
    }

    /// Neighbours that one list may have.
    #[must_use]
    pub fn list_numbers_max(&self) -> usize {
        limits::LIST_NUMBERS_MAX.min(self.pool.limit() / limits::LIST_SHARE / size_of::<u32>())
    }

    /// Keeps what was read of a vertex after the ticket was issued, unless a write of the vertex may have changed it.
    /// `all`: all labels of edges there are, if all those not known were read.
    pub fn publish(&self, owner: u32, outgoing: bool, ticket: Ticket, found: &Found, all: Option<&[LabelId]>) {
        self.count_numbers();
        let Some(slot) = self.numbers.slot(owner) else { return };
        if self.is_spent() {
            return self.pool.make_room(self);
        }
        let mut near = self.near(slot);
        if self.closed.load(Ordering::SeqCst) || !self.common.stripes.is_valid(ticket) {
            return;
        }
        let piece = Piece::merged(near.of(outgoing), found, all);
        let before = near.bytes();
        near.put(outgoing, piece);
        slot.set_used();
        self.count_lists(before, near.bytes());
        drop(near);
        self.pool.make_room(self);
        let evicted = self.of_use.evicted.load(Ordering::Relaxed);
        if evicted / limits::EVICTED_POOLS > self.pool.limit() as u64 {
            if self.of_use.is_little() { self.give_up() } else { self.of_use.reset() }
        }
    }

    /// The lists of a vertex, without what was written.
    fn near<'t>(&'t self, slot: &'t Slot) -> MutexGuard<'t, Near> {
        let (near, grown) = slot.lock();
        if grown > 0 {
            self.count_lists(0, grown);
        }
        near
    }

    /// Removes what is known of edges at vertices.
    pub(crate) fn forget(&self, touched: &mut Touched) {
        self.numbers.mark_all(touched);
    }

    /// The vertices of a label, as they were published last; `None` where one of them may have been written since.
    #[must_use]
    pub fn members(&self, label: LabelId) -> Option<Arc<[u32]>> {
        if self.closed.load(Ordering::SeqCst) { None } else { self.members.get(label) }
    }

    /// The permission to keep what is read of which vertices there are; `None` while the row of a vertex is written.
    #[must_use]
    pub fn ticket_of_members(&self) -> Option<Ticket> {
        if self.closed.load(Ordering::SeqCst) { None } else { self.common.stripes.ticket_of_rows() }
    }

    /// Vertices that a label may have for their numbers to be kept: they must leave room for neighbours.
    #[must_use]
    pub fn members_max(&self) -> usize {
        let room = self.pool.limit() / limits::LIST_SHARE / size_of::<u32>();
        room.min(self.pool.numbers_bytes_max() / limits::MEMBER_BYTES)
    }

    /// Keeps which vertices a label has, as read after the ticket was issued, unless a vertex was written since.
    pub fn publish_members(&self, label: LabelId, ticket: Ticket, numbers: &[u32]) {
        self.count_numbers();
        let is_valid = || !self.closed.load(Ordering::SeqCst) && self.common.stripes.is_valid(ticket);
        self.members.put(label, numbers, is_valid, |before, after| self.count_lists(before, after));
        self.pool.make_room(self);
    }

    /// Forgets which vertices a label has, or each label.
    pub(crate) fn forget_members(&self, label: Option<LabelId>) {
        self.members.forget(label, |before, after| self.count_lists(before, after));
    }

    /// The values of a property, or the labels, of vertices, as far as they are known.
    #[must_use]
    pub fn column(&self, of: ColumnOf) -> Arc<Column> {
        self.columns.get_or_new(of, &self.closed)
    }

    /// Keeps what was read of vertices after their tickets were issued, each unless the vertex was written since.
    pub fn publish_values<'v>(&self, column: &Column, read: impl Iterator<Item = (u32, Ticket, Option<&'v Value>)>) {
        self.count_numbers();
        for read in read {
            self.columns.put(column, read, &self.common.stripes, |before, after| self.count_lists(before, after));
        }
        self.pool.make_room(self);
    }

    /// Forgets the values of a vertex.
    pub(crate) fn forget_values(&self, hash: u64, id: VertexIdRef<'_>) {
        if self.columns.is_empty() {
            return;
        }
        if let Some(number) = self.numbers.find(hash, id) {
            self.columns.forget(number, |before, after| self.count_lists(before, after));
        }
    }

    /// How many edges a vertex has, each once though both of its ends are the vertex; `None` where not all of its lists
    /// are in memory. `wanted` has no limit.
    #[must_use]
    pub fn degree(&self, owner: u32, wanted: Wanted<'_>, last_label: LabelId) -> Option<usize> {
        let (mut edges, mut loops) = (0, 0);
        let all = self.visit(owner, wanted, last_label, |outgoing, _, list| {
            edges += list.len();
            if outgoing && wanted.direction == Direction::Both {
                loops += list.iter().filter(|other| **other == owner).count();
            }
        });
        all.then_some(edges - loops)
    }

    fn count_lists(&self, before: usize, after: usize) {
        self.lists.fetch_add(after, Ordering::Relaxed);
        self.lists.fetch_sub(before, Ordering::Relaxed);
        self.pool.add(after);
        self.pool.remove(before);
    }

    /// Tells the pool how much the numbers have grown.
    fn count_numbers(&self) {
        let now = self.numbers.bytes();
        let before = self.counted.fetch_max(now, Ordering::Relaxed);
        if now > before {
            self.pool.add(now - before);
        }
    }
}

impl Tenant for Table {
    fn bytes(&self) -> usize {
        self.numbers.bytes() + self.lists.load(Ordering::Relaxed)
    }

    fn vertices(&self) -> u32 {
        self.len()
    }

    fn give_up(&self) {
        self.close();
        let Some(home) = self.home.upgrade() else { return };
        let mut current = home.write();
        if current.as_ref().is_some_and(|current| std::ptr::eq(&raw const **current, self)) {
            self.begin_rest();
            *current = None;
        }
    }

    fn evict_some(&self) -> bool {
        let places = self.numbers.len();
        if places == 0 || self.lists.load(Ordering::Relaxed) == 0 {
            return false;
        }
        let from = self.hand.load(Ordering::Relaxed) % places;
        let some = (from..places).chain(0..from).take(limits::SWEEP_PLACES as usize);
        for number in some {
            self.hand.store(number + 1, Ordering::Relaxed);
            if number == 0 {
                self.members.evict(|before, after| self.count_lists(before, after));
                self.columns.evict(|before, after| self.count_lists(before, after));
            }
            let Some(slot) = self.numbers.slot(number) else { continue };
            let Some((evicted, bytes)) = slot.evict().filter(|(evicted, _)| *evicted > 0) else { continue };
            self.pool.evicted.fetch_add(evicted, Ordering::Relaxed);
            self.count_lists(bytes, 0);
            self.of_use.evicted.fetch_add(bytes as u64, Ordering::Relaxed);
            if !self.pool.is_over() {
                break;
            }
        }
        true
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.pool.remove(self.counted.load(Ordering::Relaxed) + self.lists.load(Ordering::Relaxed));
    }
}
