//! `{G}/graph/edges` and `{G}/traversers/edges?ids=`.

use graph_model::{Direction, EdgeId, EdgeIdText, LabelId, VertexId};
use graph_schema::{Alter, Catalogue, Literal, SchemaKind};
use graph_store::{EdgeQuery, StoreError, Wait, Writer};
use graph_view::Kind;
use hyper::StatusCode;
use rest_json::{
    decode_edge, decode_edge_updates, decode_edges, decode_property_update, write_edge, write_edge_ids,
    write_edges_list,
};

use crate::call::{Answered, Call, Stored};
use crate::resources::auto;
use crate::resources::filter;
use crate::resources::listing::{self, ListBody};
use crate::resources::schema::alter_of;
use crate::resources::traversers::direction;
use crate::resources::vertices::{absent_is_wrong, check_creates};
use http_server::Reply;
use rest_errors::ApiError;

/// Room for one edge in an answer: most are smaller.
const EDGE_BYTES: usize = 384;
/// Room for one id in an answer.
const ID_BYTES: usize = 64;

/// Inserts one, or replaces the one with the same id. Its ends must exist.
pub(crate) fn create(call: &Call, wait: Wait) -> Stored {
    let graph = call.graph()?;
    let mut new = decode_edge(&call.body)?;
    auto::prepare_edges(call, std::slice::from_mut(&mut new), wait)?;
    if let Some(inserted) = call.visible()?.insert_edges(std::slice::from_ref(&new), wait)? {
        let edge = inserted.first().ok_or_else(ApiError::defect)?;
        let mut out = Vec::with_capacity(EDGE_BYTES);
        write_edge(&mut out, edge, &graph.catalogue(), &Call::encode_options(graph));
        return Ok(graph_view::stored(Reply::json(StatusCode::CREATED, out)));
    }
    let pending = graph.writer().insert_edge(&new, wait)?;
    Ok(pending.map(|edge| {
        let mut out = Vec::with_capacity(EDGE_BYTES);
        write_edge(&mut out, &edge, &graph.catalogue(), &Call::encode_options(graph));
        Reply::json(StatusCode::CREATED, out)
    }))
}

/// Inserts many, all or none; answers their ids.
pub(crate) fn create_batch(call: &Call, wait: Wait) -> Stored {
    let graph = call.graph()?;
    let check_vertex = call.query().flag("check_vertex", true)?;
    let mut new = decode_edges(&call.body, call.app.options.limits.batch_edges_max)?;
    auto::prepare_edges(call, &mut new, wait)?;
    if let Some(edges) = call.visible()?.insert_edges(&new, wait)? {
        let mut out = Vec::with_capacity(edges.len() * ID_BYTES);
        write_edge_ids(&mut out, edges.iter().map(|edge| &edge.id), &graph.catalogue());
        return Ok(graph_view::stored(Reply::json(StatusCode::CREATED, out)));
    }
    let pending = graph.writer().insert_edges(&new, check_vertex, wait)?;
    Ok(pending.map(|edges| {
        let mut out = Vec::with_capacity(edges.len() * ID_BYTES);
        write_edge_ids(&mut out, edges.iter().map(|edge| &edge.id), &graph.catalogue());
        Reply::json(StatusCode::CREATED, out)
    }))
}

/// Merges many into the stored ones, all or none; answers what they have become.
pub(crate) fn update_batch(call: &Call, wait: Wait) -> Stored {
    let graph = call.graph()?;
    let update = decode_edge_updates(&call.body, call.app.options.limits.batch_edges_max)?;
    check_creates(update.create_if_not_exist)?;
    let (elements, strategies) = (&update.elements, &update.strategies);
    let merge = |writer: Writer<'_>| writer.update_edges(elements, strategies, update.check_vertex, wait);
    let pending = call.visible()?.merge(Kind::Edge, merge)?;
    Ok(pending.map(|edges| {
        let mut out = Vec::with_capacity(edges.len() * EDGE_BYTES);
        write_edges_list(&mut out, &edges, None, &graph.catalogue(), &Call::encode_options(graph));
        Reply::ok(out)
    }))
}

/// The one with an id. A malformed id is one that nothing has.
pub(crate) fn get(call: &Call) -> Answered {
    let graph = call.graph()?;
    let text = call.param()?;
    let id = EdgeIdText::parse(&text).map_err(|error| ApiError::not_found(error.to_string()))?.id;
    let edge = call.visible()?.edge(&id)?.ok_or_else(|| StoreError::EdgeNotFound { id: text.into_owned() })?;
    let mut out = Vec::with_capacity(EDGE_BYTES);
    write_edge(&mut out, &edge, &graph.catalogue(), &Call::encode_options(graph));
    Ok(Reply::ok(out))
}

/// Sets or removes properties.
pub(crate) fn alter(call: &Call, wait: Wait) -> Stored {
    let graph = call.graph()?;
    let text = call.param()?;
    let id = EdgeIdText::parse(&text).map_err(|error| ApiError::not_found(error.to_string()))?.id;
    let alter = alter_of(call)?;
    let mut update = decode_property_update(&call.body)?;
    if matches!(alter, Alter::Append) {
        auto::prepare_properties(call, &mut update.properties, wait)?;
    }
    check_same_id(&id, &text, update.id.as_ref())?;
    let change = |writer: Writer<'_>| writer.alter_edge(&id, alter, &update.properties, wait);
    let pending = call.visible()?.alter_edge(&id, &text, change)?;
    Ok(pending.map(|edge| {
        let mut out = Vec::with_capacity(EDGE_BYTES);
        write_edge(&mut out, &edge, &graph.catalogue(), &Call::encode_options(graph));
        Reply::ok(out)
    }))
}

/// An id in the body must name the same edge as the address.
fn check_same_id(id: &EdgeId, text: &str, given: Option<&Literal<'_>>) -> Result<(), ApiError> {
    let same = match given {
        None => true,
        Some(Literal::Text(given)) => EdgeIdText::parse(given).is_ok_and(|given| given.id == *id),
        Some(_) => false,
    };
    if same {
        Ok(())
    } else {
        Err(ApiError::bad_input(format!("the body's 'id' must be that of the address, '{text}'")))
    }
}

/// Deletes one. That it does not exist is a wrong request here: HugeGraph's clients expect so.
pub(crate) fn delete(call: &Call, wait: Wait) -> Stored {
    let text = call.param()?;
    let id = EdgeIdText::parse(&text)?.id;
    call.visible()?.check_delete_edge(&id, &text).map_err(|error| absent_is_wrong(error.into()))?;
    match call.graph()?.writer().delete_edge(&id, wait) {
        Ok(pending) => Ok(pending.map(|()| Reply::no_content())),
        Err(error) => Err(absent_is_wrong(error.into())),
    }
}

/// Those of the graph, of a label, or of a vertex that meet conditions.
pub(crate) fn list(call: &Call) -> Answered {
    let graph = call.graph()?;
    let catalogue = graph.catalogue();
    let label = label_of(call, &catalogue)?;
    let vertex = vertex_of(call)?;
    let range = listing::range(call)?;
    let conditions = filter::conditions(call, graph, &catalogue)?;
    let paged = listing::is_paged(&range);
    let options = Call::encode_options(graph);
    let mut list = ListBody::open("edges", call);
    let query = EdgeQuery { label, vertex, conditions, range };
    let listed =
        call.visible()?.list_edges(&query, &mut |edge| list.push(|out| write_edge(out, edge, &catalogue, &options)))?;
    list.close(paged.then_some(listed.next))
}

fn label_of(call: &Call, catalogue: &Catalogue) -> Result<Option<LabelId>, ApiError> {
    let Some(name) = call.query().text("label")? else { return Ok(None) };
    match catalogue.edge_label_named(&name) {
        Some(label) => Ok(Some(label.id)),
        None => {
            let hint = catalogue.suggestion(SchemaKind::EdgeLabel, &name);
            Err(ApiError::bad_input(format!("Undefined edge label: '{name}'{hint}")))
        }
    }
}

fn vertex_of(call: &Call) -> Result<Option<(VertexId, Direction)>, ApiError> {
    let query = call.query();
    let direction = direction(query.text("direction")?.as_deref())?;
    match query.text("vertex_id")? {
        Some(id) => Ok(Some((VertexId::parse_literal(&id)?, direction))),
        None => Ok(None),
    }
}

/// Those with the given ids, as far as they exist.
pub(crate) fn by_ids(call: &Call) -> Answered {
    let graph = call.graph()?;
    let catalogue = graph.catalogue();
    let options = Call::encode_options(graph);
    let mut list = ListBody::open("edges", call);
    let ids =
        listing::ids(call)?.iter().map(|id| Ok(EdgeIdText::parse(id)?.id)).collect::<Result<Vec<_>, ApiError>>()?;
    for edge in call.visible()?.edges(&ids)?.into_iter().flatten() {
        if list.push(|out| write_edge(out, &edge, &catalogue, &options)).is_break() {
            break;
        }
    }
    list.close(None)
}
