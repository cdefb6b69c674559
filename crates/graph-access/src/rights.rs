//! Which elements of a graph somebody may see, write and delete: by labels, and by conditions on properties.

use std::collections::BTreeMap;

use graph_model::{LabelId, Properties};
use graph_schema::Conditions;

/// Which elements of a label.
#[derive(Clone, Debug, PartialEq)]
pub enum Allowed {
    /// All of them.
    Whole,
    /// Those that meet all conditions of at least one of these.
    Where(Vec<Conditions>),
}

/// Which labels, and which of their elements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelRights {
    /// All, those to come too.
    all: bool,
    labels: BTreeMap<LabelId, Allowed>,
}

impl LabelRights {
    /// All elements of all labels.
    #[must_use]
    pub fn all() -> Self {
        Self { all: true, labels: BTreeMap::new() }
    }

    /// From now on all elements of all labels.
    pub fn grant_all(&mut self) {
        *self = Self::all();
    }

    /// From now on these elements of a label too.
    pub fn grant(&mut self, label: LabelId, allowed: Allowed) {
        if self.all {
            return;
        }
        let before = self.labels.remove(&label);
        let both = match (before, allowed) {
            (Some(Allowed::Where(mut before)), Allowed::Where(more)) => {
                before.extend(more);
                Allowed::Where(before)
            }
            (Some(Allowed::Whole), _) | (_, Allowed::Whole) => Allowed::Whole,
            (None, allowed) => allowed,
        };
        self.labels.insert(label, both);
    }

    /// Whether it is all elements of all labels.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.all
    }

    /// Whether it is no element of any label.
    #[must_use]
    pub fn is_none(&self) -> bool {
        !self.all && self.labels.is_empty()
    }

    /// Which elements of a label; `None`: none.
    #[must_use]
    pub fn of(&self, label: LabelId) -> Option<&Allowed> {
        if self.all { Some(&Allowed::Whole) } else { self.labels.get(&label) }
    }

    /// Whether any condition must be looked at.
    #[must_use]
    pub fn has_conditions(&self) -> bool {
        self.labels.values().any(|allowed| matches!(allowed, Allowed::Where(_)))
    }

    /// Whether an element with these properties is among them.
    #[must_use]
    pub fn allows(&self, label: LabelId, properties: &Properties) -> bool {
        match self.of(label) {
            None => false,
            Some(Allowed::Whole) => true,
            Some(Allowed::Where(any)) => any.iter().any(|conditions| conditions.matches(properties)),
        }
    }
}

/// Which vertices and edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElementRights {
    /// Vertices.
    pub vertices: LabelRights,
    /// Edges. An edge whose end is hidden is hidden too, whatever is said here.
    pub edges: LabelRights,
}

impl ElementRights {
    /// All.
    #[must_use]
    pub fn all() -> Self {
        Self { vertices: LabelRights::all(), edges: LabelRights::all() }
    }

    /// Whether it is all.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.vertices.is_all() && self.edges.is_all()
    }

    /// Whether it is none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.vertices.is_none() && self.edges.is_none()
    }
}

/// What somebody may do with the elements of a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphRights {
    /// Which can be seen. All others are as if they were not there.
    pub read: ElementRights,
    /// As what elements may be written.
    pub write: ElementRights,
    /// Which may be deleted.
    pub delete: ElementRights,
}

impl GraphRights {
    /// Whether there is nothing to be hidden or refused.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.read.is_all() && self.write.is_all() && self.delete.is_all()
    }

    /// The same without the rights to change anything.
    #[must_use]
    pub fn reading_only(&self) -> Self {
        Self { read: self.read.clone(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_add_up() {
        let (person, software) = (LabelId(1), LabelId(2));
        let mut rights = LabelRights::default();
        assert!(rights.is_none() && rights.of(person).is_none());
        rights.grant(person, Allowed::Where(vec![Conditions::default()]));
        rights.grant(person, Allowed::Where(vec![Conditions::default()]));
        assert!(rights.has_conditions() && !rights.is_none());
        assert_eq!(rights.of(person), Some(&Allowed::Where(vec![Conditions::default(); 2])));
        rights.grant(person, Allowed::Whole);
        rights.grant(person, Allowed::Where(vec![Conditions::default()]));
        assert_eq!((rights.of(person), rights.of(software)), (Some(&Allowed::Whole), None));
        assert!(!rights.is_all() && !rights.has_conditions());
        rights.grant_all();
        rights.grant(person, Allowed::Where(vec![Conditions::default()]));
        assert!(rights.is_all() && rights.allows(software, &Properties::default()));
    }
}
