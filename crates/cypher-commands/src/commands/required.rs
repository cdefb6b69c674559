//! `REQUIRE n.key IS NOT NULL`: properties that are not nullable in their label.

use auth::{Permission, ResourceType};
use cypher_exec::ErrorKind;
use graph_access::GraphRead as _;
use graph_model::{LabelId, Properties, PropertyKeyId};
use graph_schema::{Catalogue, SchemaKey};
use graph_store::GraphReader;

use super::Commands;
use crate::effects::Note;
use crate::error::{Result, error, stored};
use crate::limits::BATCH;
use crate::rule::{Kind, Rule};

pub(crate) use cypher_stored::REQUIRED_PREFIX;

/// A property that every element of a label must have.
pub(crate) struct Required {
    /// Its name as a constraint.
    name: String,
    on_vertices: bool,
    label: LabelId,
    key: PropertyKeyId,
}

impl Required {
    fn schema_key(&self) -> SchemaKey {
        if self.on_vertices { SchemaKey::VertexLabel(self.label) } else { SchemaKey::EdgeLabel(self.label) }
    }

    /// The one of a name, as `SHOW CONSTRAINTS` has it.
    pub(crate) fn named(catalogue: &Catalogue, name: &str) -> Option<Self> {
        let all = cypher_stored::required_properties(catalogue).into_iter();
        all.filter(|own| own.name == name).map(Self::of).next()
    }

    fn of(own: cypher_stored::RequiredProperty) -> Self {
        Self { name: own.name, on_vertices: own.on_vertices, label: own.label, key: own.key }
    }
}

impl Commands<'_> {
    fn want_label_right(&self, on_vertices: bool) -> Result<()> {
        if on_vertices {
            self.want_right(Permission::Write, ResourceType::VertexLabel, "VERTEX_LABEL")
        } else {
            self.want_right(Permission::Write, ResourceType::EdgeLabel, "EDGE_LABEL")
        }
    }

    /// Makes a property one that must be there. Writers are told first, and then all elements looked at, so that none
    /// without it comes in between; where one lacks it, the label becomes what it was.
    pub(crate) fn create_required(
        &self,
        name: Option<&str>,
        may_be: bool,
        on_vertices: bool,
        label: String,
        keys: Vec<String>,
    ) -> Result<()> {
        self.want_label_right(on_vertices)?;
        let [key_name] = keys.as_slice() else {
            let message = "IS NOT NULL is about exactly one property: make a constraint for each";
            return Err(error(ErrorKind::ConstraintCreationFailed, message));
        };
        let key_name = key_name.clone();
        let rule = Rule::new(name, Kind::Unique, on_vertices, label, keys);
        let catalogue = self.graph.catalogue();
        if catalogue.is_auto() {
            let message = format!(
                "graph '{}' has schema.mode=auto, in which any element can lack any property: IS NOT NULL needs a \
                 graph with a strict schema",
                self.graph.name()
            );
            return Err(error(ErrorKind::ConstraintCreationFailed, message));
        }
        self.check_names(&catalogue, &rule)?;
        let id = if on_vertices {
            catalogue.vertex_label_named(&rule.label).map(|label| label.id)
        } else {
            catalogue.edge_label_named(&rule.label).map(|label| label.id)
        };
        let (Some(id), Some(key)) = (id, catalogue.property_key_named(&key_name).map(|key| key.id)) else {
            return Err(error(ErrorKind::ConstraintCreationFailed, "the label or its property has just been removed"));
        };
        let name = name.map_or_else(|| cypher_stored::required_name(&rule.label, &key_name), str::to_owned);
        let all = cypher_stored::required_properties(&catalogue);
        let found = all.iter().find(|own| (own.on_vertices, own.label, own.key) == (on_vertices, id, key));
        let named = all.iter().any(|own| own.name == name) || Rule::all(&catalogue).iter().any(|own| own.name == name);
        if found.is_some() || named {
            return self.is_required_already(&name, &rule, found.map(|own| own.name.as_str()), may_be);
        }
        let required = Required { name, on_vertices, label: id, key };
        self.set_required(&required, true)?;
        let outcome = self.graph.wait_for_writers().map_err(|failure| stored(&failure));
        let outcome = outcome.and_then(|()| self.find_without(&required));
        match outcome {
            Ok(None) => {
                self.count(|counters| counters.constraints_added += 1);
                Ok(())
            }
            Ok(Some(element)) => {
                self.set_required(&required, false)?;
                let (what, label) = (if on_vertices { "Node" } else { "Relationship" }, &rule.label);
                let message = format!(
                    "Unable to create Constraint( name='{}', type='EXISTENCE', schema={} ): {what}({element}) with \
                     `{label}` does not have the property `{key_name}`.",
                    required.name,
                    rule.schema()
                );
                Err(error(ErrorKind::ConstraintCreationFailed, message))
            }
            Err(failure) => {
                self.set_required(&required, false)?;
                Err(failure)
            }
        }
    }

    fn is_required_already(&self, name: &str, rule: &Rule, found: Option<&str>, may_be: bool) -> Result<()> {
        if may_be {
            self.note(Note {
                code: "Neo.ClientNotification.Schema.IndexOrConstraintAlreadyExists",
                status: "00NA0",
                title: format!("`CREATE CONSTRAINT {name} IF NOT EXISTS` has no effect."),
                description: format!("`CONSTRAINT {}` already exists.", found.unwrap_or(name)),
            });
            return Ok(());
        }
        Err(match found {
            Some(own) if own == name => {
                error(ErrorKind::EquivalentRule, format!("An equivalent constraint already exists, '{own}'."))
            }
            Some(own) => {
                let message = format!("There already exists constraint '{own}' over {}.", rule.schema());
                error(ErrorKind::ConstraintExists, message)
            }
            None => {
                let message = format!("There already exists an index or constraint called '{name}'.");
                error(ErrorKind::ConstraintNameExists, message)
            }
        })
    }

    /// Makes a property one that may be missing.
    pub(crate) fn drop_required(&self, required: &Required) -> Result<()> {
        self.want_label_right(required.on_vertices)?;
        let catalogue = self.graph.catalogue();
        let is_part_of_id = if required.on_vertices {
            catalogue.vertex_label(required.label).is_some_and(|label| label.primary_keys.contains(&required.key))
        } else {
            catalogue.edge_label(required.label).is_some_and(|label| label.sort_keys.contains(&required.key))
        };
        if is_part_of_id {
            let message = format!("Unable to drop constraint `{}`: ids are made of its property.", required.name);
            return Err(error(ErrorKind::ConstraintDropFailed, message));
        }
        self.set_required(required, false)
    }

    fn set_required(&self, required: &Required, is_required: bool) -> Result<()> {
        let (label, key) = (required.schema_key(), required.key);
        let name = format!("{REQUIRED_PREFIX}{}", required.name);
        let number = key.0.to_string();
        let changed = self
            .graph
            .schema()
            .change(|catalogue, _| catalogue.set_required(label, key, is_required, (&name, &number)));
        changed.map(drop).map_err(|failure| stored(&failure))
    }

    /// An element of the label that lacks the property.
    fn find_without(&self, required: &Required) -> Result<Option<String>> {
        let reader = GraphReader::new(self.graph, &self.graph.catalogue(), self.budget);
        let lacks = |properties: &Properties| properties.get(required.key).is_none();
        let failed = |failure| cypher_exec::from_access(failure);
        if required.on_vertices {
            let mut cursor = reader.scan_vertices(Some(required.label)).map_err(failed)?;
            let mut batch = Vec::new();
            loop {
                cursor.next_batch(&mut batch, BATCH).map_err(failed)?;
                if batch.is_empty() {
                    return Ok(None);
                }
                self.check()?;
                if let Some(found) = batch.drain(..).find(|vertex| lacks(&vertex.properties)) {
                    return Ok(Some(found.id.to_string()));
                }
            }
        }
        let mut cursor = reader.scan_edges(Some(required.label)).map_err(failed)?;
        let mut batch = Vec::new();
        loop {
            cursor.next_batch(&mut batch, BATCH).map_err(failed)?;
            if batch.is_empty() {
                return Ok(None);
            }
            self.check()?;
            if let Some(found) = batch.drain(..).find(|edge| lacks(&edge.properties)) {
                return Ok(Some(format!("from {} to {}", found.id.source, found.id.target)));
            }
        }
    }
}
