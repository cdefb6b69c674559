//! Finding by properties: whatever index labels there are and whatever is asked, a query gives what a look at every
//! element gives, at once, part by part and page by page; or says which index is missing.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

mod cases;
mod fixture;

use std::borrow::Cow;
use std::collections::BTreeSet;

use graph_model::{Direction, Properties, Value, Vertex, VertexId};
use graph_schema::{Catalogue, Conditions, IndexType, Literal, NewPredicate, Predicate};
use graph_store::{Range, StoreError, Wait};
use jiff::tz::TimeZone;
use proptest::prelude::*;
use proptest::sample::subsequence;

use fixture::{
    ALL, Given, INDEXES, Index, KEYS, LABELS, SORTS, conditions, edges, graph_of, in_every_way, predicate,
    pulled_edges, pulled_vertices, vertices,
};

type Asked = Vec<(usize, NewPredicate<'static>)>;

fn asked() -> impl Strategy<Value = Asked> {
    let one = (0..KEYS.len(), 0u8..9, 0u8..5, 0u8..5).prop_map(|(key, kind, a, b)| (key, predicate(key, kind, a, b)));
    prop::collection::vec(one, 1..4)
}

fn elements() -> impl Strategy<Value = Vec<(usize, Given)>> {
    prop::collection::vec((0..3usize, prop::array::uniform6(0u8..5)), 1..40)
}

fn indexes() -> impl Strategy<Value = Vec<(usize, Index)>> {
    let all: Vec<_> = (0..3).flat_map(|label| INDEXES.map(|index| (label, index))).collect();
    let count = all.len();
    subsequence(all, count / 3..=count)
}

/// What the index over a text is asked for, by the words themselves.
fn shares_a_word(text: &str, words: &str) -> bool {
    let words_of = |text: &str| text.to_lowercase().split(' ').map(str::to_owned).collect::<BTreeSet<_>>();
    let (text, words) = (words_of(text), words_of(words));
    text.intersection(&words).any(|word| !word.is_empty())
}

fn meets(catalogue: &Catalogue, conditions: &Conditions, properties: &Properties) -> bool {
    let bio = catalogue.property_key_named("bio").unwrap().id;
    conditions.iter().all(|condition| match &condition.predicate {
        Predicate::TextContains(words) => match properties.get(bio) {
            Some(Value::Text(text)) => shares_a_word(text, words),
            _ => false,
        },
        _ => condition.matches(properties),
    })
}

/// Whether the indexes of a label cover all conditions, judged without the planner.
fn covered(catalogue: &Catalogue, on_vertices: bool, label: &str, conditions: &Conditions) -> bool {
    let id = if on_vertices {
        catalogue.vertex_label_named(label).unwrap().id
    } else {
        catalogue.edge_label_named(label).unwrap().id
    };
    conditions.iter().all(|condition| {
        catalogue.indexes_over(on_vertices, id).iter().any(|index| {
            let Some(at) = index.fields.iter().position(|field| *field == condition.key) else { return false };
            let named = |predicate: &Predicate| {
                matches!(predicate, Predicate::Equal(_) | Predicate::OneOf(_) | Predicate::ContainsAny(_))
            };
            let empty = matches!(&condition.predicate, Predicate::Equal(Value::Set(items)) if items.is_empty());
            let before =
                index.fields[..at].iter().all(|field| conditions.get(*field).is_some_and(|it| named(&it.predicate)));
            let own = match index.index_type {
                IndexType::Secondary => named(&condition.predicate) && !empty,
                IndexType::Range | IndexType::Shard => {
                    !matches!(condition.predicate, Predicate::TextContains(_) | Predicate::ContainsAny(_)) && !empty
                }
                IndexType::Search => matches!(condition.predicate, Predicate::TextContains(_)),
                IndexType::Unique => false,
            };
            before && own
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn queries_give_what_a_look_at_every_element_gives(
        indexes in indexes(), elements in elements(), questions in prop::collection::vec((asked(), 0..3usize), 1..12),
        size in 1u64..6, index_first in any::<bool>(),
    ) {
        let (_store, graph) = graph_of(&indexes, &elements, index_first);
        let catalogue = graph.catalogue();
        let (everything, _) = vertices(&graph, None, &Conditions::default(), ALL).unwrap();
        let everything: Vec<Vertex> = graph.reader().vertices(&everything).unwrap().into_iter().flatten().collect();
        let (all_edges, _) = edges(&graph, None, &Conditions::default(), ALL).unwrap();
        let all_edges: Vec<_> = graph.reader().edges(&all_edges).unwrap().into_iter().flatten().collect();
        for (asked, label) in questions {
            let conditions = conditions(&catalogue, &asked);
            let meets = |properties: &Properties| meets(&catalogue, &conditions, properties);
            let label = LABELS.get(label).copied().filter(|label| *label != "knows");
            let found = in_every_way(size, |range| vertices(&graph, label, &conditions, range));
            let possible = LABELS[..2].iter().filter(|name| label.is_none_or(|label| label == **name))
                .all(|name| covered(&catalogue, true, name, &conditions));
            let pulled = pulled_vertices(&graph, label, &conditions, usize::try_from(size).unwrap());
            prop_assert_eq!(pulled.ok(), found.as_ref().ok().cloned());
            match found {
                Ok(found) => {
                    prop_assert!(possible, "{conditions:?} are not covered");
                    let of_label = |vertex: &&Vertex| {
                        label.is_none_or(|label| catalogue.vertex_label(vertex.label).unwrap().name == label)
                    };
                    let expected: BTreeSet<_> = everything.iter().filter(of_label)
                        .filter(|vertex| meets(&vertex.properties)).map(|vertex| vertex.id.clone()).collect();
                    let found = found.into_iter().collect::<BTreeSet<_>>();
                    prop_assert_eq!(found, expected, "{:?} of {:?}", conditions, label);
                }
                Err(StoreError::NoIndex { .. }) => prop_assert!(!possible, "{conditions:?} are covered"),
                Err(other) => return Err(TestCaseError::fail(other.to_string())),
            }
            let expected: BTreeSet<_> =
                all_edges.iter().filter(|edge| meets(&edge.properties)).map(|edge| edge.id.clone()).collect();
            let found = in_every_way(size, |range| edges(&graph, None, &conditions, range));
            let pulled = pulled_edges(&graph, &conditions, usize::try_from(size).unwrap());
            prop_assert_eq!(pulled.ok(), found.as_ref().ok().cloned());
            match found {
                Ok(found) => {
                    prop_assert!(covered(&catalogue, false, "knows", &conditions), "{conditions:?} are not covered");
                    prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "{:?} of edges", conditions);
                }
                Err(StoreError::NoIndex { .. }) => prop_assert!(!covered(&catalogue, false, "knows", &conditions)),
                Err(other) => return Err(TestCaseError::fail(other.to_string())),
            }
        }
    }

    #[test]
    fn edges_of_a_vertex_are_compared_one_by_one(
        elements in elements(), asked in prop_oneof![Just(Vec::new()), asked()], size in 1u64..4, sort in 0..4usize,
        step in prop::option::of(-1..1i64),
    ) {
        let (_store, graph) = graph_of(&[], &elements, true);
        let catalogue = graph.catalogue();
        let mut asked: Vec<_> = asked.iter().filter(|(key, _)| *key != 5)
            .map(|(key, predicate)| (Cow::Borrowed(KEYS[*key].0), predicate.clone())).collect();
        if let Some(sort) = SORTS.get(sort) {
            asked.push(("name".into(), NewPredicate::Equal(Literal::Text((*sort).into()))));
        }
        if let Some(step) = step {
            asked.push(("step".into(), NewPredicate::Equal(Literal::Integer(step))));
        }
        let conditions = catalogue.check_conditions(&asked, &TimeZone::UTC).unwrap();
        let all = edges(&graph, None, &Conditions::default(), ALL).unwrap().0;
        let all: Vec<_> = graph.reader().edges(&all).unwrap().into_iter().flatten().collect();
        for id in (0..3).map(VertexId::Number) {
            let from = || Some((id.clone(), Direction::Out));
            let found = in_every_way(size, |range| edges(&graph, from(), &conditions, range));
            let expected: BTreeSet<_> = all
                .iter()
                .filter(|edge| edge.id.source == id && conditions.matches(&edge.properties))
                .map(|edge| edge.id.clone()).collect();
            prop_assert_eq!(found.unwrap().into_iter().collect::<BTreeSet<_>>(), expected);
        }
    }

    /// Pages go on where they ended, whatever is deleted and inserted in between.
    #[test]
    fn pages_survive_writes_in_between(
        elements in elements(), size in 1u64..4, deleted in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let (_store, graph) = graph_of(&[(0, INDEXES[1]), (1, INDEXES[1])], &elements, true);
        let catalogue = graph.catalogue();
        let conditions = conditions(&catalogue, &[(1, predicate(1, 4, 3, 0))]);
        let (all, _) = vertices(&graph, None, &conditions, ALL).unwrap();
        let begin = Range::Page { token: String::new(), limit: Some(size) };
        let (first, next) = vertices(&graph, None, &conditions, begin).unwrap();
        let mut gone = BTreeSet::new();
        for index in deleted {
            if let Some(id) = all.get(index.index(all.len().max(1))).filter(|id| gone.insert((*id).clone())) {
                graph.writer().delete_vertex(id, Wait::Allowed).unwrap().wait().unwrap();
            }
        }
        let mut found = first.clone();
        let mut next = next;
        while let Some(token) = next {
            let (page, after) = vertices(&graph, None, &conditions, Range::Page { token, limit: Some(size) }).unwrap();
            found.extend(page);
            next = after;
        }
        let expected: Vec<_> = all.iter().filter(|id| first.contains(id) || !gone.contains(*id)).cloned().collect();
        prop_assert_eq!(found, expected);
    }
}
