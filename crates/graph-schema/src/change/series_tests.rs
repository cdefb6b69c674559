//! Any series of changes leaves a catalogue that loads again as it is.

use graph_model::{Cardinality, DataType, LabelId, PropertyKeyId};
use proptest::prelude::*;

use crate::fixture::*;
use crate::*;

#[derive(Clone, Debug)]
enum Step {
    Key(u8),
    VertexLabel { name: u8, properties: Vec<u8>, primary: bool },
    EdgeLabel { name: u8, ends: (u8, u8), properties: Vec<u8>, sorted: bool },
    Parent(u8),
    Sub { name: u8, parent: u8, ends: (u8, u8) },
    GrowVertexLabel { name: u8, property: u8 },
    GrowEdgeLabel { name: u8, property: u8 },
    Index { name: u8, on_vertices: bool, base: u8, index_type: IndexType, fields: Vec<u8> },
    FinishIndex(u32),
    DeleteKey(u8),
    Remove(SchemaKey),
    SetStatus(SchemaKey),
}

fn name(number: u8) -> String {
    format!("n{number}")
}

fn names(numbers: &[u8]) -> Vec<String> {
    numbers.iter().copied().map(name).collect()
}

fn apply(catalogue: &Catalogue, step: &Step) -> Result<Change, SchemaError> {
    match step {
        Step::Key(number) => {
            let new = key(&name(*number), DataType::Int, Cardinality::Single);
            catalogue.create_property_key(&new, &CHANGE).map(|created| created.change)
        }
        Step::VertexLabel { name: label, properties, primary } => {
            let mut new = NewVertexLabel { properties: names(properties), ..vertex_label(&name(*label), &[]) };
            if *primary {
                new.primary_keys = new.properties.iter().take(1).cloned().collect();
            }
            catalogue.create_vertex_label(&new, &CHANGE).map(|created| created.change)
        }
        Step::EdgeLabel { name: label, ends, properties, sorted } => {
            let mut new = edge_label(&name(*label), &name(ends.0), &name(ends.1), &[]);
            new.properties = names(properties);
            if *sorted {
                new.frequency = Some(Frequency::Multiple);
                new.sort_keys = new.properties.iter().take(1).cloned().collect();
            }
            catalogue.create_edge_label(&new, &CHANGE).map(|created| created.change)
        }
        Step::Parent(number) => {
            catalogue.create_edge_label(&parent_label(&name(*number)), &CHANGE).map(|created| created.change)
        }
        Step::Sub { name: label, parent, ends } => {
            let mut new = edge_label(&name(*label), &name(ends.0), &name(ends.1), &[]);
            (new.kind, new.parent_label) = (EdgeLabelKindName::Sub, Some(name(*parent)));
            catalogue.create_edge_label(&new, &CHANGE).map(|created| created.change)
        }
        Step::GrowVertexLabel { name: label, property } => {
            let mut update = vertex_update(&name(*label));
            (update.properties, update.nullable_keys) = (names(&[*property]), names(&[*property]));
            catalogue.append_vertex_label(&update).map(|created| created.change)
        }
        Step::GrowEdgeLabel { name: label, property } => {
            let mut update = edge_update(&name(*label));
            (update.properties, update.nullable_keys) = (names(&[*property]), names(&[*property]));
            catalogue.append_edge_label(&update).map(|created| created.change)
        }
        Step::Index { name: index, on_vertices, base, index_type, fields } => {
            let new = NewIndexLabel {
                on_vertices: *on_vertices,
                fields: names(fields),
                ..NewIndexLabel::on_vertices(&name(*index), &name(*base), *index_type, &[])
            };
            catalogue.create_index_label(&new, &CHANGE).map(|created| created.change)
        }
        Step::FinishIndex(number) => catalogue.finish_index_label(LabelId(*number)),
        Step::DeleteKey(number) => catalogue.delete_property_key(&name(*number)),
        Step::Remove(key) => catalogue.remove(*key),
        Step::SetStatus(key) => catalogue.set_status_with_indexes(*key, Status::Deleting),
    }
}

fn steps() -> impl Strategy<Value = Step> {
    let some = || 0..5_u8;
    let list = || prop::collection::vec(0..5_u8, 0..3);
    let schema_key = || {
        (0..4_u8, 1..8_u32).prop_map(|(kind, number)| match kind {
            0 => SchemaKey::PropertyKey(PropertyKeyId(number)),
            1 => SchemaKey::VertexLabel(LabelId(number)),
            2 => SchemaKey::IndexLabel(LabelId(number)),
            _ => SchemaKey::EdgeLabel(LabelId(number)),
        })
    };
    let index_type =
        prop::sample::select(vec![IndexType::Secondary, IndexType::Range, IndexType::Shard, IndexType::Unique]);
    prop_oneof![
        4 => some().prop_map(Step::Key),
        4 => (some(), list(), any::<bool>())
            .prop_map(|(name, properties, primary)| Step::VertexLabel { name, properties, primary }),
        3 => (some(), (some(), some()), list(), any::<bool>())
            .prop_map(|(name, ends, properties, sorted)| Step::EdgeLabel { name, ends, properties, sorted }),
        1 => some().prop_map(Step::Parent),
        2 => (some(), some(), (some(), some())).prop_map(|(name, parent, ends)| Step::Sub { name, parent, ends }),
        1 => (some(), some()).prop_map(|(name, property)| Step::GrowVertexLabel { name, property }),
        1 => (some(), some()).prop_map(|(name, property)| Step::GrowEdgeLabel { name, property }),
        4 => (some(), any::<bool>(), some(), index_type, prop::collection::vec(0..5_u8, 1..3)).prop_map(
            |(name, on_vertices, base, index_type, fields)| Step::Index { name, on_vertices, base, index_type, fields }
        ),
        1 => (1..8_u32).prop_map(Step::FinishIndex),
        1 => some().prop_map(Step::DeleteKey),
        1 => schema_key().prop_map(Step::Remove),
        1 => schema_key().prop_map(Step::SetStatus),
    ]
}

proptest! {
    #[test]
    fn any_series_of_changes_leaves_a_catalogue_that_loads_again(steps in prop::collection::vec(steps(), 0..60)) {
        let mut catalogue = Catalogue::default();
        let mut stored = std::collections::BTreeMap::new();
        for step in &steps {
            let before = catalogue.next_ids();
            let Ok(change) = apply(&catalogue, step) else { continue };
            for element in change.put {
                stored.insert(element.key(), element);
            }
            for key in change.removed {
                prop_assert!(stored.remove(&key).is_some(), "{key:?} was stored");
            }
            catalogue = change.catalogue;
            let after = catalogue.next_ids();
            prop_assert!(before.property_key <= after.property_key && before.vertex_label <= after.vertex_label);
            prop_assert!(before.edge_label <= after.edge_label && before.index_label <= after.index_label);
            let indexed = catalogue
                .index_labels()
                .filter(|index| catalogue.indexes_over(index.on_vertices, index.base).contains(index));
            prop_assert_eq!(indexed.count(), catalogue.index_labels().count());
        }
        let loaded = Catalogue::from_elements(SchemaMode::Strict, stored.into_values().collect(), catalogue.next_ids());
        prop_assert_eq!(loaded, Ok(catalogue));
    }
}
