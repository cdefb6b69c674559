//! What a pattern is made of, with its slots.

use cypher::ast::{Direction as Arrow, Shortest as Kind};
use graph_model::Direction;

use crate::plan::{Ex, Labels, Slot};

/// A path pattern with its slots.
pub(super) struct Chain {
    pub(super) nodes: Vec<Node>,
    pub(super) steps: Vec<Link>,
    pub(super) path: Option<Slot>,
    pub(super) shortest: Option<Kind>,
    /// The MATCH it stands in: only relationships of one must differ from each other.
    pub(super) clause: usize,
}

pub(super) struct Node {
    pub(super) slot: Slot,
    pub(super) labels: Option<Labels>,
}

pub(super) struct Link {
    pub(super) slot: Slot,
    pub(super) types: Option<Labels>,
    pub(super) arrow: Arrow,
    /// At least and at most so many.
    pub(super) length: Option<(u64, u64)>,
    pub(super) each: Option<(Slot, Ex)>,
    /// Whether the relationship, or the list, is known before.
    pub(super) is_known: bool,
    /// What is repeated in place of a relationship.
    pub(super) part: Option<Box<Part>>,
}

/// A part of a path that is repeated.
pub(super) struct Part {
    pub(super) chain: Chain,
    pub(super) conditions: Vec<Ex>,
    /// Names of the part: their slots inside and outside.
    pub(super) groups: Vec<(Slot, Slot)>,
    /// All slots inside.
    pub(super) slots: std::ops::Range<Slot>,
}

/// A condition and the slots it reads.
pub(super) struct Condition {
    pub(super) ex: Ex,
    pub(super) slots: Vec<Slot>,
}

/// The way of an arrow, walked forward or backward.
pub(super) fn direction(arrow: Arrow, is_forward: bool) -> Direction {
    match (arrow, is_forward) {
        (Arrow::Both, _) => Direction::Both,
        (Arrow::Right, true) | (Arrow::Left, false) => Direction::Out,
        (Arrow::Left, true) | (Arrow::Right, false) => Direction::In,
    }
}

/// Whether an expression is the id of a node.
pub(super) fn is_id(ex: &Ex, slot: Slot) -> bool {
    matches!(ex, Ex::Call(callee, arguments) if matches!(callee.0.name, "id" | "elementId")
        && matches!(arguments.as_slice(), [Ex::Slot(own)] if *own == slot))
}
