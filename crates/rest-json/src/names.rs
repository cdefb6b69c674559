//! Names of fixed sets in schema JSON that the model does not name itself, one table each.

use graph_schema::{AggregateType, EdgeLabelKindName, Frequency, IndexType, Status, WriteType};

/// The names of one fixed set.
pub(crate) type Names<T> = [(&'static str, T)];

pub(crate) const AGGREGATE_TYPES: &Names<AggregateType> = &[
    ("NONE", AggregateType::None),
    ("MAX", AggregateType::Max),
    ("MIN", AggregateType::Min),
    ("SUM", AggregateType::Sum),
    ("OLD", AggregateType::Old),
    ("SET", AggregateType::Set),
    ("LIST", AggregateType::List),
];

pub(crate) const WRITE_TYPES: &Names<WriteType> = &[
    ("OLTP", WriteType::Oltp),
    ("OLAP_COMMON", WriteType::OlapCommon),
    ("OLAP_SECONDARY", WriteType::OlapSecondary),
    ("OLAP_RANGE", WriteType::OlapRange),
];

pub(crate) const STATUSES: &Names<Status> = &[
    ("CREATED", Status::Created),
    ("CREATING", Status::Creating),
    ("REBUILDING", Status::Rebuilding),
    ("DELETING", Status::Deleting),
    ("UNDELETED", Status::Undeleted),
    ("INVALID", Status::Invalid),
];

pub(crate) const FREQUENCIES: &Names<Frequency> = &[("SINGLE", Frequency::Single), ("MULTIPLE", Frequency::Multiple)];

pub(crate) const EDGE_LABEL_KINDS: &Names<EdgeLabelKindName> =
    &[("NORMAL", EdgeLabelKindName::Normal), ("PARENT", EdgeLabelKindName::Parent), ("SUB", EdgeLabelKindName::Sub)];

pub(crate) const INDEX_TYPES: &Names<IndexType> = &[
    ("SECONDARY", IndexType::Secondary),
    ("RANGE", IndexType::Range),
    ("SEARCH", IndexType::Search),
    ("SHARD", IndexType::Shard),
    ("UNIQUE", IndexType::Unique),
];

/// HugeGraph's types of range indexes, one for each width of numbers.
pub(crate) const RANGE_NAMES: [&str; 4] = ["RANGE_INT", "RANGE_FLOAT", "RANGE_LONG", "RANGE_DOUBLE"];

/// What an index label is over: true for vertices.
pub(crate) const BASE_TYPES: &Names<bool> = &[("VERTEX_LABEL", true), ("EDGE_LABEL", false)];

/// The value of a name.
pub(crate) fn value_of<T: Copy>(names: &Names<T>, name: &str) -> Option<T> {
    names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// The name of a value. Every value is in its table (a test holds that); an empty text would show a missing one.
pub(crate) fn name_of<T: Copy + PartialEq>(names: &Names<T>, value: T) -> &'static str {
    names.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_a_name_of_its_own() {
        fn check<T: Copy + PartialEq + std::fmt::Debug>(names: &Names<T>, values: &[T]) {
            assert_eq!(names.len(), values.len());
            for value in values {
                assert_eq!(value_of(names, name_of(names, *value)), Some(*value));
            }
            assert_eq!(value_of(names, ""), None);
        }
        use AggregateType as A;
        check(AGGREGATE_TYPES, &[A::None, A::Max, A::Min, A::Sum, A::Old, A::Set, A::List]);
        check(WRITE_TYPES, &[WriteType::Oltp, WriteType::OlapCommon, WriteType::OlapSecondary, WriteType::OlapRange]);
        use Status as S;
        check(STATUSES, &[S::Created, S::Creating, S::Rebuilding, S::Deleting, S::Undeleted, S::Invalid]);
        check(FREQUENCIES, &[Frequency::Single, Frequency::Multiple]);
        check(EDGE_LABEL_KINDS, &[EdgeLabelKindName::Normal, EdgeLabelKindName::Parent, EdgeLabelKindName::Sub]);
        use IndexType as I;
        check(INDEX_TYPES, &[I::Secondary, I::Range, I::Search, I::Shard, I::Unique]);
        check(BASE_TYPES, &[true, false]);
    }
}
