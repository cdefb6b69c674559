//! A graph behind the port that walks and query executors read through.

use std::sync::{Arc, OnceLock};

use adjacency::{Column, ColumnOf, NumberLists, Table, Ticket, Wanted};
use compact_str::CompactString;
use edge_rows::{Neighbours, RowsError};
use graph_access::{
    AccessError, Budget, Cursor, EdgeRead, EdgeRow, GraphRead, Lookup, NumberedEdge, NumberedRead, SortRange, WalkRead,
};
use graph_model::{Direction, Edge, EdgeId, ErrorKind, LabelId, Value, Vertex, VertexId};
use graph_schema::Catalogue;
use kv::Read;

use crate::core::graph::Graph;
use crate::read::view::{View, labels_of_edges};
use crate::reader::members::members;
use crate::reader::{estimate, port, values};
use store_error::StoreError;
use stripe_locks::Wait;

/// A graph as one request reads it: with one state of the schema and one budget for all reads.
pub struct GraphReader<'a> {
    graph: &'a Graph,
    budget: &'a Budget,
    catalogue: Arc<Catalogue>,
    /// All labels edges can have, in the order of their numbers.
    labels: Vec<LabelId>,
    /// The table of numbers and neighbours; chosen by the first walk.
    table: OnceLock<Option<Arc<Table>>>,
}

impl<'a> GraphReader<'a> {
    /// A reader for one request.
    #[must_use]
    pub fn new(graph: &'a Graph, catalogue: &Arc<Catalogue>, budget: &'a Budget) -> Self {
        let labels = labels_of_edges(catalogue);
        Self { graph, budget, catalogue: Arc::clone(catalogue), labels, table: OnceLock::new() }
    }

    /// Reads some neighbours that walks are likely to ask for ([`Neighbours::read_ahead`]), where there were walks;
    /// whether there was anything to read.
    pub fn read_ahead(&self) -> Result<bool, StoreError> {
        let Some(table) = self.graph.known_neighbours() else { return Ok(false) };
        let read = Neighbours { rows: self.view().rows(), table: &table }.read_ahead()?;
        self.graph.unless_cleared(read)
    }

    /// Whether it may wait for writers.
    fn wait(&self) -> Wait {
        if self.budget.may_wait() { Wait::Allowed } else { Wait::Never }
    }

    /// Whether vertices of a label, or of any, expire.
    fn expires(&self, label: Option<LabelId>) -> bool {
        self.catalogue.vertex_labels().any(|own| own.ttl_ms > 0 && label.is_none_or(|id| id == own.id))
    }

    fn table(&self) -> Option<&Table> {
        self.table.get_or_init(|| self.graph.neighbours(self.wait())).as_deref()
    }

    /// The table, if numbers of all vertices of a label can be kept there: they do not expire, and have no other label.
    fn table_of_members(&self, label: LabelId) -> Option<&Table> {
        let keeps = self.catalogue.vertex_label(label).is_some_and(|label| label.ttl_ms == 0);
        self.table().filter(|_| keeps && !self.catalogue.is_auto())
    }

    /// Reads by numbers, unless the graph was cleared meanwhile.
    fn by_numbers(&self, read: impl FnOnce(Neighbours<'_>) -> Result<(), RowsError>) -> Result<(), AccessError> {
        let table = self.table().ok_or_else(no_numbers)?;
        read(Neighbours { rows: self.view().rows(), table }).map_err(StoreError::from)?;
        Ok(self.graph.unless_cleared(())?)
    }

    fn view(&self) -> View<'_> {
        let Self { graph, budget, catalogue, labels, .. } = self;
        View { graph, read: graph.engine(), budget, catalogue, labels, unit: None, unit_has_entries: true }
    }
}

fn no_numbers() -> AccessError {
    AccessError::new(ErrorKind::Internal, "a walk by numbers on a graph that has none")
}

impl WalkRead for GraphReader<'_> {
    fn edges_of<'b>(
        &'b self,
        owners: &'b [&'b VertexId],
        read: EdgeRead<'b>,
    ) -> Result<Box<dyn Cursor<EdgeRow> + 'b>, AccessError> {
        self.edges_in(owners, read, &[])
    }

    fn edges_in<'b>(
        &'b self,
        owners: &'b [&'b VertexId],
        read: EdgeRead<'b>,
        ranges: &[SortRange],
    ) -> Result<Box<dyn Cursor<EdgeRow> + 'b>, AccessError> {
        port::edges_of(self.view(), owners, read, ranges)
    }

    fn vertices(&self, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, AccessError> {
        port::vertices(self.view(), ids)
    }

    fn check(&self) -> Result<(), AccessError> {
        port::check(self.view())
    }

    fn is_remote(&self) -> bool {
        self.graph.is_remote()
    }

    fn numbered(&self) -> Option<&dyn NumberedRead> {
        self.table().map(|_| -> &dyn NumberedRead { self })
    }
}

impl NumberedRead for GraphReader<'_> {
    fn number(&self, id: &VertexId) -> Option<u32> {
        self.table()?.number(id)
    }

    fn known_number(&self, id: &VertexId) -> Option<u32> {
        self.table()?.known_number(id)
    }

    fn id(&self, number: u32) -> Option<&VertexId> {
        self.table()?.id(number)
    }

    fn at_hand(&self, owners: &[u32], wanted: Wanted<'_>, lists: &mut NumberLists) -> Result<(), AccessError> {
        self.by_numbers(|neighbours| neighbours.at_hand(owners, wanted, lists))
    }

    fn read(&self, owners: &[u32], wanted: Wanted<'_>, lists: &mut NumberLists) -> Result<(), AccessError> {
        self.by_numbers(|neighbours| neighbours.read(owners, wanted, lists))
    }

    fn degrees(
        &self,
        owners: &[u32],
        direction: Direction,
        labels: Option<&[LabelId]>,
        degrees: &mut Vec<usize>,
    ) -> Result<(), AccessError> {
        self.by_numbers(|neighbours| neighbours.degrees(owners, (direction, labels), degrees))
    }

    fn members(&self, label: LabelId) -> Result<Option<Arc<[u32]>>, AccessError> {
        self.table_of_members(label).map_or(Ok(None), |table| members(self.view(), table, label))
    }

    fn members_at_hand(&self, label: LabelId) -> Option<Arc<[u32]>> {
        self.table_of_members(label)?.members(label)
    }

    fn members_ticket(&self, label: LabelId) -> Option<Ticket> {
        self.table_of_members(label)?.ticket_of_members()
    }

    fn keep_members(&self, label: LabelId, ticket: Ticket, numbers: &[u32]) {
        if let Some(table) = self.table_of_members(label).filter(|table| numbers.len() <= table.members_max()) {
            table.publish_members(label, ticket, numbers);
        }
    }

    fn column(&self, of: ColumnOf) -> Option<Arc<Column>> {
        self.table().map(|table| table.column(of))
    }

    fn fill(
        &self,
        of: &[ColumnOf],
        numbers: &[u32],
        also: &mut dyn FnMut(usize, usize, Option<&Value>),
    ) -> Result<(), AccessError> {
        let table = self.table().ok_or_else(no_numbers)?;
        values::fill(self.view(), table, of, numbers, also)
    }

    fn edges_between(
        &self,
        owner: u32,
        wanted: Wanted<'_>,
        is_wanted: &dyn Fn(u32) -> bool,
        edges: &mut Vec<NumberedEdge>,
    ) -> Result<(), AccessError> {
        // In an auto graph they are ids.
        let has_sort_values = |label| {
            let sort_keys = self.catalogue.edge_label(label).map(|label| &label.sort_keys);
            self.catalogue.is_auto() || sort_keys.is_none_or(|keys| !keys.is_empty())
        };
        self.by_numbers(|neighbours| neighbours.edges_between(owner, wanted, is_wanted, &has_sort_values, edges))
    }
}

impl GraphRead for GraphReader<'_> {
    fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    fn edges(&self, ids: &[EdgeId]) -> Result<Vec<Option<Edge>>, AccessError> {
        port::edges(self.view(), ids)
    }

    fn edges_by_key(&self, ids: &[CompactString]) -> Result<Vec<Option<Edge>>, AccessError> {
        port::edges_by_key(self.view(), ids)
    }

    fn scan_vertices<'b>(&'b self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Vertex> + 'b>, AccessError> {
        self.find_vertices(Lookup { label, ..Lookup::default() })
    }

    fn scan_edges<'b>(&'b self, label: Option<LabelId>) -> Result<Box<dyn Cursor<Edge> + 'b>, AccessError> {
        self.find_edges(Lookup { label, ..Lookup::default() })
    }

    fn count_vertices(&self, label: Option<LabelId>) -> Result<u64, AccessError> {
        if self.expires(label) {
            return Ok(port::count_vertices(self.view(), self.graph.engine(), label)?);
        }
        let count = |read: &dyn Read| port::count_vertices(self.view(), read, label);
        Ok(self.graph.counted((false, label), self.wait(), count)?)
    }

    fn known_vertex_count(&self, label: LabelId) -> Option<u64> {
        if self.expires(Some(label)) { None } else { self.graph.known_count((false, Some(label))) }
    }

    fn estimated_vertex_count(&self, label: LabelId, read: u64, last: &VertexId) -> Option<u64> {
        estimate::vertex_count(self.view(), label, read, last)
    }

    fn count_edges(&self, label: Option<LabelId>) -> Result<u64, AccessError> {
        let labels = label.map_or_else(Vec::new, |label| self.catalogue.edge_labels_under(label));
        let is_counted = |own: &LabelId| label.is_none() || labels.contains(own);
        if self.catalogue.edge_labels().any(|own| own.ttl_ms > 0 && is_counted(&own.id)) {
            return Ok(port::count_edges(self.view(), self.graph.engine(), label)?);
        }
        // Edges are of the labels under a parent, never of the parent.
        let each = if label.is_none() { vec![None] } else { labels.into_iter().map(Some).collect() };
        let mut sum = 0;
        for label in each {
            let count = |read: &dyn Read| port::count_edges(self.view(), read, label);
            sum += self.graph.counted((true, label), self.wait(), count)?;
        }
        Ok(sum)
    }

    fn find_vertices<'b>(&'b self, lookup: Lookup) -> Result<Box<dyn Cursor<Vertex> + 'b>, AccessError> {
        port::find_vertices(self.view(), lookup)
    }

    fn find_edges<'b>(&'b self, lookup: Lookup) -> Result<Box<dyn Cursor<Edge> + 'b>, AccessError> {
        port::find_edges(self.view(), lookup)
    }
}
