//! Neighbours as numbers: out of memory where they were read before, else out of rows, and then kept.

use adjacency::{Found, NumberLists, State, Table, Ticket, Wanted};
use graph_access::{EdgeRead, EdgeRow, NumberedEdge};
use graph_model::{Direction, LabelId, VertexId};
use key_codec::{key, value};
use kv::{Entry, GoOn, Partitions};

use crate::lists::Lists;
use crate::{EdgeCursor, LIST_ROWS_MIN, ROWS_PER_CHECK, Rows, RowsError};

/// A graph and the table of its numbers, as one request reads them.
#[derive(Clone, Copy)]
pub struct Neighbours<'a> {
    /// Where the rows are.
    pub rows: Rows<'a>,
    /// What was read before.
    pub table: &'a Table,
}

/// Edges of a label at a vertex, in one direction, that are being read.
struct Partition {
    owner: u32,
    outgoing: bool,
    ticket: Ticket,
    label: LabelId,
}

impl Neighbours<'_> {
    fn last_label(&self) -> LabelId {
        self.rows.labels.last().copied().unwrap_or(LabelId(0))
    }

    /// See [`graph_access::NumberedRead::at_hand`].
    ///
    /// # Errors
    /// [`RowsError::Interrupted`].
    pub fn at_hand(&self, owners: &[u32], wanted: Wanted<'_>, lists: &mut NumberLists) -> Result<(), RowsError> {
        self.rows.budget.check()?;
        self.table.at_hand(owners, wanted, self.last_label(), lists);
        Ok(())
    }

    /// See [`graph_access::NumberedRead::read`].
    ///
    /// # Errors
    /// Those of storage and of the budget; [`RowsError::TooManyVertices`].
    pub fn read(&self, owners: &[u32], wanted: Wanted<'_>, lists: &mut NumberLists) -> Result<(), RowsError> {
        self.rows.budget.check()?;
        let (numbers, ends) = (lists.numbers.len(), lists.ends.len());
        let mut missed: Vec<u32> = Vec::new();
        for owner in owners {
            if !self.table.append(*owner, wanted, self.last_label(), &mut lists.numbers) {
                missed.push(*owner);
            }
            lists.end_list();
            if lists.is_full() {
                break;
            }
        }
        self.table.count_asked(lists.ends.len() - ends - missed.len(), missed.len());
        if missed.is_empty() {
            return Ok(());
        }
        self.table.note_read(wanted, missed.len());
        lists.numbers.truncate(numbers);
        lists.ends.truncate(ends);
        Fill::new(self, wanted).run(&missed)?;
        let mut known = NumberLists::default();
        for owner in owners {
            if !self.table.append(*owner, wanted, self.last_label(), &mut known.numbers) {
                known.missed.push(known.ends.len());
            }
            known.end_list();
        }
        let mut rows = self.rows_of(owners, &known.missed, wanted, lists.numbers_max)?.into_iter();
        let mut missed = known.missed.iter().peekable();
        for (at, list) in known.iter().enumerate() {
            if missed.next_if_eq(&&at).is_some() {
                lists.numbers.extend(rows.next().unwrap_or_default());
            } else {
                lists.numbers.extend_from_slice(list);
            }
            lists.end_list();
            if lists.is_full() {
                break;
            }
        }
        Ok(())
    }

    /// Reads the neighbours of some vertices that walks are likely to come to, and keeps them; whether there was
    /// anything to read.
    ///
    /// # Errors
    /// Those of storage and of the budget; [`RowsError::TooManyVertices`].
    pub fn read_ahead(&self) -> Result<bool, RowsError> {
        let Some(ahead) = self.table.next_ahead() else { return Ok(false) };
        self.rows.budget.check()?;
        let owners: Vec<u32> = ahead.numbers.clone().collect();
        Fill::new(self, ahead.wanted()).run(&owners)?;
        Ok(true)
    }

    /// See [`graph_access::NumberedRead::degrees`].
    ///
    /// # Errors
    /// Those of storage and of the budget; [`RowsError::TooManyVertices`].
    pub fn degrees(
        &self,
        owners: &[u32],
        (direction, labels): (Direction, Option<&[LabelId]>),
        degrees: &mut Vec<usize>,
    ) -> Result<(), RowsError> {
        self.rows.budget.check()?;
        let wanted = Wanted { direction, labels, limit: None };
        let (start, mut missed) = (degrees.len(), Vec::new());
        self.known_degrees(owners, wanted, degrees, &mut missed);
        if missed.is_empty() {
            return Ok(());
        }
        Fill::new(self, wanted).run(owners)?;
        degrees.truncate(start);
        missed.clear();
        self.known_degrees(owners, wanted, degrees, &mut missed);
        for (at, list) in missed.iter().zip(self.rows_of(owners, &missed, wanted, 0)?) {
            let Some(owner) = owners.get(*at) else { continue };
            // An edge of a vertex with itself is among those of both directions.
            let twice =
                if direction == Direction::Both { list.iter().filter(|other| *other == owner).count() / 2 } else { 0 };
            if let Some(degree) = degrees.get_mut(start + at) {
                *degree = list.len() - twice;
            }
        }
        Ok(())
    }

    /// Appends the degrees that are in memory; 0 for others, whose positions are noted.
    fn known_degrees(&self, owners: &[u32], wanted: Wanted<'_>, degrees: &mut Vec<usize>, missed: &mut Vec<usize>) {
        let last_label = self.last_label();
        degrees.extend(owners.iter().enumerate().map(|(at, owner)| {
            self.table.degree(*owner, wanted, last_label).unwrap_or_else(|| {
                missed.push(at);
                0
            })
        }));
    }

    /// See [`graph_access::NumberedRead::edges_between`]. `has_sort_values`: whether edges of a label can have some.
    ///
    /// # Errors
    /// Those of storage and of the budget.
    pub fn edges_between(
        &self,
        owner: u32,
        wanted: Wanted<'_>,
        is_wanted: &dyn Fn(u32) -> bool,
        has_sort_values: &dyn Fn(LabelId) -> bool,
        edges: &mut Vec<NumberedEdge>,
    ) -> Result<(), RowsError> {
        self.rows.budget.check()?;
        let mut found = Vec::new();
        // The lists with edges that have sort values, and where what was found in each begins in `found`.
        let mut unsure: Vec<(usize, Direction, LabelId, usize)> = Vec::new();
        let in_memory = self.table.visit(owner, wanted, self.last_label(), |outgoing, label, list| {
            let start = found.len();
            let others = list.iter().copied().filter(|other| is_wanted(*other));
            found.extend(others.map(|other| NumberedEdge { other, label, outgoing, sort_values: <_>::default() }));
            if found.len() > start && has_sort_values(label) {
                let direction = if outgoing { Direction::Out } else { Direction::In };
                unsure.push((start, direction, label, list.len()));
            }
        });
        if !in_memory {
            return self.edges_of_rows(owner, wanted, is_wanted, edges);
        }
        let mut found = found.into_iter().enumerate().peekable();
        for (start, direction, label, count) in unsure {
            edges.extend(std::iter::from_fn(|| found.next_if(|(at, _)| *at < start)).map(|(_, edge)| edge));
            let of_list = |edge: &NumberedEdge| edge.label == label && edge.outgoing == (direction == Direction::Out);
            while found.next_if(|(_, edge)| of_list(edge)).is_some() {}
            let wanted = Wanted { direction, labels: Some(&[label]), limit: Some(count as u64) };
            self.edges_of_rows(owner, wanted, is_wanted, edges)?;
        }
        edges.extend(found.map(|(_, edge)| edge));
        Ok(())
    }

    /// As [`Self::edges_between`], out of rows.
    fn edges_of_rows(
        &self,
        owner: u32,
        wanted: Wanted<'_>,
        is_wanted: &dyn Fn(u32) -> bool,
        edges: &mut Vec<NumberedEdge>,
    ) -> Result<(), RowsError> {
        let Some(id) = self.table.id(owner) else { return Ok(()) };
        let Wanted { direction, labels, limit } = wanted;
        let (ids, read) = ([id], EdgeRead { direction, labels, limit, properties: false });
        let mut rows = EdgeCursor::new(self.rows, &ids, read);
        let mut batch = Vec::new();
        loop {
            rows.fill(&mut batch, graph_access::limits::ROWS_PER_BATCH)?;
            if batch.is_empty() {
                return Ok(());
            }
            edges.extend(batch.drain(..).filter_map(|edge| {
                let other = self.table.known_number(&edge.other).filter(|other| is_wanted(*other))?;
                let EdgeRow { label, outgoing, sort_values, .. } = edge;
                Some(NumberedEdge { other, label, outgoing, sort_values })
            }));
        }
    }

    /// The neighbours of some of `owners` out of rows, without keeping them, until they are more than `numbers_max`.
    fn rows_of(
        &self,
        owners: &[u32],
        some: &[usize],
        wanted: Wanted<'_>,
        numbers_max: usize,
    ) -> Result<Vec<Vec<u32>>, RowsError> {
        let mut found = vec![Vec::new(); some.len()];
        let ids: Vec<&VertexId> =
            some.iter().filter_map(|at| owners.get(*at).and_then(|owner| self.table.id(*owner))).collect();
        if ids.is_empty() {
            return Ok(found);
        }
        let Wanted { direction, labels, limit } = wanted;
        let mut rows = EdgeCursor::new(self.rows, &ids, EdgeRead { direction, labels, limit, properties: false });
        let (mut batch, mut count) = (Vec::new(), 0);
        loop {
            rows.fill(&mut batch, graph_access::limits::ROWS_PER_BATCH)?;
            count += batch.len();
            if batch.is_empty() || (numbers_max > 0 && count > numbers_max.saturating_mul(2)) {
                return Ok(found);
            }
            for edge in batch.drain(..) {
                let number = self.table.number(&edge.other).ok_or(RowsError::TooManyVertices)?;
                if let Some(found) = found.get_mut(edge.owner) {
                    found.push(number);
                }
            }
        }
    }
}

/// Reading what is not in memory, and keeping it.
struct Fill<'a> {
    from: &'a Neighbours<'a>,
    wanted: Wanted<'a>,
    /// Rows of one partition that are read at most, and whether a list that ends there is of use.
    rows_max: usize,
    past_rows_max: State,
    partitions: Vec<Partition>,
    /// The partition being read.
    at: usize,
    state: State,
    rows: u32,
    /// What was read of the vertex of that partition in its direction, and of the partition.
    found: Found,
    count: usize,
}

impl<'a> Fill<'a> {
    fn new(from: &'a Neighbours<'a>, wanted: Wanted<'a>) -> Self {
        let most = wanted.most().max(LIST_ROWS_MIN);
        let room = from.table.list_numbers_max();
        Self {
            from,
            wanted,
            rows_max: most.min(room),
            past_rows_max: if wanted.most() <= room { State::Prefix } else { State::Rows },
            partitions: Vec::new(),
            at: 0,
            state: State::Whole,
            rows: 0,
            found: Found::new(),
            count: 0,
        }
    }

    fn run(mut self, owners: &[u32]) -> Result<(), RowsError> {
        let source = self.from.rows;
        let labels = self.wanted.labels.unwrap_or(source.labels);
        let mut lists = Lists::default();
        let mut unread = Vec::new();
        for outgoing in self.wanted.directions() {
            for owner in owners {
                let Some(ticket) = self.from.table.ticket(*owner) else { continue };
                let Some(id) = self.from.table.id(*owner) else { continue };
                unread.clear();
                self.from.table.unread(*owner, *outgoing, labels, self.wanted.most(), &mut unread);
                for label in &unread {
                    lists.push(*outgoing, |bytes| key::edge_partition(bytes, source.graph, *label, id));
                    self.partitions.push(Partition { owner: *owner, outgoing: *outgoing, ticket, label: *label });
                }
            }
        }
        if self.partitions.is_empty() {
            return Ok(());
        }
        let mut failed = Ok(());
        source.read.scan_each(Partitions::of(&lists.of_tables()), &mut |at, entry| {
            self.advance(at);
            self.take(entry).unwrap_or_else(|error| {
                failed = Err(error);
                GoOn::AtPartition(usize::MAX)
            })
        })?;
        failed?;
        self.advance(self.partitions.len());
        Ok(())
    }

    /// Ends the partitions before this one, and keeps what was read of vertices that are done.
    fn advance(&mut self, to: usize) {
        while self.at < to {
            let Some(Partition { owner, outgoing, ticket, label }) = self.partitions.get(self.at) else { return };
            self.found.end_segment(*label, std::mem::replace(&mut self.state, State::Whole));
            self.at += 1;
            self.count = 0;
            if self.partitions.get(self.at).is_none_or(|next| (next.owner, next.outgoing) != (*owner, *outgoing)) {
                let all = self.wanted.labels.is_none().then_some(self.from.rows.labels);
                self.from.table.publish(*owner, *outgoing, *ticket, &self.found, all);
                self.found.clear();
            }
        }
    }

    fn take(&mut self, entry: Entry<'_>) -> Result<GoOn, RowsError> {
        self.rows = self.rows.wrapping_add(1);
        if self.rows.is_multiple_of(ROWS_PER_CHECK) {
            self.from.rows.budget.check()?;
        }
        // What expires changes without a write.
        let may_expire = value::read_edge_expiry(entry.value)?.is_some();
        if may_expire || self.count >= self.rows_max || self.found.len() >= self.from.table.list_numbers_max() {
            self.state = if !may_expire && self.count >= self.rows_max { self.past_rows_max } else { State::Rows };
            return Ok(GoOn::AtPartition(self.at + 1));
        }
        let (_, other) = key::read_edge_row(entry.key.row())?;
        self.found.push(self.from.table.number(&other).ok_or(RowsError::TooManyVertices)?);
        self.count += 1;
        Ok(GoOn::Next)
    }
}
