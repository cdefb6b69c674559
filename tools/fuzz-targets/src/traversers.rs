//! The parts that bodies of traversers are made of: any bytes give a part or an error.

use rest_json::{IdBody, LabelStepBody, PropertiesBody, StepBody, VertexEdgeStepsBody, VerticesBody};

/// Bodies of traversers, and the conditions in them.
pub(crate) fn traverser_body(body: &[u8]) {
    drop(rest_json::decode_body::<IdBody>(body));
    conditions(rest_json::decode_body::<PropertiesBody>(body).ok());
    conditions(rest_json::decode_body::<StepBody>(body).ok().and_then(|step| step.properties));
    conditions(rest_json::decode_body::<LabelStepBody>(body).ok().and_then(|step| step.properties));
    conditions(rest_json::decode_body::<VerticesBody>(body).ok().and_then(|vertices| vertices.properties));
    if let Ok(steps) = rest_json::decode_body::<VertexEdgeStepsBody>(body) {
        for step in [steps.edge_steps, steps.vertex_steps].into_iter().flatten().flatten() {
            conditions(step.properties);
        }
    }
}

fn conditions(properties: Option<PropertiesBody>) {
    let Some(properties) = properties else { return };
    for selecting in [false, true] {
        if let Ok(conditions) = rest_json::property_conditions(&properties, selecting) {
            assert_eq!(conditions.len(), properties.len());
        }
    }
}
