//! The vertices a traversal starts at.

use graph_model::{LabelId, VertexId};
use graph_schema::Conditions;

use crate::read::progress::{Range, Visit};
use crate::reader::Reader;
use crate::reader::lists::VertexQuery;
use store_error::StoreError;

use crate::limits;
use graph_access::Budget;

/// Which vertices.
#[derive(Clone, Debug)]
pub enum VertexSelector {
    /// Those with these ids; ids nothing has are passed over.
    Ids(Vec<VertexId>),
    /// Those of a label (`None`: of any) that meet all conditions; without either, none. Needs what
    /// [`Reader::list_vertices`] needs: an index or all primary keys.
    Matching {
        /// Their label.
        label: Option<LabelId>,
        /// What they must meet.
        conditions: Conditions,
    },
}

impl Reader<'_> {
    /// The ids of the vertices of a selector, each once, in an order that stays the same between calls.
    ///
    /// # Errors
    /// [`StoreError::NothingSelected`] where there is none, [`StoreError::TooManySelected`] beyond
    /// [`limits::SELECTED_VERTICES_MAX`], and those of [`Reader::list_vertices`].
    pub fn select_vertices(&self, selector: &VertexSelector, budget: &Budget) -> Result<Vec<VertexId>, StoreError> {
        let too_many = || StoreError::TooManySelected { limit: limits::SELECTED_VERTICES_MAX };
        let mut selected = Vec::new();
        match selector {
            VertexSelector::Ids(ids) if ids.len() > limits::SELECTED_VERTICES_MAX => return Err(too_many()),
            VertexSelector::Ids(ids) => {
                let mut seen = rustc_hash::FxHashSet::default();
                let distinct: Vec<VertexId> = ids.iter().filter(|id| seen.insert(*id)).cloned().collect();
                for some in distinct.chunks(limits::LIST_FETCH_VERTICES) {
                    budget.check()?;
                    selected.extend(self.vertices(some)?.into_iter().flatten().map(|vertex| vertex.id));
                }
            }
            VertexSelector::Matching { label: None, conditions } if conditions.is_empty() => {}
            VertexSelector::Matching { label, conditions } => {
                let range = Range::Offset { offset: 0, limit: Some(limits::SELECTED_VERTICES_MAX as u64 + 1) };
                let query = VertexQuery { label: *label, conditions: conditions.clone(), range };
                self.list_vertices(&query, budget, &mut |vertex| {
                    selected.push(vertex.id.clone());
                    Visit::Continue(())
                })?;
                if selected.len() > limits::SELECTED_VERTICES_MAX {
                    return Err(too_many());
                }
            }
        }
        if selected.is_empty() { Err(StoreError::NothingSelected) } else { Ok(selected) }
    }
}
