//! Making and deleting the tool's data on a server, within the limits of a stock HugeGraph.

use std::fmt::Write as _;

use api_client::{Client, ClientError};
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::edge_ids::IdTemplate;
use super::needs::Needs;
use super::network::Network;
use super::{DataOptions, DataSet};
use crate::cancel::Cancel;
use crate::error::LoadTestError;
use crate::limits::{CLEAN_UP_TIMEOUT_MS, PREPARE_BATCH_ELEMENTS, PREPARE_IN_FLIGHT};
use crate::observer::Observer;

/// Makes what `needs` says on the server: schema, vertices, edges.
///
/// # Errors
/// [`LoadTestError::Prepare`] with what the server said, [`LoadTestError::Option`] for impossible sizes,
/// [`LoadTestError::Interrupted`] if cancelled. What had been made until then is deleted.
pub async fn prepare(
    client: &Client,
    needs: Needs,
    options: &DataOptions,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<DataSet, LoadTestError> {
    options.check()?;
    let mut data = DataSet::new(&run_name(), options);
    data.network = if needs.network { Some(Network::new(options.vertices, options.edges)?) } else { None };
    match fill_all(client, &mut data, needs, observer, cancel).await {
        Ok(()) => Ok(data),
        Err(error) => {
            // What stopped it is what a person must know; if this fails too, it is for the same reason.
            drop(clean_up(client, &data).await);
            Err(error)
        }
    }
}

/// A data set of which nothing is on the server; it has a name of its own all the same, because scenarios create things
/// with it.
pub(crate) fn nothing(options: &DataOptions) -> DataSet {
    DataSet::new(&run_name(), options)
}

async fn fill_all(
    client: &Client,
    data: &mut DataSet,
    needs: Needs,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<(), LoadTestError> {
    if needs.schema {
        // Said first: what a schema that fails half-way has made is cleaned up too.
        data.has_schema = true;
        make_schema(client, data).await.map_err(|source| failed("the schema", source))?;
    }
    if needs.index {
        make_index(client, data).await.map_err(|source| failed("the index", source))?;
    }
    if needs.vertices {
        fill(client, data, Kind::Vertices, observer, cancel).await?;
    }
    if needs.edges {
        data.edge_ids = learn_edge_ids(client, data).await?;
        fill(client, data, Kind::Edges, observer, cancel).await?;
    }
    Ok(())
}

/// Deletes the data set and its schema, and waits until that is done. Schema elements that the scenario `schema`
/// created stay: deleting thousands of them takes HugeGraph longer than the test.
///
/// # Errors
/// [`LoadTestError::Prepare`] with what the server said.
pub async fn clean_up(client: &Client, data: &DataSet) -> Result<(), LoadTestError> {
    if !data.has_schema {
        return Ok(());
    }
    let wait = async |removal: Result<i64, ClientError>| match removal {
        // Never made, because the schema failed before it.
        Err(ClientError::NotFound { .. }) => Ok(()),
        removal => client.wait_for_task(removal?, CLEAN_UP_TIMEOUT_MS).await,
    };
    let cleaned = async {
        wait(client.remove_edge_label(&data.edge_label).await).await?;
        wait(client.remove_vertex_label(&data.vertex_label).await).await?;
        // What the scenario `schema` created may use the rest, which then stays with it.
        may_be_in_use(wait(client.remove_vertex_label(&data.link_label).await).await)?;
        for key in &data.keys {
            may_be_in_use(wait(client.remove_property_key(key).await).await)?;
        }
        Ok(())
    };
    cleaned.await.map_err(|source| failed("the removal of the test's data", source))
}

fn may_be_in_use(removed: Result<(), ClientError>) -> Result<(), ClientError> {
    match removed {
        Err(ClientError::Refused { .. } | ClientError::Task { .. }) => Ok(()),
        other => other,
    }
}

/// A short name that another run does not have, also one that begins at the same moment: `b` and 7 random digits of
/// base 36.
pub(super) fn run_name() -> String {
    name_of(rand::random())
}

/// The name made of the last digits of `number`, leading zeros written out.
fn name_of(number: u64) -> String {
    let digits = (0..7_u32).rev().map(|place| number / 36_u64.pow(place) % 36);
    let digits = digits.map(|digit| u32::try_from(digit).ok().and_then(|digit| char::from_digit(digit, 36)));
    std::iter::once('b').chain(digits.flatten()).collect()
}

async fn make_schema(client: &Client, data: &DataSet) -> Result<(), ClientError> {
    let types = ["TEXT", "INT", "TEXT", "DATE", "DOUBLE"];
    for (key, data_type) in data.keys.iter().zip(types) {
        let body = json!({"name": key, "data_type": data_type, "cardinality": "SINGLE"});
        client.create_property_key(&body, false).await?;
    }
    let [name, age, city, date, weight] = &data.keys;
    let vertex_label = json!({
        "name": data.vertex_label, "id_strategy": "CUSTOMIZE_STRING", "properties": [name, age, city],
        "primary_keys": [], "nullable_keys": [], "enable_label_index": true,
    });
    client.create_vertex_label(&vertex_label, false).await?;
    let link_label = json!({
        "name": data.link_label, "id_strategy": "CUSTOMIZE_STRING", "properties": [], "primary_keys": [],
        "nullable_keys": [], "enable_label_index": false,
    });
    client.create_vertex_label(&link_label, false).await?;
    let edge_label = json!({
        "name": data.edge_label, "source_label": data.vertex_label, "target_label": data.vertex_label,
        "frequency": "SINGLE", "properties": [date, weight], "sort_keys": [], "nullable_keys": [],
        "enable_label_index": true,
    });
    client.create_edge_label(&edge_label, false).await
}

/// An index of the vertices' names; it goes with their label.
async fn make_index(client: &Client, data: &DataSet) -> Result<(), ClientError> {
    let [name, ..] = &data.keys;
    let body = json!({
        "name": format!("{}_by_name", data.vertex_label), "base_type": "VERTEX_LABEL", "base_value": data.vertex_label,
        "index_type": "SECONDARY", "fields": [name],
    });
    let task = client.create_index_label(&body, false).await?;
    client.wait_for_task(task, CLEAN_UP_TIMEOUT_MS).await
}

#[derive(Clone, Copy)]
enum Kind {
    Vertices,
    Edges,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Vertices => "vertices",
            Self::Edges => "edges",
        }
    }
}

/// Inserts all vertices or edges of the set, some batches at a time.
async fn fill(
    client: &Client,
    data: &DataSet,
    kind: Kind,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<(), LoadTestError> {
    let total = match kind {
        Kind::Vertices => data.vertices,
        Kind::Edges => data.edges,
    };
    let mut tasks: JoinSet<Result<u64, LoadTestError>> = JoinSet::new();
    let (mut next, mut done) = (0, 0);
    while done < total {
        if cancel.is_cancelled() {
            return Err(LoadTestError::Interrupted);
        }
        while next < total && tasks.len() < PREPARE_IN_FLIGHT {
            let end = (next + PREPARE_BATCH_ELEMENTS).min(total);
            let body = batch(data, kind, next, end);
            let client = client.clone();
            tasks.spawn(insert(client, kind, body, end - next));
            next = end;
        }
        match tasks.join_next().await {
            Some(Ok(inserted)) => done += inserted?,
            Some(Err(error)) => {
                return Err(LoadTestError::PrepareAnswer { what: kind.name().into(), reason: error.to_string() });
            }
            None => break,
        }
        observer.preparing(kind.name(), done, total);
    }
    Ok(())
}

async fn insert(client: Client, kind: Kind, body: Bytes, elements: u64) -> Result<u64, LoadTestError> {
    let ids = match kind {
        Kind::Vertices => client.add_vertices(body, true).await,
        Kind::Edges => client.add_edges(body, false).await,
    };
    let ids = ids.map_err(|source| failed(kind.name(), source))?;
    if ids.len() as u64 != elements {
        let reason = format!("{elements} were sent, and the server named {} ids", ids.len());
        return Err(LoadTestError::PrepareAnswer { what: kind.name().into(), reason });
    }
    Ok(elements)
}

fn batch(data: &DataSet, kind: Kind, from: u64, to: u64) -> Bytes {
    let mut text = String::from("[");
    for number in from..to {
        if number > from {
            text.push(',');
        }
        // Writing to a String cannot fail.
        let _ = match kind {
            Kind::Vertices => write_vertex(&mut text, data, number),
            Kind::Edges => write_edge(&mut text, data, number),
        };
    }
    text.push(']');
    text.into()
}

fn id_text(data: &DataSet, vertex: u64) -> String {
    let mut id = Vec::new();
    data.vertex_id(vertex, &mut id);
    String::from_utf8_lossy(&id).into_owned()
}

fn write_vertex(text: &mut String, data: &DataSet, number: u64) -> std::fmt::Result {
    let [name, age, city, ..] = &data.keys;
    let (label, id) = (&data.vertex_label, id_text(data, number));
    let (years, place) = (18 + number % 80, number % 500);
    write!(text, r#"{{"label":"{label}","id":"{id}","properties":{{"{name}":"name {number}","#)?;
    write!(text, r#""{age}":{years},"{city}":"city {place}"}}}}"#)
}

fn write_edge(text: &mut String, data: &DataSet, number: u64) -> std::fmt::Result {
    let [.., date, weight] = &data.keys;
    let (source, target) = data.ends(number);
    let (source, target) = (id_text(data, source), id_text(data, target));
    let (label, vertex_label) = (&data.edge_label, &data.vertex_label);
    let (day, value) = (10 + number % 19, number % 1000);
    write!(text, r#"{{"label":"{label}","outV":"{source}","outVLabel":"{vertex_label}","#)?;
    write!(text, r#""inV":"{target}","inVLabel":"{vertex_label}","#)?;
    write!(text, r#""properties":{{"{date}":"2020-01-{day}","{weight}":{value}}}}}"#)
}

/// Inserts the first edges and learns from the answer how this server writes ids.
async fn learn_edge_ids(client: &Client, data: &DataSet) -> Result<IdTemplate, LoadTestError> {
    let ids =
        client.add_edges(batch(data, Kind::Edges, 0, 1), false).await.map_err(|source| failed("edges", source))?;
    let (source, target) = data.ends(0);
    let learnt = match ids.first() {
        Some(Value::String(id)) => IdTemplate::learn(id, &id_text(data, source), &id_text(data, target)),
        _ => None,
    };
    learnt.ok_or_else(|| LoadTestError::PrepareAnswer {
        what: "edges".into(),
        reason: format!("the id of an edge does not consist of the ids of its ends: {ids:?}"),
    })
}

fn failed(what: &str, source: ClientError) -> LoadTestError {
    LoadTestError::Prepare { what: what.into(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_runs_are_all_as_long() {
        let names = [name_of(0), name_of(35), name_of(36_u64.pow(6) - 1), name_of(u64::MAX)];
        assert_eq!(names[..3], ["b0000000", "b000000z", "b0zzzzzz"]);
        assert_eq!(names[3].len(), 8);
    }
}
