//! The nine queries of LSQB, the labelled subgraph query benchmark of LDBC, on its example: `RHIZOME_LSQB` names the
//! folder of its files (`Person.csv`, `Person_knows_Person.csv` and so on). They are read by `LOAD CSV`.

#![expect(clippy::panic, reason = "a test fails where it panics")]

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use auth::Caller;
use cypher_session::{Begin, Client, Gone, GraphQueries, Queries, Statement, Summary, Task};
use cypher_value::{Map, Text, Value};
use graph_host::{GraphConf, Store, StoreOptions};
use key_codec::tables::TABLES;
use kv::MemoryEngine;
use query_service::{Options, QueryService};

/// The queries with their counts on the example.
const QUERIES: [(&str, i64); 9] = [
    (
        "MATCH (:Country)<-[:isPartOf]-(:City)<-[:isLocatedIn]-(:Person)<-[:hasMember]-(:Forum)-[:containerOf]->(:Post)\
         <-[:replyOf]-(:Comment)-[:hasTag]->(:Tag)-[:hasType]->(:TagClass) RETURN count(*)",
        8,
    ),
    (
        "MATCH (person1:Person)-[:knows]-(person2:Person), \
         (person1)<-[:hasCreator]-(comment:Comment)-[:replyOf]->(post:Post)-[:hasCreator]->(person2) RETURN count(*)",
        3,
    ),
    (
        "MATCH (country:Country) \
         MATCH (person1:Person)-[:isLocatedIn]->(city1:City)-[:isPartOf]->(country) \
         MATCH (person2:Person)-[:isLocatedIn]->(city2:City)-[:isPartOf]->(country) \
         MATCH (person3:Person)-[:isLocatedIn]->(city3:City)-[:isPartOf]->(country) \
         MATCH (person1)-[:knows]-(person2)-[:knows]-(person3)-[:knows]-(person1) RETURN count(*)",
        6,
    ),
    (
        "MATCH (:Tag)<-[:hasTag]-(message:Message)-[:hasCreator]->(creator:Person), \
         (message)<-[:likes]-(liker:Person), (message)<-[:replyOf]-(comment:Comment) RETURN count(*)",
        8,
    ),
    (
        "MATCH (tag1:Tag)<-[:hasTag]-(message:Message)<-[:replyOf]-(comment:Comment)-[:hasTag]->(tag2:Tag) \
         WHERE tag1 <> tag2 RETURN count(*)",
        3,
    ),
    (
        "MATCH (person1:Person)-[:knows]-(person2:Person)-[:knows]-(person3:Person)-[:hasInterest]->(tag:Tag) \
         WHERE person1 <> person3 RETURN count(*)",
        8,
    ),
    (
        "MATCH (:Tag)<-[:hasTag]-(message:Message)-[:hasCreator]->(creator:Person) \
         OPTIONAL MATCH (message)<-[:likes]-(liker:Person) \
         OPTIONAL MATCH (message)<-[:replyOf]-(comment:Comment) RETURN count(*)",
        11,
    ),
    (
        "MATCH (tag1:Tag)<-[:hasTag]-(message:Message)<-[:replyOf]-(comment:Comment)-[:hasTag]->(tag2:Tag) \
         WHERE NOT (comment)-[:hasTag]->(tag1) AND tag1 <> tag2 RETURN count(*)",
        2,
    ),
    (
        "MATCH (person1:Person)-[:knows]-(person2:Person)-[:knows]-(person3:Person)-[:hasInterest]->(tag:Tag) \
         WHERE NOT (person1)-[:knows]-(person3) AND person1 <> person3 RETURN count(*)",
        4,
    ),
];

struct Script(VecDeque<Task>, Vec<Value>);

impl Client for Script {
    fn next(&mut self) -> Option<Task> {
        self.0.pop_front()
    }

    fn opened(&mut self, _: &[Text]) {}

    fn row(&mut self, row: &[Value]) -> Result<(), Gone> {
        self.1.extend_from_slice(row);
        Ok(())
    }

    fn paused(&mut self) {}

    fn ended(&mut self, _: &Summary) {}

    fn committed(&mut self, _: &str) {}

    fn rolled_back(&mut self) {}
}

fn run(queries: &GraphQueries, text: &str) -> Vec<Value> {
    let begin = Begin {
        database: "lsqb".into(),
        caller: Caller::anonymous(),
        is_read: false,
        is_single: true,
        bookmarks: Vec::new(),
        metadata: Map::new(),
        timeout: None,
        interrupt: Arc::default(),
    };
    let statement = Statement { timeout: Duration::from_secs(60), ..Statement::new(text.into(), Map::new()) };
    let tasks = [Task::Run(statement), Task::Pull { rows: None, query: 0 }];
    let mut script = Script(tasks.into(), Vec::new());
    queries.transaction(&begin, &mut script).unwrap_or_else(|failure| panic!("{text}: {failure}"));
    script.1
}

#[test]
fn the_nine_queries_count_what_they_should() {
    let Some(folder) = std::env::var_os("RHIZOME_LSQB").map(PathBuf::from) else {
        eprintln!("skipped: RHIZOME_LSQB names no folder with the example of LSQB");
        return;
    };
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".csv").map(str::to_owned))
        .collect();
    // Nodes first: the names of their files have one part.
    names.sort_by_key(|name| (name.contains('_'), name.clone()));
    assert_eq!(names.len(), 36, "11 files of nodes and 25 of relationships: {names:?}");
    let store = Store::open(Arc::new(MemoryEngine::open(TABLES)), StoreOptions::default()).unwrap();
    let conf = GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())]);
    store.create_graph("lsqb", &conf).unwrap();
    let options = Options { import_folders: vec![folder], ..Options::default() };
    let queries = GraphQueries::new(Arc::new(QueryService::new(Arc::new(store), options)));
    for name in &names {
        let load = format!("LOAD CSV WITH HEADERS FROM 'file:///{name}.csv' AS row FIELDTERMINATOR '|'");
        let parts: Vec<&str> = name.split('_').collect();
        let text = match parts.as_slice() {
            [label @ ("Post" | "Comment")] => {
                format!("{load} CREATE (:{label}:Message {{id: row['id:ID({label})']}})")
            }
            [label] => format!("{load} CREATE (:{label} {{id: row['id:ID({label})']}})"),
            [from, kind, to] => format!(
                "{load} MATCH (a:{from} {{id: row[':START_ID({from})']}}), (b:{to} {{id: row[':END_ID({to})']}}) \
                 CREATE (a)-[:{kind}]->(b)"
            ),
            _ => panic!("{name}"),
        };
        run(&queries, &text);
    }
    for (at, (text, expected)) in QUERIES.iter().enumerate() {
        let found = run(&queries, text);
        assert!(matches!(found.as_slice(), [Value::Integer(count)] if count == expected), "q{}: {found:?}", at + 1);
    }
}
