//! Answers, byte for byte, and the way back.

mod common;

use common::{catalogue, options, written};
use graph_model::{Edge, EdgeId, LabelId, Properties, PropertyKeyId, Value, Vertex, VertexId};
use rest_json::{
    Dialect, ErrorBody, TaskView, VERSIONS_JSON, write_edge, write_edge_ids, write_edge_label, write_edges_list,
    write_index_label_with_task, write_property_key, write_property_key_with_task, write_property_keys, write_schema,
    write_task_id, write_tasks_list, write_vertex, write_vertex_ids, write_vertex_label, write_vertices_list,
};

fn rome() -> Vertex {
    Vertex {
        id: VertexId::String("1:rome".into()),
        label: LabelId(1),
        properties: [(PropertyKeyId(2), Value::Int(2_800_000)), (PropertyKeyId(1), Value::Text("rome".into()))]
            .into_iter()
            .collect(),
        expires_at_ms: None,
    }
}

fn visit() -> Edge {
    Edge {
        id: EdgeId {
            label: LabelId(2),
            source: VertexId::Number(7),
            sort_values: "7JJ4vWl0".into(),
            target: VertexId::String("1:ro>\"me".into()),
        },
        properties: std::iter::once((PropertyKeyId(3), Value::Date(1_577_923_200_000))).collect(),
        expires_at_ms: Some(5),
    }
}

const ROME: &str = r#"{"id":"1:rome","label":"city","type":"vertex","properties":{"name":"rome","pop":2800000}}"#;
const VISIT: &str = r#"{"id":"L7>1>2>7JJ4vWl0>S1:ro`>\"me","label":"visited","type":"edge","outV":7,"outVLabel":"person","inV":"1:ro>\"me","inVLabel":"city","properties":{"day":"2020-01-02 00:00:00.000","score":1.0}}"#;

#[test]
fn elements_have_hugegraphs_fields_in_its_order() {
    assert_eq!(written(|out| write_vertex(out, &rome(), &catalogue(), &options())), ROME);
    // 'score' is absent and has a default value.
    assert_eq!(written(|out| write_edge(out, &visit(), &catalogue(), &options())), VISIT);
}

#[test]
fn defaults_stand_in_the_order_of_the_keys() {
    let mut edge = visit();
    edge.properties.insert(PropertyKeyId(5), Value::Boolean(true));
    let text = written(|out| write_edge(out, &edge, &catalogue(), &options()));
    assert!(text.ends_with(r#""properties":{"day":"2020-01-02 00:00:00.000","score":1.0,"paid":true}}"#), "{text}");
    edge.properties.insert(PropertyKeyId(4), Value::Double(f64::NAN));
    edge.properties.remove(PropertyKeyId(3));
    let text = written(|out| write_edge(out, &edge, &catalogue(), &options()));
    assert!(text.ends_with(r#""properties":{"score":"NaN","paid":true}}"#), "{text}");
}

#[test]
fn what_the_schema_no_longer_knows_is_undefined_or_left_out() {
    let vertex = Vertex { label: LabelId(99), ..rome() };
    let expected = r#"{"id":"1:rome","label":"~undefined","type":"vertex","properties":{"name":"rome","pop":2800000}}"#;
    assert_eq!(written(|out| write_vertex(out, &vertex, &catalogue(), &options())), expected);
    let mut edge = visit();
    edge.id.label = LabelId(99);
    edge.properties = std::iter::once((PropertyKeyId(99), Value::Int(1))).collect();
    let text = written(|out| write_edge(out, &edge, &catalogue(), &options()));
    let expected = r#"{"id":"L7>99>99>7JJ4vWl0>S1:ro`>\"me","label":"~undefined","type":"edge","outV":7,"outVLabel":"~undefined","inV":"1:ro>\"me","inVLabel":"~undefined","properties":{}}"#;
    assert_eq!(text, expected);
}

#[test]
fn dates_are_shown_in_the_zone() {
    let mut there = options();
    there.zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(8));
    let text = written(|out| write_edge(out, &visit(), &catalogue(), &there));
    assert!(text.contains(r#""day":"2020-01-02 08:00:00.000""#), "{text}");
}

#[test]
fn lists_carry_a_page_only_where_asked() {
    let (vertices, edges) = ([rome(), rome()], [visit()]);
    let catalogue = catalogue();
    let list = |page| written(|out| write_vertices_list(out, &vertices, page, &catalogue, &options()));
    assert_eq!(list(None), format!(r#"{{"vertices":[{ROME},{ROME}]}}"#));
    assert_eq!(list(Some(None)), format!(r#"{{"vertices":[{ROME},{ROME}],"page":null}}"#));
    assert_eq!(list(Some(Some("AAE="))), format!(r#"{{"vertices":[{ROME},{ROME}],"page":"AAE="}}"#));
    let list = |page| written(|out| write_edges_list(out, &edges, page, &catalogue, &options()));
    assert_eq!(list(None), format!(r#"{{"edges":[{VISIT}]}}"#));
    assert_eq!(list(Some(None)), format!(r#"{{"edges":[{VISIT}],"page":null}}"#));
    assert_eq!(written(|out| write_vertices_list(out, &[], None, &catalogue, &options())), r#"{"vertices":[]}"#);
}

#[test]
fn ids_are_arrays_of_numbers_and_strings() {
    let ids = [
        VertexId::Number(-3),
        VertexId::String("a\"b".into()),
        VertexId::Uuid(0x835e_1153_9281_4957_8691_cf79_258e_90eb),
    ];
    let expected = r#"[-3,"a\"b","835e1153-9281-4957-8691-cf79258e90eb"]"#;
    assert_eq!(written(|out| write_vertex_ids(out, &ids)), expected);
    let mut plain = visit().id;
    plain.label = LabelId(3);
    let expected = r#"["L7>1>2>7JJ4vWl0>S1:ro`>\"me","L7>3>3>7JJ4vWl0>S1:ro`>\"me"]"#;
    assert_eq!(written(|out| write_edge_ids(out, [&visit().id, &plain], &catalogue())), expected);
}

const SCORE: &str = r#"{"id":4,"name":"score","data_type":"DOUBLE","cardinality":"SINGLE","aggregate_type":"NONE","write_type":"OLTP","properties":[],"status":"CREATED","user_data":{"~default_value":1,"a\"b":{"x":null}}}"#;
const CITY: &str = r#"{"id":1,"name":"city","id_strategy":"PRIMARY_KEY","primary_keys":["name"],"nullable_keys":["pop"],"index_labels":["cityByPop"],"properties":["name","pop"],"status":"CREATED","ttl":0,"enable_label_index":true,"user_data":{}}"#;
const PERSON: &str = r#"{"id":2,"name":"person","id_strategy":"CUSTOMIZE_NUMBER","primary_keys":[],"nullable_keys":[],"index_labels":[],"properties":["day"],"status":"DELETING","ttl":3000,"ttl_start_time":"day","enable_label_index":false,"user_data":{}}"#;
const WENT: &str = r#"{"id":1,"name":"went","edgelabel_type":"PARENT","links":[{"person":"city"}]}"#;
const VISITED: &str = r#"{"id":2,"name":"visited","edgelabel_type":"SUB","parent_label":"went","source_label":"person","target_label":"city","links":[{"person":"city"}],"frequency":"MULTIPLE","sort_keys":["day"],"nullable_keys":["score","paid"],"index_labels":[],"properties":["day","score","paid"],"status":"CREATED","ttl":0,"enable_label_index":true,"user_data":{}}"#;
const TWINNED: &str = r#"{"id":3,"name":"twinned","edgelabel_type":"NORMAL","source_label":"city","target_label":"city","links":[{"city":"city"}],"frequency":"SINGLE","sort_keys":[],"nullable_keys":[],"index_labels":[],"properties":[],"status":"CREATED","ttl":0,"enable_label_index":true,"user_data":{}}"#;
const LONELY: &str = r#"{"id":4,"name":"lonely","edgelabel_type":"PARENT"}"#;
const BY_POP: &str = r#"{"id":1,"name":"cityByPop","base_type":"VERTEX_LABEL","base_value":"city","index_type":"RANGE","fields":["pop"],"status":"CREATING","user_data":{"~create_time":"2026-01-05 08:00:03.000"}}"#;

#[test]
fn schema_elements_have_hugegraphs_fields_in_its_order() {
    let catalogue = catalogue();
    let key = catalogue.property_key_named("score").unwrap();
    assert_eq!(written(|out| write_property_key(out, key)), SCORE);
    for (name, expected) in [("city", CITY), ("person", PERSON)] {
        let label = catalogue.vertex_label_named(name).unwrap();
        assert_eq!(written(|out| write_vertex_label(out, label, &catalogue)), expected);
    }
    for (name, expected) in [("went", WENT), ("visited", VISITED), ("twinned", TWINNED), ("lonely", LONELY)] {
        let label = catalogue.edge_label_named(name).unwrap();
        assert_eq!(written(|out| write_edge_label(out, label, &catalogue, Dialect::Current)), expected);
    }
}

#[test]
fn answers_with_tasks_and_whole_schemas_wrap_the_elements() {
    let catalogue = catalogue();
    let key = catalogue.property_key_named("score").unwrap();
    let expected = format!(r#"{{"property_key":{SCORE},"task_id":0}}"#);
    assert_eq!(written(|out| write_property_key_with_task(out, key, 0)), expected);
    let index = catalogue.index_label_named("cityByPop").unwrap();
    let expected = format!(r#"{{"index_label":{BY_POP},"task_id":3}}"#);
    assert_eq!(written(|out| write_index_label_with_task(out, index, &catalogue, 3)), expected);
    assert_eq!(written(|out| write_task_id(out, 7)), r#"{"task_id":7}"#);
    let keys = [key.as_ref()];
    assert_eq!(written(|out| write_property_keys(out, keys)), format!(r#"{{"propertykeys":[{SCORE}]}}"#));

    let text = written(|out| write_schema(out, &catalogue, Dialect::Current));
    let by_pop = BY_POP.replace("RANGE", "RANGE_INT");
    let rest = format!(
        r#","vertexlabels":[{CITY},{PERSON}],"edgelabels":[{WENT},{VISITED},{TWINNED},{LONELY}],"indexlabels":[{by_pop}]}}"#
    );
    assert!(text.starts_with(r#"{"propertykeys":[{"id":1,"name":"name","#) && text.ends_with(&rest), "{text}");
    assert_eq!(
        written(|out| write_schema(out, &graph_schema::Catalogue::default(), Dialect::Current)),
        r#"{"propertykeys":[],"vertexlabels":[],"edgelabels":[],"indexlabels":[]}"#
    );
}

#[test]
fn tasks_have_a_short_and_a_full_form() {
    let task = TaskView {
        id: 5,
        task_type: "remove_schema",
        name: "VERTEX_LABEL:1:person",
        status: "success",
        created_ms: 1_795_291_046_230,
        updated_ms: Some(1_795_291_046_231),
        server: Some("server-1"),
        callable: Some("Removal"),
        result: Some("null"),
        ..TaskView::default()
    };
    let short = r#"{"task_name":"VERTEX_LABEL:1:person","task_progress":0,"task_create":1795291046230,"task_status":"success","task_update":1795291046231,"task_retries":0,"id":5,"task_type":"remove_schema","task_server":"server-1"}"#;
    let full = r#"{"task_name":"VERTEX_LABEL:1:person","task_progress":0,"task_create":1795291046230,"task_status":"success","task_update":1795291046231,"task_result":"null","task_retries":0,"id":5,"task_type":"remove_schema","task_callable":"Removal","task_server":"server-1"}"#;
    assert_eq!(written(|out| task.write_short(out)), short);
    assert_eq!(written(|out| task.write_full(out)), full);
    assert_eq!(
        written(|out| write_tasks_list(out, [task], Some(None))),
        format!(r#"{{"tasks":[{short}],"page":null}}"#)
    );
    let waiting = TaskView {
        updated_ms: None,
        description: Some("d"),
        dependencies: &[2, 3],
        input: Some("{}"),
        server: None,
        callable: None,
        result: None,
        ..task
    };
    let expected = r#"{"task_name":"VERTEX_LABEL:1:person","task_progress":0,"task_create":1795291046230,"task_description":"d","task_status":"success","task_retries":0,"id":5,"task_dependencies":[2,3],"task_type":"remove_schema","task_input":"{}"}"#;
    assert_eq!(written(|out| waiting.write_full(out)), expected);
}

#[test]
fn errors_and_versions_have_hugegraphs_form() {
    let body = ErrorBody { exception: "class java.lang.IllegalArgumentException", message: "a \"b\"\n", cause: "" };
    let expected = r#"{"exception":"class java.lang.IllegalArgumentException","message":"a \"b\"\n","cause":""}"#;
    assert_eq!(written(|out| body.write(out)), expected);
    let versions: serde_json::Value = serde_json::from_str(VERSIONS_JSON).unwrap();
    assert_eq!(versions["versions"]["core"], "1.7.0");
}

#[test]
fn an_element_without_properties_has_an_empty_object() {
    let vertex = Vertex { properties: Properties::new(), ..rome() };
    let expected = r#"{"id":"1:rome","label":"city","type":"vertex","properties":{}}"#;
    assert_eq!(written(|out| write_vertex(out, &vertex, &catalogue(), &options())), expected);
}
