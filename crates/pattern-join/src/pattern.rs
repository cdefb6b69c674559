//! What is looked for.

use graph_model::{Direction, LabelId};

/// Nodes in columns, of which those before the first hop are known, and hops between them. The column 0 is the place of
/// what a way belongs to: ways of different places are kept apart, unless nothing asks for it.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// How many columns there are.
    pub width: usize,
    /// What leads from node to node, in the order in which it is looked for.
    pub hops: Vec<Hop>,
    /// Columns of nodes that must not be the same.
    pub different: Vec<(usize, usize)>,
    /// Columns that are asked for in the end.
    pub wanted: Vec<usize>,
    /// Whether ways that agree in what is asked for may be gathered, which delays the first ones.
    pub is_gathered: bool,
}

/// A relationship of a pattern.
#[derive(Clone, Debug)]
pub struct Hop {
    /// The column of the node that is known.
    pub from: usize,
    /// The column of the other one.
    pub to: usize,
    /// Whether the other one is known.
    pub is_into: bool,
    /// Which way.
    pub direction: Direction,
    /// Which labels; none: any.
    pub types: Option<Vec<LabelId>>,
    /// Hops with the same types whose relationships must be different ones.
    pub others: Vec<usize>,
    /// The test that the other node must meet.
    pub test: Option<usize>,
    /// What is asked of it.
    pub kind: HopKind,
}

/// What is asked of a hop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HopKind {
    /// Each relationship is a way of its own.
    #[default]
    Each,
    /// There is one. Nothing asks for the other node, unless it is known.
    Present,
    /// There is none. Nothing asks for the other node, unless it is known.
    Absent,
    /// Each is a way of its own; where there is none, that is one too. Nothing asks for the other node.
    Optional,
}

impl HopKind {
    /// How many ways so many relationships make.
    pub(crate) fn ways(self, found: u64) -> u64 {
        match self {
            Self::Each => found,
            Self::Present => found.min(1),
            Self::Absent => u64::from(found == 0),
            Self::Optional => found.max(1),
        }
    }
}
