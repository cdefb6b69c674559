//! The ways to use a graph, one for each wing. No wing uses these: it names what it needs of another in its imports.

use graph_access::Budget;

use crate::core::graph::Graph;
use crate::reader::Reader;
use crate::write::Writer;
use crate::write::ingest::Encoder;
use crate::write::schema::Schema;
use crate::write::transaction::Transaction;
use crate::write::variables::Variables;

impl Graph {
    /// To read elements.
    #[must_use]
    pub fn reader(&self) -> Reader<'_> {
        Reader::new(self)
    }

    /// To write elements.
    #[must_use]
    pub fn writer(&self) -> Writer<'_> {
        Writer::new(self)
    }

    /// To write several elements that become visible together, by the schema as it is now.
    #[must_use]
    pub fn transaction<'g>(&'g self, budget: &'g Budget) -> Transaction<'g> {
        Transaction::new(self, budget)
    }

    /// To change the schema.
    #[must_use]
    pub fn schema(&self) -> Schema<'_> {
        Schema::new(self)
    }

    /// To read and write variables.
    #[must_use]
    pub fn variables(&self) -> Variables<'_> {
        Variables::new(self)
    }

    /// To make rows of elements for an ingest, with the schema as it is now.
    #[must_use]
    pub fn encoder(&self) -> Encoder<'_> {
        Encoder::new(self)
    }
}
