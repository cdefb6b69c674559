//! Index labels of auto graphs: over one name that labels can have among others, by keys that can hold anything.

use graph_model::LabelId;

use crate::change::index_label::{check_field_count, check_room, new_index_label, repeats};
use crate::change::subject::Subject;
use crate::change::{ChangeRules, Created, SchemaElement};
use crate::definition::{IndexLabel, IndexType, LABEL_JOINT};
use crate::input::{Declaration, NewIndexLabel};
use crate::{Catalogue, SchemaError};

impl Catalogue {
    /// Creates an index label of status CREATING. Its label and keys come into being where they are not there.
    pub(super) fn create_auto_index_label(
        &self,
        subject: Subject<'_>,
        new: &NewIndexLabel,
        rules: &ChangeRules<'_>,
    ) -> Result<Created<LabelId>, SchemaError> {
        if new.index_type == IndexType::Search {
            return Err(subject.not_supported(
                "SEARCH indexes need a TEXT, and the graph has schema.mode=auto, whose keys have no type: SECONDARY, \
                 RANGE, SHARD and UNIQUE ones can be made",
            ));
        }
        if !new.rebuild {
            return Err(subject.not_supported(
                "the graph has schema.mode=auto, whose indexes miss nothing: it must be built, so leave out rebuild",
            ));
        }
        if new.base.contains(LABEL_JOINT) {
            return Err(subject.invalid(format!(
                "'{}' is a set of labels: name one of them, the index is then over all sets with it",
                new.base
            )));
        }
        check_field_count(subject, new)?;
        if let Some(twice) =
            new.fields.iter().enumerate().find(|(at, name)| new.fields.iter().take(*at).any(|own| own == *name))
        {
            return Err(subject.invalid(format!("the field '{}' is named twice", twice.1)));
        }
        let (base, keys): (&[&str], Vec<&str>) = (&[&new.base], new.fields.iter().map(String::as_str).collect());
        let (vertex_labels, edge_labels) = if new.on_vertices { (base, &[][..]) } else { (&[][..], base) };
        let mut change = self.declare(&Declaration { vertex_labels, edge_labels, property_keys: &keys }, rules)?;
        let next = &change.catalogue;
        let base = if new.on_vertices {
            next.vertex_label_named(&new.base).map(|label| label.id)
        } else {
            next.edge_label_named(&new.base).map(|label| label.id)
        };
        let base = base.ok_or_else(|| subject.not_found(self))?;
        let fields: Vec<_> = keys.iter().filter_map(|name| next.property_key_named(name)).map(|key| key.id).collect();
        let over: Vec<_> =
            next.index_labels().filter(|own| (own.on_vertices, own.base) == (new.on_vertices, base)).collect();
        let is_same = |old: &IndexLabel| old.is_kept() && old.index_type == new.index_type && old.fields == fields;
        if let Some(old) = over.iter().find(|old| is_same(old)) {
            return Err(repeats(subject, old));
        }
        check_room(subject, new, over.len())?;
        let id = LabelId(next.next_ids().index_label);
        let index = new_index_label(subject, new, rules, id, base, fields)?;
        let made = next.with(SchemaElement::IndexLabel(index))?;
        change.put.extend(made.put);
        change.catalogue = made.catalogue;
        Ok(Created { id, change })
    }
}
