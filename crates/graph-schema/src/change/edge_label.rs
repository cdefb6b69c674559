//! Changes of edge labels.

use graph_model::{LabelId, PropertyKeyId};

use crate::change::label_parts::{Additions, Growth};
use crate::change::subject::{Subject, remove_user_data};
use crate::change::vertex_label::start;
use crate::change::{ChangeRules, Created, SchemaElement, SchemaKind};
use crate::definition::{EdgeLabel, EdgeLabelKind, Frequency, Status, VertexLabel};
use crate::input::{EdgeLabelKindName, NewEdgeLabel, UpdateEdgeLabel};
use crate::{Catalogue, SchemaError};

type Link = (LabelId, LabelId);

impl Catalogue {
    /// Creates an edge label. With `check_exist` false an existing one of the same definition is found instead.
    pub fn create_edge_label(
        &self,
        new: &NewEdgeLabel,
        rules: &ChangeRules<'_>,
    ) -> Result<Created<LabelId>, SchemaError> {
        let subject = Subject { kind: SchemaKind::EdgeLabel, name: &new.name };
        subject.check_name()?;
        if let Some(existing) = self.edge_label_named(&new.name) {
            if new.check_exist || !self.is_same_edge_label(existing, new) {
                return Err(subject.exists());
            }
            return Ok(Created { id: existing.id, change: self.unchanged() });
        }
        let id = LabelId(subject.number(self, new.id, rules.mode)?);
        let link = self.link(subject, new)?;
        let properties = self.property_set(subject, &new.properties)?;
        let sort_keys = self.identifying_keys(subject, "sort key", &new.sort_keys, &properties)?;
        let frequency = new.frequency.unwrap_or(Frequency::Single);
        check_frequency(subject, new.kind, frequency, &sort_keys)?;
        let kind = self.edge_label_kind(subject, new, &sort_keys)?;
        let nullable_keys = self.nullable_keys(subject, &new.nullable_keys, &properties, &sort_keys)?;
        let (ttl_ms, ttl_start_time) = self.lifetime(subject, new.ttl_ms, start(&new.ttl_start_time), &properties)?;
        self.check_end_lifetimes(subject, ttl_ms, link)?;
        let label = EdgeLabel {
            id,
            name: new.name.clone(),
            kind,
            link,
            frequency,
            sort_keys,
            nullable_keys,
            properties,
            ttl_ms,
            ttl_start_time,
            enable_label_index: new.enable_label_index.unwrap_or(true),
            status: Status::Created,
            user_data: subject.new_user_data(&new.user_data, rules)?,
        };
        Ok(Created { id, change: self.with(SchemaElement::EdgeLabel(label))? })
    }

    /// Adds properties (each of them nullable), nullable keys and user data; sets the lifetime.
    pub fn append_edge_label(&self, update: &UpdateEdgeLabel) -> Result<Created<LabelId>, SchemaError> {
        let (subject, mut label) = self.updated_edge_label(update)?;
        let mut growth = Growth {
            properties: &mut label.properties,
            nullable_keys: &mut label.nullable_keys,
            identifying: &label.sort_keys,
            ttl_ms: &mut label.ttl_ms,
            ttl_start_time: &mut label.ttl_start_time,
        };
        self.grow(subject, &mut growth, additions(update))?;
        if update.ttl_ms != 0 {
            self.check_end_lifetimes(subject, label.ttl_ms, label.link)?;
        }
        subject.merge_user_data(&mut label.user_data, &update.user_data)?;
        Ok(Created { id: label.id, change: self.with(SchemaElement::EdgeLabel(label))? })
    }

    /// Removes entries of the user data; nothing else can be taken from a label.
    pub fn eliminate_edge_label(&self, update: &UpdateEdgeLabel) -> Result<Created<LabelId>, SchemaError> {
        let (subject, mut label) = self.updated_edge_label(update)?;
        additions(update).check_none(subject)?;
        remove_user_data(&mut label.user_data, &update.user_data);
        Ok(Created { id: label.id, change: self.with(SchemaElement::EdgeLabel(label))? })
    }

    fn updated_edge_label<'a>(&self, update: &'a UpdateEdgeLabel) -> Result<(Subject<'a>, EdgeLabel), SchemaError> {
        let subject = Subject { kind: SchemaKind::EdgeLabel, name: &update.name };
        let label = self.edge_label_named(&update.name).ok_or_else(|| subject.not_found(self))?;
        for (given, field) in [
            (update.source_label.is_some(), "source_label"),
            (update.target_label.is_some(), "target_label"),
            (!update.links.is_empty(), "links"),
            (update.frequency.is_some(), "frequency"),
            (!update.sort_keys.is_empty(), "sort_keys"),
            (update.enable_label_index.is_some(), "enable_label_index"),
        ] {
            if given {
                return Err(subject.not_allowed(format!("its {field} cannot be changed: leave it out")));
            }
        }
        Ok((subject, EdgeLabel::clone(label)))
    }

    /// The pair of vertex labels: none for a parent, exactly one for the others.
    fn link(&self, subject: Subject<'_>, new: &NewEdgeLabel) -> Result<Option<Link>, SchemaError> {
        let (source, target) = match (new.kind, &new.source_label, &new.target_label, new.links.as_slice()) {
            (EdgeLabelKindName::Parent, None, None, []) => return Ok(None),
            (EdgeLabelKindName::Parent, ..) => {
                return Err(subject.invalid("a PARENT label must not link vertex labels: its sub labels do"));
            }
            (_, Some(source), Some(target), []) => (source, target),
            // As labels are read, and so as they come back from a backup.
            (_, Some(source), Some(target), [(from, to)]) if (source, target) == (from, to) => (source, target),
            (_, None, None, [(source, target)]) => (source, target),
            (_, None, None, [_, ..]) => {
                return Err(subject.invalid("links must have exactly one pair of vertex labels"));
            }
            (_, _, _, [_, ..]) => {
                return Err(subject.invalid(
                    "links, source_label and target_label must name the same pair of vertex labels: give either links \
                     or source_label and target_label",
                ));
            }
            (_, _, _, []) => return Err(subject.invalid("source_label and target_label must be given")),
        };
        let resolve = |end: &str, name: &str| {
            let label = self.vertex_label_named(name).filter(|label| !label.status.is_being_deleted());
            label.map(|label| label.id).ok_or_else(|| {
                let hint = self.suggestion(SchemaKind::VertexLabel, name);
                subject.invalid(format!("undefined {end} vertex label '{name}'{hint}"))
            })
        };
        Ok(Some((resolve("source", source)?, resolve("target", target)?)))
    }

    fn edge_label_kind(
        &self,
        subject: Subject<'_>,
        new: &NewEdgeLabel,
        sort_keys: &[PropertyKeyId],
    ) -> Result<EdgeLabelKind, SchemaError> {
        let name = new.parent_label.as_deref().filter(|name| !name.is_empty());
        let name = match (new.kind, name) {
            (EdgeLabelKindName::Normal, None) => return Ok(EdgeLabelKind::Normal),
            (EdgeLabelKindName::Parent, None) => return Ok(EdgeLabelKind::Parent),
            (EdgeLabelKindName::Sub, Some(name)) => name,
            (EdgeLabelKindName::Sub, None) => return Err(subject.invalid("a SUB label needs a parent_label")),
            (_, Some(_)) => return Err(subject.invalid("only a SUB label can have a parent_label")),
        };
        let parent_subject = Subject { kind: SchemaKind::EdgeLabel, name };
        let parent = self.edge_label_named(name).ok_or_else(|| parent_subject.not_found(self))?;
        if parent.kind != EdgeLabelKind::Parent {
            return Err(subject.invalid(format!("its parent_label '{name}' is not a PARENT label")));
        }
        if parent.status.is_being_deleted() {
            return Err(subject.invalid(format!("its parent_label '{name}' is being deleted")));
        }
        match self.sub_labels(parent.id).find(|sub| sub.sort_keys != sort_keys) {
            Some(sub) => Err(subject.invalid(format!(
                "all sub labels of '{name}' must have the same sort keys, but '{}' has others",
                sub.name
            ))),
            None => Ok(EdgeLabelKind::Sub { parent: parent.id }),
        }
    }

    /// An edge must not outlive its ends where both have a lifetime.
    fn check_end_lifetimes(&self, subject: Subject<'_>, ttl_ms: u64, link: Option<Link>) -> Result<(), SchemaError> {
        let (source, target) = link.unzip();
        for end in [source, target].into_iter().flatten().filter_map(|end| self.vertex_label(end)) {
            let VertexLabel { name, ttl_ms: end_ttl_ms, .. } = &**end;
            if *end_ttl_ms > 0 && ttl_ms > *end_ttl_ms {
                return Err(subject.invalid(format!(
                    "its ttl {ttl_ms} must not exceed the ttl {end_ttl_ms} of vertex label '{name}'"
                )));
            }
        }
        Ok(())
    }

    /// HugeGraph's test: kind and lifetime are not compared.
    fn is_same_edge_label(&self, existing: &EdgeLabel, new: &NewEdgeLabel) -> bool {
        let subject = Subject { kind: SchemaKind::EdgeLabel, name: &new.name };
        self.link(subject, new).is_ok_and(|link| link == existing.link)
            && new.frequency.unwrap_or(Frequency::Single) == existing.frequency
            && new.enable_label_index.unwrap_or(true) == existing.enable_label_index
            && self.same_keys(&new.properties, &existing.properties)
            && self.same_keys(&new.sort_keys, &existing.sort_keys)
            && self.same_keys(&new.nullable_keys, &existing.nullable_keys)
    }
}

fn check_frequency(
    subject: Subject<'_>,
    kind: EdgeLabelKindName,
    frequency: Frequency,
    sort_keys: &[PropertyKeyId],
) -> Result<(), SchemaError> {
    match (frequency, sort_keys.is_empty()) {
        (Frequency::Single, false) => Err(subject.invalid("sort_keys need frequency MULTIPLE")),
        (Frequency::Multiple, true) if kind != EdgeLabelKindName::Parent => {
            Err(subject.invalid("frequency MULTIPLE needs at least one sort key"))
        }
        _ => Ok(()),
    }
}

fn additions(update: &UpdateEdgeLabel) -> Additions<'_> {
    Additions {
        properties: &update.properties,
        nullable_keys: &update.nullable_keys,
        ttl_ms: update.ttl_ms,
        ttl_start_time: start(&update.ttl_start_time),
    }
}
