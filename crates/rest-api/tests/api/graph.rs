//! The API of schema and elements over TCP: one happy path for every endpoint, and the errors clients tell apart.

use crate::server::{Answer, G, Server};
use serde_json::{Value, json};

const LAYOUTS: [&str; 2] = ["/graphs/hugegraph", "/graphspaces/DEFAULT/graphs/hugegraph"];

pub(crate) fn assert_error(answer: &Answer, status: u16, class: &str) {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert_eq!(answer.class(), class);
    assert!(!answer.json()["message"].as_str().unwrap().is_empty());
    assert_eq!(answer.header("content-type"), Some("application/json;charset=UTF-8"));
}

pub(crate) const ILLEGAL: &str = "java.lang.IllegalArgumentException";
pub(crate) const NOT_FOUND: &str = "org.apache.hugegraph.exception.NotFoundException";
const NOT_SUPPORT: &str = "org.apache.hugegraph.exception.NotSupportException";

#[test]
fn schema_elements_live_and_die() {
    let server = Server::with_schema();
    for g in LAYOUTS {
        assert_eq!(
            server.get(&format!("{g}/schema/propertykeys/")).json()["propertykeys"].as_array().unwrap().len(),
            3
        );
        assert_eq!(server.get(&format!("{g}/schema/vertexlabels/person")).json()["primary_keys"], json!(["name"]));
        assert_eq!(server.get(&format!("{g}/schema/indexlabels")).json(), json!({"indexlabels": []}));
        let schema = server.get(&format!("{g}/schema?format=json")).json();
        assert_eq!(schema["edgelabels"][0]["links"], json!([{"person": "person"}]));
    }
    let named = server.get(&format!("{G}/schema/edgelabels?names=visited&names=knows")).json();
    assert_eq!(named["edgelabels"][0]["name"], "visited");
    assert_error(&server.get(&format!("{G}/schema/edgelabels?names=visited&names=no")), 404, NOT_FOUND);
    assert_error(&server.get(&format!("{G}/schema/vertexlabels/no")), 404, NOT_FOUND);
    let again = server.post(&format!("{G}/schema/propertykeys"), r#"{"name":"age","data_type":"INT"}"#);
    assert_error(&again, 400, "org.apache.hugegraph.exception.ExistedException");
    let used = server.delete(&format!("{G}/schema/propertykeys/age"));
    assert_error(&used, 400, "org.apache.hugegraph.exception.NotAllowException");

    let change = r#"{"name":"person","user_data":{"a":1}}"#;
    let changed = server.put(&format!("{G}/schema/vertexlabels/person?action=append"), change);
    assert_eq!((changed.status, &changed.json()["user_data"]["a"]), (200, &json!(1)));
    assert_error(&server.put(&format!("{G}/schema/vertexlabels/person"), change), 400, ILLEGAL);
    assert_error(&server.put(&format!("{G}/schema/vertexlabels/place?action=append"), change), 400, ILLEGAL);
    let key =
        server.put(&format!("{G}/schema/propertykeys/age?action=append"), r#"{"name":"age","user_data":{"min":0}}"#);
    assert_eq!((key.status, &key.json()["task_id"]), (202, &json!(0)));
    let edge =
        server.put(&format!("{G}/schema/edgelabels/knows?action=eliminate"), r#"{"name":"knows","user_data":{"a":1}}"#);
    assert_eq!(edge.status, 200);
}

#[test]
fn deleting_a_label_is_a_task() {
    let server = Server::with_schema();
    let deleted = server.delete(&format!("{G}/schema/edgelabels/visited"));
    assert_eq!(deleted.status, 202);
    let id = deleted.json()["task_id"].as_u64().unwrap();
    let task = server.ended_task(id);
    assert_eq!(task["task_status"], "success");
    assert!(task["task_name"].as_str().unwrap().ends_with(":visited"));
    assert_error(&server.get(&format!("{G}/schema/edgelabels/visited")), 404, NOT_FOUND);
    assert_eq!(server.get(&format!("{G}/tasks?status=SUCCESS&page")).json()["page"], Value::Null);
    assert_eq!(server.get(&format!("{G}/tasks?ids={id}&ids=99")).json()["tasks"].as_array().unwrap().len(), 1);
    assert_error(&server.get(&format!("{G}/tasks?status=nosuch")), 400, ILLEGAL);
    assert_error(&server.get(&format!("{G}/tasks?ids=1&page")), 400, ILLEGAL);
    assert_error(&server.put(&format!("{G}/tasks/{id}?action=cancel"), "{}"), 400, ILLEGAL);
    let wrong = server.put(&format!("{G}/tasks/{id}?action=stop"), "{}");
    assert_error(&wrong, 415, "jakarta.ws.rs.NotSupportedException");
    assert_error(&server.put(&format!("{G}/tasks/99?action=cancel"), "{}"), 404, NOT_FOUND);
    assert_eq!(server.delete(&format!("{G}/tasks/{id}")).status, 204);
    assert_error(&server.get(&format!("{G}/tasks/{id}")), 404, NOT_FOUND);
}

#[test]
fn vertices_live_and_die() {
    let server = Server::with_schema();
    let made =
        server.post(&format!("{G}/graph/vertices"), r#"{"label":"person","properties":{"name":"ann","age":29}}"#);
    assert_eq!(made.status, 201);
    let ann = json!({"id":"1:ann","label":"person","type":"vertex","properties":{"name":"ann","age":29}});
    assert_eq!(made.json(), ann);
    let path = format!("{G}/graph/vertices/%221:ann%22");
    assert_eq!(server.get(&path).json(), ann);
    let batch = r#"[{"label":"person","properties":{"name":"ben"}},{"label":"place","id":"rome","properties":{}}]"#;
    let ids = server.post(&format!("{G}/graph/vertices/batch"), batch);
    assert_eq!((ids.status, ids.json()), (201, json!(["1:ben", "rome"])));
    let older = server.put(&format!("{path}?action=append"), r#"{"properties":{"age":30}}"#);
    assert_eq!((older.status, &older.json()["properties"]["age"]), (200, &json!(30)));
    let ageless = server.put(&format!("{path}?action=eliminate"), r#"{"properties":{"age":0}}"#);
    assert_eq!(ageless.json()["properties"], json!({"name":"ann"}));
    assert_error(&server.put(&format!("{path}?action=x"), r#"{"properties":{}}"#), 400, ILLEGAL);

    let by_ids = server.get(&format!("{G}/traversers/vertices?ids=%22rome%22&ids=%22no%22&ids=%221:ann%22")).json();
    assert_eq!(by_ids["vertices"].as_array().unwrap().len(), 2);
    assert_error(&server.get(&format!("{G}/traversers/vertices")), 400, ILLEGAL);
    let by_key = format!("{G}/graph/vertices?label=person&properties=%7B%22name%22%3A%22ben%22%7D");
    assert_eq!(server.get(&by_key).json()["vertices"][0]["id"], "1:ben");
    let by_age = server.get(&format!("{G}/graph/vertices?label=person&properties=%7B%22age%22%3A1%7D"));
    assert_error(&by_age, 400, "org.apache.hugegraph.exception.NoIndexException");
    assert_error(&server.get(&format!("{G}/graph/vertices?properties=x")), 400, ILLEGAL);
    assert_error(&server.get(&format!("{G}/graph/vertices?label=no")), 400, ILLEGAL);

    assert_eq!(server.delete(&path).status, 204);
    assert_error(&server.get(&path), 404, NOT_FOUND);
    assert_error(&server.delete(&path), 400, ILLEGAL);
    assert_error(&server.get(&format!("{G}/graph/vertices/1:ann")), 400, ILLEGAL);
    assert_error(&server.put(&format!("{path}?action=append"), r#"{"properties":{}}"#), 404, NOT_FOUND);
}

#[test]
fn edges_live_and_die() {
    let server = Server::with_schema();
    let vertices = r#"[{"label":"person","properties":{"name":"a"}},{"label":"person","properties":{"name":"b"}}]"#;
    assert_eq!(server.post(&format!("{G}/graph/vertices/batch"), vertices).status, 201);
    let edge = r#"{"label":"knows","outV":"1:a","inV":"1:b","outVLabel":"person","inVLabel":"person","properties":{"since":"2020-01-02"}}"#;
    let made = server.post(&format!("{G}/graph/edges"), edge);
    assert_eq!((made.status, &made.json()["id"]), (201, &json!("S1:a>1>1>>S1:b")));
    let path = format!("{G}/graph/edges/S1:a%3E1%3E1%3E%3ES1:b");
    assert_eq!(server.get(&path).json()["properties"]["since"], "2020-01-02 00:00:00.000");
    let back = edge.replace("1:a", "1:x").replace("1:b", "1:a");
    assert_error(&server.post(&format!("{G}/graph/edges/batch"), &format!("[{back}]")), 400, ILLEGAL);
    let trusted = server.post(&format!("{G}/graph/edges/batch?check_vertex=false"), &format!("[{back}]"));
    assert_eq!((trusted.status, trusted.json()), (201, json!(["S1:x>1>1>>S1:a"])));
    for (direction, count) in [("OUT", 1), ("IN", 1), ("BOTH", 2)] {
        let edges =
            server.get(&format!("{G}/graph/edges?vertex_id=%221:a%22&direction={direction}&label=knows")).json();
        assert_eq!(edges["edges"].as_array().unwrap().len(), count, "{direction}");
    }
    let none =
        server.get(&format!("{G}/graph/edges?vertex_id=%221:a%22&properties=%7B%22since%22%3A%222021-01-01%22%7D"));
    assert_eq!(none.json(), json!({"edges": []}));
    assert_error(&server.get(&format!("{G}/graph/edges?vertex_id=%221:a%22&direction=out")), 400, ILLEGAL);
    let without = server.put(&format!("{path}?action=eliminate"), r#"{"properties":{"since":null}}"#);
    assert_eq!((without.status, &without.json()["properties"]), (200, &json!({})));
    let other_id = r#"{"id":"S1:b>1>1>>S1:a","properties":{}}"#;
    assert_error(&server.put(&format!("{path}?action=append"), other_id), 400, ILLEGAL);
    let by_ids =
        server.get(&format!("{G}/traversers/edges?ids=S1:a%3E1%3E1%3E%3ES1:b&ids=S1:q%3E1%3E1%3E%3ES1:b")).json();
    assert_eq!(by_ids["edges"].as_array().unwrap().len(), 1);
    assert_eq!(server.delete(&path).status, 204);
    assert_error(&server.delete(&path), 400, ILLEGAL);
    assert_error(&server.delete(&format!("{G}/graph/edges/nonsense")), 400, ILLEGAL);
    assert_error(&server.get(&path), 404, NOT_FOUND);
    assert_error(&server.get(&format!("{G}/graph/edges/nonsense")), 404, NOT_FOUND);
}

#[test]
fn ids_and_names_hold_any_character_in_both_layouts() {
    let server = Server::with_schema();
    let encode = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    for g in LAYOUTS {
        for id in ["a/b", "100%", "x>y", "q\"q", "%2F", "a?b=c&d#e", "{x}", "é😀", "back\\slash", "a+b c"] {
            let body = json!({"label": "place", "id": id, "properties": {}}).to_string();
            assert_eq!(server.post(&format!("{g}/graph/vertices"), &body).json()["id"], id);
            let literal = Value::String(id.to_owned()).to_string();
            let path = format!("{g}/graph/vertices/{}", encode(&literal));
            assert_eq!(server.get(&path).json()["id"], id, "{path}");
            assert_eq!(server.get(&format!("{path}/")).status, 200);
            let listed = server.get(&format!("{g}/traversers/vertices?ids={}", encode(&literal)));
            assert_eq!(listed.json()["vertices"][0]["id"], id);
            assert_eq!(server.delete(&path).status, 204);
        }
        for name in ["date @&$=*?", "a/b%25"] {
            let made = server.post(&format!("{g}/schema/propertykeys"), &json!({"name": name}).to_string());
            assert_eq!(made.status, 202, "{}", made.text());
            let path = format!("{g}/schema/propertykeys/{}", encode(name));
            assert_eq!(server.get(&path).json()["name"], name);
            assert_eq!(server.delete(&path).status, 202);
        }
    }
}

#[test]
fn lists_are_paged() {
    let server = Server::with_schema();
    let people: Vec<Value> =
        (0..25).map(|at| json!({"label": "person", "properties": {"name": format!("p{at:02}")}})).collect();
    assert_eq!(server.post(&format!("{G}/graph/vertices/batch"), &Value::from(people).to_string()).status, 201);
    let names = |answer: &Answer| -> Vec<String> {
        let json = answer.json();
        json["vertices"].as_array().unwrap().iter().map(|v| v["id"].as_str().unwrap().to_owned()).collect()
    };
    let all = names(&server.get(&format!("{G}/graph/vertices?label=person&limit=-1")));
    assert_eq!(all.len(), 25);
    let (mut paged, mut token) = (Vec::new(), String::new());
    loop {
        let page = server.get(&format!("{G}/graph/vertices?label=person&limit=10&page={token}"));
        paged.extend(names(&page));
        match page.json()["page"].as_str() {
            Some(next) => token = next.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D"),
            None => break,
        }
    }
    assert_eq!(paged, all);
    let skipped = names(&server.get(&format!("{G}/graph/vertices?label=person&offset=20&limit=-1")));
    assert_eq!(skipped, all[20..]);
    assert!(server.get(&format!("{G}/graph/vertices?limit=10")).json().get("page").is_none());
    assert_eq!(names(&server.get(&format!("{G}/graph/vertices?limit=0"))).len(), 0);
    for wrong in ["page&offset=1", "limit=abc", "limit=-2", "offset=-1", "page=nonsense"] {
        assert_error(&server.get(&format!("{G}/graph/vertices?{wrong}")), 400, ILLEGAL);
    }
}

#[test]
fn graphs_have_settings_and_can_be_cleared() {
    let server = Server::with_schema();
    assert_eq!(server.get("/graphs").json(), json!({"graphs": ["hugegraph"]}));
    assert_eq!(server.get("/graphspaces").json(), json!({"graphSpaces": []}), "as HugeGraph without placement driver");
    assert_eq!(server.get("/graphspaces/DEFAULT").json()["name"], "DEFAULT");
    assert_eq!(server.get(G).json(), json!({"name": "hugegraph", "backend": "memory"}));
    assert!(server.get(&format!("{G}/conf")).text().contains("store=hugegraph"));
    assert_eq!(server.put(&format!("{G}/mode"), "\"LOADING\"").json(), json!({"mode": "LOADING"}));
    assert_eq!(server.get(&format!("{G}/mode")).json(), json!({"mode": "LOADING"}));
    assert_error(&server.put(&format!("{G}/mode"), "\"x\""), 400, ILLEGAL);
    assert_error(&server.put(&format!("{G}/mode"), "LOADING"), 400, ILLEGAL);
    assert_eq!(server.get(&format!("{G}/graph_read_mode")).json(), json!({"graph_read_mode": "OLTP_ONLY"}));
    assert_eq!(server.put(&format!("{G}/graph_read_mode"), "\"ALL\"").status, 200);
    assert_eq!(server.get(&format!("{G}/graph_read_mode")).json(), json!({"graph_read_mode": "ALL"}));
    assert_error(&server.delete(&format!("{G}/clear")), 400, ILLEGAL);
    let words = "I%27m%20sure%20to%20delete%20all%20data";
    assert_eq!(server.delete(&format!("{G}/clear?confirm_message={words}")).status, 204);
    assert_eq!(server.get(&format!("{G}/schema/vertexlabels")).json(), json!({"vertexlabels": []}));
    assert_error(&server.get("/graphs/nosuch/mode"), 404, NOT_FOUND);
    assert_error(&server.get("/graphspaces/other/graphs/hugegraph"), 404, NOT_FOUND);
    assert_error(&server.get("/graphspaces/other"), 404, NOT_FOUND);
}

#[test]
fn what_is_not_there_yet_says_so() {
    let server = Server::start();
    assert_error(&server.get(&format!("{G}/jobs/nosuch")), 501, NOT_SUPPORT);
    assert_error(&server.get("/nosuch"), 404, "jakarta.ws.rs.NotFoundException");
    let patch = server.send("PATCH", &format!("{G}/mode"), &[], b"");
    assert_error(&patch, 405, "jakarta.ws.rs.NotAllowedException");
    assert_eq!(patch.header("allow"), Some("GET, PUT"));
}

#[test]
fn the_api_is_described_for_programs_and_people() {
    let server = Server::start();
    let document = server.get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let create = &document["paths"]["/graphs/{graph}/schema/vertexlabels"]["post"];
    assert_eq!(
        create["responses"]["201"]["content"]["application/json"]["schema"]["$ref"],
        "#/components/schemas/VertexLabel"
    );
    assert_eq!(server.get("/swagger-ui").header("location"), Some("/swagger-ui/"));
    let page = server.get("/swagger-ui/");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html")));
    // Everything the page needs comes from here, so that it works without a network.
    for part in page.text().split(['"', '\'']).filter(|part| part.ends_with(".js") || part.ends_with(".css")) {
        assert!(!part.contains("//"), "{part}");
        let file = server.get(&format!("/swagger-ui/{}", part.trim_start_matches("./")));
        assert!(file.status == 200 && !file.body.is_empty(), "{part}");
    }
    assert!(server.get("/swagger-ui/swagger-initializer.js").text().contains("/openapi.json"));
    assert_eq!(server.get("/swagger-ui/nosuch").status, 404);
    assert!(server.get("/apis").text().contains("clone_graph_name"));
}

#[test]
fn the_server_tells_about_itself() {
    let server = Server::with_schema();
    assert_eq!(server.get("/").json()["service"], "hugegraph");
    assert_eq!(server.get("/versions").json()["versions"]["core"], "1.7.0");
    assert!(server.get("/apis").text().contains("{G}/graph/vertices/{id}"));
    assert_eq!(server.get("/health").json(), json!({"status": "UP"}));
    assert_eq!(server.get("/ready").json(), json!({"status": "READY"}));
    let text = server.get("/metrics").text();
    assert!(
        text.contains(r#"rhizome_http_requests_total{class="ok",method="POST",path="{G}/schema/propertykeys"} 3"#),
        "{text}"
    );
    let figure = |name: &str| -> f64 {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let parts = text.lines().filter(|line| line.starts_with("rhizome_memory_bytes{"));
    let sum: f64 = parts.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()).sum();
    // Both are read within one answer, a moment apart.
    let resident = figure("process_resident_memory_bytes");
    assert!((sum - resident).abs() < resident / 4.0, "{sum} of {resident}");
    for part in ["content", "graphs", "catalogues"] {
        assert!(figure(&format!("rhizome_memory_bytes{{part=\"{part}\"}}")) > 0.0, "{part}");
    }
    let json = server.get("/metrics/?type=json").json();
    // HugeGraph's Java client 1.0 asks without `type` and reads JSON.
    let before = server.send("GET", "/metrics", &[("User-Agent", "Jersey/3.0.3 (HttpUrlConnection 11)")], b"");
    assert!(before.json()["gauges"].is_object());
    for group in ["gauges", "counters", "histograms", "meters", "timers"] {
        assert!(json[group].is_object());
        assert!(server.get(&format!("/metrics/{group}")).json().is_object());
    }
    let statistics = server.get("/metrics/statistics/?type=json").json();
    assert_eq!(statistics["{G}/schema/propertykeys/POST"]["SUCCESS_REQUEST"], 3);
    assert!(server.get("/metrics/statistics").text().contains("hugegraph_info"));
    assert!(server.get("/metrics/system").json()["basic"]["processors"].as_u64().unwrap() > 0);
    assert_eq!(server.get("/metrics/backend").json()["hugegraph"]["backend"], "memory");
    assert_eq!(server.get("/metrics/nosuch").status, 404);
}
