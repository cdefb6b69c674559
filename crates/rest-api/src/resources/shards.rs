//! `{G}/traversers/{vertices|edges}/{shards|scan}`: reading a whole graph in parts.

use graph_store::{Range, Scan, Shard};
use graph_view::Kind;
use rest_json::{write_edge, write_shards, write_vertex};

use crate::call::{Answered, Call};
use crate::limits::{SCAN_PAGE_LIMIT_DEFAULT, SPLIT_BYTES_MIN};
use crate::resources::listing::{self, ListBody};
use http_server::Reply;
use rest_errors::ApiError;

/// Shards of the vertices.
pub(crate) fn of_vertices(call: &Call) -> Answered {
    Ok(answer(&call.visible()?.shards(Kind::Vertex, split_bytes(call)?)?))
}

/// Shards of the edges.
pub(crate) fn of_edges(call: &Call) -> Answered {
    Ok(answer(&call.visible()?.shards(Kind::Edge, split_bytes(call)?)?))
}

/// Vertices of a shard.
pub(crate) fn scan_vertices(call: &Call) -> Answered {
    let graph = call.graph()?;
    let catalogue = graph.catalogue();
    let options = Call::encode_options(graph);
    let scan = scan_of(call)?;
    let mut list = ListBody::open("vertices", call);
    let listed = call
        .visible()?
        .scan_vertices(&scan, &mut |vertex| list.push(|out| write_vertex(out, vertex, &catalogue, &options)))?;
    list.close(listing::is_paged(&scan.range).then_some(listed.next))
}

/// Edges of a shard, each seen from its source only.
pub(crate) fn scan_edges(call: &Call) -> Answered {
    let graph = call.graph()?;
    let catalogue = graph.catalogue();
    let options = Call::encode_options(graph);
    let scan = scan_of(call)?;
    let mut list = ListBody::open("edges", call);
    let listed =
        call.visible()?.scan_edges(&scan, &mut |edge| list.push(|out| write_edge(out, edge, &catalogue, &options)))?;
    list.close(listing::is_paged(&scan.range).then_some(listed.next))
}

fn answer(shards: &[Shard]) -> Reply {
    let mut out = Vec::with_capacity(128);
    write_shards(&mut out, shards.iter().map(|shard| (&*shard.start, &*shard.end, shard.length_bytes)));
    Reply::ok(out)
}

fn split_bytes(call: &Call) -> Result<u64, ApiError> {
    let given = call.query().number("split_size")?.unwrap_or_default();
    match u64::try_from(given) {
        Ok(bytes) if bytes >= SPLIT_BYTES_MIN => Ok(bytes),
        _ => Err(ApiError::bad_input(format!("'split_size' must be {SPLIT_BYTES_MIN} bytes or more, but got {given}"))),
    }
}

fn scan_of(call: &Call) -> Result<Scan, ApiError> {
    let query = call.query();
    let bound = |name| query.text(name).map(|text| text.unwrap_or_default().into_owned());
    let (start, end) = (bound("start")?, bound("end")?);
    let range = match query.one("page")? {
        None => Range::Offset { offset: 0, limit: None },
        Some(token) => {
            let given = query.number("page_limit")?;
            let limit = given.map_or(Ok(SCAN_PAGE_LIMIT_DEFAULT), u64::try_from).map_err(|_| {
                ApiError::bad_input(format!("'page_limit' must be 0 or more, but got {}", given.unwrap_or_default()))
            })?;
            Range::Page { token: token.into_owned(), limit: Some(limit) }
        }
    };
    Ok(Scan { start, end, range })
}
