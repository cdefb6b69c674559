//! Lists by conditions, shards and scans over TCP.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::server::{G, Server};

const ILLEGAL: &str = "java.lang.IllegalArgumentException";
const NO_INDEX: &str = "org.apache.hugegraph.exception.NoIndexException";
const NOT_SUPPORT: &str = "org.apache.hugegraph.exception.NotSupportException";

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Persons a (10, oslo) to f (60, rome), each of whom knows the next; every index kind a query can use.
fn filled() -> Server {
    let server = Server::start();
    for (kind, body) in [
        ("propertykeys", r#"{"name":"name"}"#),
        ("propertykeys", r#"{"name":"age","data_type":"INT"}"#),
        ("propertykeys", r#"{"name":"city"}"#),
        ("propertykeys", r#"{"name":"bio"}"#),
        ("propertykeys", r#"{"name":"tags","cardinality":"SET"}"#),
        ("propertykeys", r#"{"name":"since","data_type":"DATE"}"#),
        ("propertykeys", r#"{"name":"weight","data_type":"DOUBLE"}"#),
        (
            "vertexlabels",
            r#"{"name":"person","properties":["name","age","city","bio","tags"],"primary_keys":["name"],
            "nullable_keys":["age","city","bio","tags"]}"#,
        ),
        (
            "edgelabels",
            r#"{"name":"knows","source_label":"person","target_label":"person","frequency":"MULTIPLE",
            "sort_keys":["since"],"properties":["since","weight"],"nullable_keys":["weight"]}"#,
        ),
    ] {
        let answer = server.post(&format!("{G}/schema/{kind}"), body);
        assert!(answer.status < 300, "{}", answer.text());
    }
    for (name, on, base, kind, field) in [
        ("byAge", "VERTEX_LABEL", "person", "RANGE", "age"),
        ("byCity", "VERTEX_LABEL", "person", "SECONDARY", "city"),
        ("byBio", "VERTEX_LABEL", "person", "SEARCH", "bio"),
        ("byTags", "VERTEX_LABEL", "person", "SECONDARY", "tags"),
        ("bySince", "EDGE_LABEL", "knows", "RANGE", "since"),
    ] {
        let body = json!({"name": name, "base_type": on, "base_value": base, "index_type": kind, "fields": [field]});
        let answer = server.post(&format!("{G}/schema/indexlabels"), &body.to_string());
        assert_eq!(answer.status, 202, "{}", answer.text());
        let task = answer.json()["task_id"].as_u64().unwrap();
        assert!(task == 0 || server.ended_task(task)["task_status"] == "success");
    }
    for (at, name) in ["a", "b", "c", "d", "e", "f"].into_iter().enumerate() {
        let body = json!({"label": "person", "properties": {
            "name": name, "age": 10 * (at + 1), "city": (["oslo", "rome"][at % 2]),
            "bio": (["reads Graph papers", "writes graphs, and databases"][at % 2]),
            "tags": [(["x", "y"][at % 2]), "all"],
        }});
        assert_eq!(server.post(&format!("{G}/graph/vertices"), &body.to_string()).status, 201);
    }
    for (at, ends) in ["ab", "bc", "cd", "de", "ef"].into_iter().enumerate() {
        let body = json!({"label": "knows", "outV": format!("1:{}", &ends[..1]), "inV": format!("1:{}", &ends[1..]),
            "properties": {"since": format!("2020-01-0{}", at + 1), "weight": at}});
        assert_eq!(server.post(&format!("{G}/graph/edges"), &body.to_string()).status, 201);
    }
    server
}

/// The last letters of the ids in a list, in its order.
fn letters(answer: &Value, list: &str) -> String {
    let of = |element: &Value| element["id"].as_str().and_then(|id| id.chars().last()).unwrap();
    answer[list].as_array().unwrap().iter().map(of).collect()
}

fn sorted(text: &str) -> String {
    text.chars().collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn vertices_are_found_by_every_predicate() {
    let server = filled();
    for (properties, expected) in [
        (r#"{"age":30}"#, "c"),
        (r#"{"age":"P.eq(30)"}"#, "c"),
        (r#"{"age":"P.neq(30)"}"#, "abdef"),
        (r#"{"age":"P.lt(30)"}"#, "ab"),
        (r#"{"age":"P.lte(30)"}"#, "abc"),
        (r#"{"age":"P.lt(30.5)"}"#, "abc"),
        (r#"{"age":"P.gt(30)"}"#, "def"),
        (r#"{"age":"P.gte(30)"}"#, "cdef"),
        (r#"{"age":"P.between(20,40)"}"#, "bc"),
        (r#"{"age":"P.inside(20,40)"}"#, "c"),
        (r#"{"age":"P.outside(20,40)"}"#, "aef"),
        (r#"{"age":"P.within(20,40,70)"}"#, "bd"),
        (r#"{"city":"oslo"}"#, "ace"),
        (r#"{"city":"P.within(\"oslo\",\"rome\",\"oslo\")"}"#, "abcdef"),
        (r#"{"city":"oslo","age":"P.gt(20)"}"#, "ce"),
        (r#"{"bio":"P.textcontains(\"graph\")"}"#, "ace"),
        (r#"{"bio":"P.textcontains(\"databases papers\")"}"#, "abcdef"),
        (r#"{"tags":"P.contains(\"y\")"}"#, "bdf"),
        (r#"{"tags":"all"}"#, "abcdef"),
        (r#"{"tags":["all","x"]}"#, "ace"),
        (r#"{"name":"b","age":20}"#, "b"),
        (r#"{"name":"P.within(\"b\",\"zz\",\"a\")"}"#, "ab"),
        (r#"{"city":"nowhere"}"#, ""),
        ("{}", "abcdef"),
    ] {
        for label in ["label=person&", ""] {
            let list = server.get(&format!("{G}/graph/vertices?{label}properties={}", encoded(properties)));
            assert_eq!(list.status, 200, "{properties}: {}", list.text());
            assert_eq!(sorted(&letters(&list.json(), "vertices")), expected, "{label}{properties}");
        }
    }
    let kept = server.get(&format!(
        "{G}/graph/vertices?label=person&keep_start_p=true&properties={}",
        encoded(r#"{"city":"P.eq(1)"}"#)
    ));
    assert_eq!((kept.status, letters(&kept.json(), "vertices")), (200, String::new()));
}

#[test]
fn what_cannot_be_asked_is_told_apart() {
    let server = filled();
    for (query, class, words) in [
        (r#"label=person&properties={"age":"P.gt(x)"}"#, ILLEGAL, "P.gt(x)"),
        (r#"label=person&properties={"age":"P.near(1)"}"#, NOT_SUPPORT, "'near'"),
        (r#"label=person&properties={"age":"P.gt"}"#, ILLEGAL, "P.name(arguments)"),
        (r#"label=person&properties={"age":"old"}"#, ILLEGAL, "'age'"),
        (r#"label=person&properties={"agee":1}"#, ILLEGAL, "did you mean 'age'?"),
        (r#"label=nobody&properties={"age":1}"#, ILLEGAL, "nobody"),
        (r#"label=person&properties={"city":"P.gt(1)"}"#, ILLEGAL, "cannot be compared"),
        (r#"label=person&properties={"bio":"x"}"#, NO_INDEX, "a secondary index on 'bio'"),
        (r#"properties={"name":"P.textcontains(\"x\")"}"#, NO_INDEX, "a search index on 'name'"),
        (r#"properties={"weight":1}"#, NO_INDEX, "'weight'"),
        (r#"label=person&properties={"age":1}&page&offset=1"#, ILLEGAL, "'offset'"),
    ] {
        let query = query.replace('{', "%7B").replace('}', "%7D").replace('"', "%22").replace('\\', "%5C");
        let answer = server.get(&format!("{G}/graph/vertices?{query}"));
        assert_eq!((answer.status, answer.class().as_str()), (400, class), "{query}: {}", answer.text());
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains(words), "{query}: {message}");
    }
}

#[test]
fn edges_are_found_by_index_and_at_a_vertex() {
    let server = filled();
    let list = |query: &str| {
        let answer = server.get(&format!("{G}/graph/edges?{query}"));
        assert_eq!(answer.status, 200, "{}", answer.text());
        sorted(&letters(&answer.json(), "edges"))
    };
    let since = |text: &str| format!("properties={}", encoded(&format!(r#"{{"since":{text}}}"#)));
    assert_eq!(list(&format!("label=knows&{}", since(r#""2020-01-02""#))), "c");
    assert_eq!(list(&since(r#""P.gte(\"2020-01-03\")""#)), "def");
    assert_eq!(list("vertex_id=%221:b%22&direction=OUT&label=knows"), "c");
    let weight = format!("properties={}", encoded(r#"{"weight":"P.gt(0)"}"#));
    assert_eq!(list(&format!("vertex_id=%221:b%22&{weight}")), "c");
    assert_eq!(list(&format!("vertex_id=%221:b%22&direction=IN&{weight}")), "");
    assert_eq!(list(&format!("vertex_id=%221:b%22&label=knows&{}", since(r#""2020-01-01""#))), "b");
    let missing = server.get(&format!("{G}/graph/edges?label=knows&{weight}"));
    assert_eq!((missing.status, missing.class().as_str()), (400, NO_INDEX));
}

#[test]
fn lists_by_conditions_have_pages_and_offsets() {
    let server = filled();
    let query = format!("{G}/graph/vertices?label=person&properties={}", encoded(r#"{"age":"P.gt(10)"}"#));
    let all = letters(&server.get(&query).json(), "vertices");
    assert_eq!(all, "bcdef", "in the order of the index");
    let part = |offset| letters(&server.get(&format!("{query}&offset={offset}&limit=2")).json(), "vertices");
    assert_eq!((part(0) + &part(2) + &part(4), part(6)), (all, String::new()));
    let (mut pages, mut token) = (String::new(), String::new());
    let mut first_token = None;
    loop {
        let page = server.get(&format!("{query}&page={token}&limit=2")).json();
        pages += &letters(&page, "vertices");
        match page["page"].as_str() {
            Some(next) => token = next.to_owned(),
            None => break,
        }
        first_token.get_or_insert_with(|| token.clone());
        if pages.len() == 2 {
            assert_eq!(server.delete(&format!("{G}/graph/vertices/%221:c%22")).status, 204);
            assert_eq!(server.delete(&format!("{G}/graph/vertices/%221:e%22")).status, 204);
        }
    }
    assert_eq!(pages, "bcdf");
    let other = format!("{G}/graph/vertices?label=person&properties={}", encoded(r#"{"age":"P.gt(20)"}"#));
    let refused = server.get(&format!("{other}&page={}&limit=2", first_token.unwrap()));
    assert_eq!((refused.status, refused.class().as_str()), (400, ILLEGAL));
}

#[test]
fn a_graph_is_read_shard_by_shard() {
    let server = filled();
    for (kind, count) in [("vertices", 6), ("edges", 5)] {
        let small = server.get(&format!("{G}/traversers/{kind}/shards?split_size=1048575"));
        assert_eq!((small.status, small.class().as_str()), (400, ILLEGAL));
        assert_eq!(server.get(&format!("{G}/traversers/{kind}/shards")).status, 400);
        let shards = server.get(&format!("{G}/traversers/{kind}/shards?split_size=1048576")).json();
        let mut ids = Vec::new();
        for shard in shards["shards"].as_array().unwrap() {
            assert!(shard["length"].is_u64());
            let (start, end) = (shard["start"].as_str().unwrap(), shard["end"].as_str().unwrap());
            let scan = format!("{G}/traversers/{kind}/scan?start={start}&end={end}");
            let whole = server.get(&scan).json();
            assert!(whole.get("page").is_none());
            let mut token = String::new();
            let mut paged = Vec::new();
            loop {
                let page = server.get(&format!("{scan}&page={token}&page_limit=2")).json();
                paged.extend(page[kind].as_array().unwrap().clone());
                match page["page"].as_str() {
                    Some(next) => token = next.to_owned(),
                    None => break,
                }
            }
            assert_eq!(Value::from(paged), whole[kind]);
            ids.extend(whole[kind].as_array().unwrap().iter().map(|element| element["id"].to_string()));
        }
        assert_eq!(ids.len(), count);
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), count, "each once");
        let all = server.get(&format!("{G}/traversers/{kind}/scan")).json();
        assert_eq!(all[kind].as_array().unwrap().len(), count, "without bounds it is everything");
        for wrong in ["start=xx&end=", "start=&end=AQk", "page&page_limit=-1", "page=x"] {
            let answer = server.get(&format!("{G}/traversers/{kind}/scan?{wrong}"));
            assert_eq!((answer.status, answer.class().as_str()), (400, ILLEGAL), "{wrong}: {}", answer.text());
        }
    }
}
