//! What rights are about: kinds of resources, permissions, and which of them covers which.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Permission {
    /// To see.
    Read,
    /// To make and to change.
    Write,
    /// To remove.
    Delete,
    /// To run.
    Execute,
}

impl Permission {
    /// All of them, in the order in which roles show them.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Delete, Self::Execute];

    /// As requests and answers name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "READ",
            Self::Write => "WRITE",
            Self::Delete => "DELETE",
            Self::Execute => "EXECUTE",
        }
    }

    /// The permission of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|permission| permission.name() == name)
    }

    /// HugeGraph's number of it, which is a part of ids.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::Read => 11,
            Self::Write => 12,
            Self::Delete => 14,
            Self::Execute => 18,
        }
    }
}

/// A kind of resource. The order is HugeGraph's: [`ResourceType::All`] covers those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(missing_docs, reason = "HugeGraph's names, which say what they are")]
pub enum ResourceType {
    None,
    Status,
    Vertex,
    Edge,
    VertexAggr,
    EdgeAggr,
    Var,
    Gremlin,
    Task,
    PropertyKey,
    VertexLabel,
    EdgeLabel,
    IndexLabel,
    Schema,
    Meta,
    All,
    Grant,
    UserGroup,
    Project,
    Target,
    Metrics,
    Root,
}

impl ResourceType {
    /// All of them.
    pub const EVERY: [Self; 22] = [
        Self::None,
        Self::Status,
        Self::Vertex,
        Self::Edge,
        Self::VertexAggr,
        Self::EdgeAggr,
        Self::Var,
        Self::Gremlin,
        Self::Task,
        Self::PropertyKey,
        Self::VertexLabel,
        Self::EdgeLabel,
        Self::IndexLabel,
        Self::Schema,
        Self::Meta,
        Self::All,
        Self::Grant,
        Self::UserGroup,
        Self::Project,
        Self::Target,
        Self::Metrics,
        Self::Root,
    ];

    /// As requests and answers name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Status => "STATUS",
            Self::Vertex => "VERTEX",
            Self::Edge => "EDGE",
            Self::VertexAggr => "VERTEX_AGGR",
            Self::EdgeAggr => "EDGE_AGGR",
            Self::Var => "VAR",
            Self::Gremlin => "GREMLIN",
            Self::Task => "TASK",
            Self::PropertyKey => "PROPERTY_KEY",
            Self::VertexLabel => "VERTEX_LABEL",
            Self::EdgeLabel => "EDGE_LABEL",
            Self::IndexLabel => "INDEX_LABEL",
            Self::Schema => "SCHEMA",
            Self::Meta => "META",
            Self::All => "ALL",
            Self::Grant => "GRANT",
            Self::UserGroup => "USER_GROUP",
            Self::Project => "PROJECT",
            Self::Target => "TARGET",
            Self::Metrics => "METRICS",
            Self::Root => "ROOT",
        }
    }

    /// The kind of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::EVERY.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it has labels that a right can name.
    #[must_use]
    pub fn is_labelled(self) -> bool {
        self.is_element() || self.is_schema()
    }

    fn is_element(self) -> bool {
        matches!(self, Self::Vertex | Self::Edge | Self::VertexAggr | Self::EdgeAggr)
    }

    fn is_schema(self) -> bool {
        matches!(self, Self::PropertyKey | Self::VertexLabel | Self::EdgeLabel | Self::IndexLabel)
    }

    /// Whether a right to this kind is one to the whole of another, whatever its labels and properties.
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        match self {
            Self::Root => true,
            Self::All => other < Self::All,
            Self::Schema => other.is_schema() || other == Self::Schema,
            _ => false,
        }
    }
}

/// What a right is to: a kind of resource, and which of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    /// The kind.
    #[serde(rename = "type")]
    pub kind: ResourceType,
    /// The name of the label, with `*` for any characters and `?` for one; `*`: all.
    #[serde(default = "any_label")]
    pub label: String,
    /// What the properties of elements must be, values or predicates such as `P.gt(30)`; none: whatever they are.
    #[serde(default)]
    pub properties: Option<Map<String, Value>>,
}

fn any_label() -> String {
    "*".to_owned()
}

impl Resource {
    /// Everything of a kind.
    #[must_use]
    pub fn whole(kind: ResourceType) -> Self {
        Self { kind, label: any_label(), properties: None }
    }

    /// Its key among the resources of a target, as HugeGraph 1.7 groups them.
    #[must_use]
    pub fn key(&self) -> String {
        if self.kind.is_labelled() {
            format!("{}#{}", self.kind.name(), self.label)
        } else {
            self.kind.name().to_owned()
        }
    }

    /// Whether it is about the label of a name.
    #[must_use]
    pub fn is_about(&self, label: &str) -> bool {
        is_like(label, &self.label)
    }

    /// Whether it has no condition on properties.
    #[must_use]
    pub fn is_unconditional(&self) -> bool {
        self.properties.as_ref().is_none_or(|properties| properties.is_empty() || properties.contains_key("*"))
    }

    /// Whether it is about everything of its kind.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.label == "*" && self.is_unconditional()
    }
}

/// Whether a name is as a pattern says: `*` stands for any characters, `?` for one. Takes time in proportion to the
/// product of both lengths at most.
#[must_use]
pub(crate) fn is_like(name: &str, pattern: &str) -> bool {
    if pattern == "*" {
        return true;
    }
    let (name, pattern): (Vec<char>, Vec<char>) = (name.chars().collect(), pattern.chars().collect());
    let (mut at, mut of) = (0, 0);
    // Where to go on if what follows the last star does not fit.
    let mut again: Option<(usize, usize)> = None;
    while at < name.len() {
        match pattern.get(of) {
            Some('*') => {
                again = Some((at, of));
                of += 1;
            }
            Some(wanted) if *wanted == '?' || name.get(at) == Some(wanted) => {
                at += 1;
                of += 1;
            }
            _ => match again {
                Some((from, star)) => {
                    again = Some((from + 1, star));
                    (at, of) = (from + 1, star + 1);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(of).all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_with_patterns() {
        for (name, pattern, expected) in [
            ("person", "*", true),
            ("person", "person", true),
            ("person", "per*", true),
            ("person", "*son", true),
            ("person", "p?rs*n", true),
            ("person", "per", false),
            ("person", "per.*", false),
            ("person", "", false),
            ("", "*", true),
            ("人物", "人?", true),
            ("aaaaaaaaaaaaaaaaaaaaaaab", "*a*a*a*a*c", false),
        ] {
            assert_eq!(is_like(name, pattern), expected, "{name} {pattern}");
        }
    }

    #[test]
    fn kinds_cover_as_in_hugegraph() {
        use ResourceType::{All, EdgeLabel, Grant, Root, Schema, Status, UserGroup, Vertex};
        assert!(All.covers(Vertex) && All.covers(Status) && All.covers(Schema));
        assert!(!All.covers(Grant) && !All.covers(UserGroup));
        assert!(Root.covers(UserGroup) && Root.covers(Root));
        assert!(Schema.covers(EdgeLabel) && !Schema.covers(Vertex) && !Vertex.covers(Vertex));
        for kind in ResourceType::EVERY {
            assert_eq!(ResourceType::from_name(kind.name()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
    }

    #[test]
    fn keys_are_those_of_hugegraph() {
        assert_eq!(Resource::whole(ResourceType::Vertex).key(), "VERTEX#*");
        assert_eq!(Resource::whole(ResourceType::Gremlin).key(), "GREMLIN");
    }
}
