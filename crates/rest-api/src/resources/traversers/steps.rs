//! Steps and starting vertices, from names to the numbers a traversal works with.

use std::sync::Arc;

use graph_model::{LabelId, PropertyKeyId, VertexId};
use graph_schema::{Catalogue, Conditions, SchemaKind};
use graph_store::VertexSelector;
use rest_json::{LabelStepBody, PropertiesBody, StepBody, VertexEdgeStepsBody, VerticesBody, property_conditions};
use traversal::{Condition, LabelCondition, Step};

use super::parameters::{MAX_DEGREE_DEFAULT, bound_of, check_skip_degree, direction, limited, number_or, positive};
use super::traverser_request::TraverserRequest;
use rest_errors::ApiError;

impl TraverserRequest<'_> {
    /// The step of a GET request: `direction`, `label`, `max_degree`, and no `skip_degree`.
    pub(super) fn step_of_query(&self) -> Result<Step, ApiError> {
        let query = self.call.query();
        let label = query.text("label")?;
        Ok(Step {
            direction: direction(query.text("direction")?.as_deref())?,
            edges: self.edge_labels(label.as_deref())?,
            max_degree: bound_of(self.call, "max_degree", MAX_DEGREE_DEFAULT)?,
            ..Step::default()
        })
    }

    /// The step of a GET request that has `skip_degree` and `capacity`, which depend on each other.
    pub(super) fn step_with_skip_degree(&self, capacity: i64) -> Result<Step, ApiError> {
        let mut step = self.step_of_query()?;
        let max_degree = number_or(self.call, "max_degree", MAX_DEGREE_DEFAULT)?;
        step.skip_degree = check_skip_degree(number_or(self.call, "skip_degree", 0)?, max_degree, capacity)?;
        Ok(step)
    }

    /// A step of a body; absent: the default one.
    pub(super) fn step(&self, body: &StepBody) -> Result<Step, ApiError> {
        let max_degree = limited(self.call, "max_degree", body.max_degree.or(body.degree), MAX_DEGREE_DEFAULT)?;
        Ok(Step {
            direction: direction(body.direction.as_deref())?,
            edges: self.edge_labels_of_list(body.labels.as_deref())?,
            edge_condition: self.condition(body.properties.as_ref())?,
            max_degree: positive("max_degree", max_degree)?,
            skip_degree: check_skip_degree(body.skip_degree.unwrap_or_default(), max_degree, -1)?,
            ..Step::default()
        })
    }

    /// Steps of a body with conditions on edges and vertices by label.
    pub(super) fn vertex_edge_steps(&self, body: &VertexEdgeStepsBody) -> Result<Step, ApiError> {
        let max_degree = limited(self.call, "max_degree", body.max_degree.or(body.degree), MAX_DEGREE_DEFAULT)?;
        let mut step = Step {
            direction: direction(body.direction.as_deref())?,
            max_degree: positive("max_degree", max_degree)?,
            skip_degree: check_skip_degree(body.skip_degree.unwrap_or_default(), max_degree, -1)?,
            ..Step::default()
        };
        for LabelStepBody { label, properties } in body.edge_steps.iter().flatten() {
            let condition = self.condition(properties.as_ref())?;
            match label {
                Some(label) => {
                    let labels = self.edge_labels(Some(label))?.into_iter();
                    step.edges.extend(labels.map(|label| LabelCondition { condition: condition.clone(), ..label }));
                }
                None => step.edge_condition = condition,
            }
        }
        for LabelStepBody { label, properties } in body.vertex_steps.iter().flatten() {
            let name = rest_json::required(label.as_ref(), "vertex_steps.label")?;
            let label = vertex_label(&self.catalogue, name)?;
            step.vertices.push(LabelCondition { label, condition: self.condition(properties.as_ref())? });
        }
        Ok(step)
    }

    /// The labels edges have that are of a named label; none for no name, which stands for all.
    pub(super) fn edge_labels(&self, name: Option<&str>) -> Result<Vec<LabelCondition>, ApiError> {
        let Some(name) = name else { return Ok(Vec::new()) };
        let label = self.catalogue.edge_label_named(name).ok_or_else(|| {
            let hint = self.catalogue.suggestion(SchemaKind::EdgeLabel, name);
            ApiError::bad_input(format!("Undefined edge label: '{name}'{hint}"))
        })?;
        let labels = self.catalogue.edge_labels_under(label.id).into_iter();
        Ok(labels.map(|label| LabelCondition { label, condition: None }).collect())
    }

    /// The labels edges have that are of any of the named labels, each once; none for no names, which stands for all.
    pub(super) fn edge_labels_of_list(&self, names: Option<&[String]>) -> Result<Vec<LabelCondition>, ApiError> {
        let mut labels = Vec::new();
        for name in names.unwrap_or_default() {
            labels.extend(self.edge_labels(Some(name))?);
            labels.sort_unstable_by_key(|of: &LabelCondition| of.label);
            labels.dedup_by_key(|of| of.label);
        }
        Ok(labels)
    }

    /// The property key of a name.
    pub(super) fn property_key(&self, name: &str) -> Result<PropertyKeyId, ApiError> {
        self.catalogue.property_key_named(name).map(|key| key.id).ok_or_else(|| {
            let hint = self.catalogue.suggestion(SchemaKind::PropertyKey, name);
            ApiError::bad_input(format!("Undefined property key: '{name}'{hint}"))
        })
    }

    /// What elements must satisfy; `None` for nothing.
    pub(super) fn condition(&self, properties: Option<&PropertiesBody>) -> Result<Option<Condition>, ApiError> {
        let conditions = self.conditions(properties, false)?;
        Ok((!conditions.is_empty())
            .then(|| -> Condition { Arc::new(move |properties| conditions.matches(properties)) }))
    }

    fn conditions(&self, properties: Option<&PropertiesBody>, selecting: bool) -> Result<Conditions, ApiError> {
        let Some(properties) = properties else { return Ok(Conditions::default()) };
        let given = property_conditions(properties, selecting)?;
        let checked = self.catalogue.check_conditions(&given, &self.graph.options().zone);
        checked.map_err(|error| ApiError::of(error.kind(), format!("'properties': {error}")))
    }

    /// The vertices a selector stands for, each once. That there are none is a wrong request; `name` is the field's.
    pub(super) fn select(&self, name: &str, body: Option<&VerticesBody>) -> Result<Vec<VertexId>, ApiError> {
        let Some(body) = body else { return Err(ApiError::bad_input(format!("'{name}' is missing"))) };
        let ids: Vec<VertexId> = body.ids.iter().flatten().map(|id| id.0.clone()).collect();
        let conditions = self.conditions(body.properties.as_ref(), true)?;
        let selector = match (ids.is_empty(), body.label.as_deref()) {
            (false, None) if conditions.is_empty() => VertexSelector::Ids(ids),
            (false, _) => {
                let words = format!("'{name}' must have either 'ids' or 'label' and 'properties', not both");
                return Err(ApiError::bad_input(words));
            }
            (true, None) if conditions.is_empty() => {
                return Err(ApiError::bad_input(format!("'{name}' must have 'ids', or 'label' and 'properties'")));
            }
            (true, label) => {
                let label = label.map(|label| vertex_label(&self.catalogue, label)).transpose()?;
                VertexSelector::Matching { label, conditions }
            }
        };
        Ok(self.visible.select_vertices(&selector)?)
    }
}

/// A list of a body that must have items.
pub(super) fn not_empty<'b, T>(items: Option<&'b [T]>, name: &str) -> Result<&'b [T], ApiError> {
    items
        .filter(|items| !items.is_empty())
        .ok_or_else(|| ApiError::bad_input(format!("'{name}' is missing or empty; it must have at least one item")))
}

/// The vertex label of a name.
pub(super) fn vertex_label(catalogue: &Catalogue, name: &str) -> Result<LabelId, ApiError> {
    catalogue.vertex_label_named(name).map(|label| label.id).ok_or_else(|| {
        let hint = catalogue.suggestion(SchemaKind::VertexLabel, name);
        ApiError::bad_input(format!("Undefined vertex label: '{name}'{hint}"))
    })
}
