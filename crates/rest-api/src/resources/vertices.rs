//! `{G}/graph/vertices` and `{G}/traversers/vertices?ids=`.

use graph_model::VertexId;
use graph_schema::{Alter, Catalogue, SchemaKind, VertexLabel};
use graph_store::{StoreError, VertexQuery, Wait, Writer};
use graph_view::Kind;
use hyper::StatusCode;
use rest_json::{
    decode_property_update, decode_vertex, decode_vertex_updates, decode_vertices, write_vertex, write_vertex_ids,
    write_vertices_list,
};

use crate::call::{Answered, Call, Stored};
use crate::resources::auto;
use crate::resources::filter;
use crate::resources::listing::{self, ListBody};
use crate::resources::schema::alter_of;
use http_server::Reply;
use rest_errors::ApiError;

/// Room for one vertex in an answer: most are smaller.
const VERTEX_BYTES: usize = 256;
/// Room for one id in an answer.
const ID_BYTES: usize = 24;

/// Inserts one, or replaces the one with the same id.
pub(crate) fn create(call: &Call, wait: Wait) -> Stored {
    let graph = call.graph()?;
    let mut new = decode_vertex(&call.body)?;
    auto::prepare_vertices(call, std::slice::from_mut(&mut new), wait)?;
    if let Some(inserted) = call.visible()?.insert_vertices(std::slice::from_ref(&new), wait)? {
        let vertex = inserted.first().ok_or_else(ApiError::defect)?;
        let mut out = Vec::with_capacity(VERTEX_BYTES);
        write_vertex(&mut out, vertex, &graph.catalogue(), &Call::encode_options(graph));
        return Ok(graph_view::stored(Reply::json(StatusCode::CREATED, out)));
    }
    let pending = graph.writer().insert_vertex(&new, wait)?;
    Ok(pending.map(|vertex| {
        let mut out = Vec::with_capacity(VERTEX_BYTES);
        write_vertex(&mut out, &vertex, &graph.catalogue(), &Call::encode_options(graph));
        Reply::json(StatusCode::CREATED, out)
    }))
}

/// Inserts many, all or none; answers their ids.
pub(crate) fn create_batch(call: &Call, wait: Wait) -> Stored {
    let graph = call.graph()?;
    let mut new = decode_vertices(&call.body, call.app.options.limits.batch_vertices_max)?;
    auto::prepare_vertices(call, &mut new, wait)?;
    if let Some(inserted) = call.visible()?.insert_vertices(&new, wait)? {
        let ids: Vec<VertexId> = inserted.into_iter().map(|vertex| vertex.id).collect();
        let mut out = Vec::with_capacity(ids.len() * ID_BYTES);
        write_vertex_ids(&mut out, &ids);
        return Ok(graph_view::stored(Reply::json(StatusCode::CREATED, out)));
    }
    let pending = graph.writer().insert_vertices(&new, wait)?;
    Ok(pending.map(|ids| {
        let mut out = Vec::with_capacity(ids.len() * ID_BYTES);
        write_vertex_ids(&mut out, &ids);
        Reply::json(StatusCode::CREATED, out)
    }))
}

/// Merges many into the stored ones, all or none; answers what they have become.
pub(crate) fn update_batch(call: &Call, wait: Wait) -> Stored {
    let graph = call.graph()?;
    let update = decode_vertex_updates(&call.body, call.app.options.limits.batch_vertices_max)?;
    check_creates(update.create_if_not_exist)?;
    let (elements, strategies) = (&update.elements, &update.strategies);
    let merge = |writer: Writer<'_>| writer.update_vertices(elements, strategies, wait);
    let pending = call.visible()?.merge(Kind::Vertex, merge)?;
    Ok(pending.map(|vertices| {
        let mut out = Vec::with_capacity(vertices.len() * VERTEX_BYTES);
        write_vertices_list(&mut out, &vertices, None, &graph.catalogue(), &Call::encode_options(graph));
        Reply::ok(out)
    }))
}

/// Batch updates always insert what is not stored, as in HugeGraph.
pub(crate) fn check_creates(create_if_not_exist: bool) -> Result<(), ApiError> {
    if create_if_not_exist {
        return Ok(());
    }
    Err(ApiError::bad_input(
        "'create_if_not_exist' must be true: a batch update inserts the elements that do not exist",
    ))
}

/// The one with an id.
pub(crate) fn get(call: &Call) -> Answered {
    let graph = call.graph()?;
    let id = VertexId::parse_literal(&call.param()?)?;
    let vertex = call.visible()?.vertex(&id)?.ok_or_else(|| StoreError::VertexNotFound { id: id.to_string() })?;
    let mut out = Vec::with_capacity(VERTEX_BYTES);
    write_vertex(&mut out, &vertex, &graph.catalogue(), &Call::encode_options(graph));
    Ok(Reply::ok(out))
}

/// Sets or removes properties.
pub(crate) fn alter(call: &Call, wait: Wait) -> Stored {
    let graph = call.graph()?;
    let id = VertexId::parse_literal(&call.param()?)?;
    let alter = alter_of(call)?;
    let mut update = decode_property_update(&call.body)?;
    if matches!(alter, Alter::Append) {
        auto::prepare_properties(call, &mut update.properties, wait)?;
    }
    let change = |writer: Writer<'_>| writer.alter_vertex(&id, alter, &update.properties, wait);
    let pending = call.visible()?.alter_vertex(&id, change)?;
    Ok(pending.map(|vertex| {
        let mut out = Vec::with_capacity(VERTEX_BYTES);
        write_vertex(&mut out, &vertex, &graph.catalogue(), &Call::encode_options(graph));
        Reply::ok(out)
    }))
}

/// Deletes one with its edges. That it does not exist is a wrong request here: HugeGraph's clients expect so.
pub(crate) fn delete(call: &Call, wait: Wait) -> Stored {
    let id = VertexId::parse_literal(&call.param()?)?;
    call.visible()?.check_delete_vertex(&id).map_err(|error| absent_is_wrong(error.into()))?;
    match call.graph()?.writer().delete_vertex(&id, wait) {
        Ok(pending) => Ok(pending.map(|()| Reply::no_content())),
        Err(error) => Err(absent_is_wrong(error.into())),
    }
}

/// The same error, as a bad request if it says that something is not there.
pub(crate) fn absent_is_wrong(error: ApiError) -> ApiError {
    if error.is_not_found() { error.into_bad_input() } else { error }
}

/// Those of the graph or of a label that meet conditions.
pub(crate) fn list(call: &Call) -> Answered {
    let graph = call.graph()?;
    let catalogue = graph.catalogue();
    let label = label_of(call, &catalogue)?;
    let range = listing::range(call)?;
    let conditions = filter::conditions(call, graph, &catalogue)?;
    let paged = listing::is_paged(&range);
    let options = Call::encode_options(graph);
    let mut list = ListBody::open("vertices", call);
    let query = VertexQuery { label: label.map(|label| label.id), conditions, range };
    let listed = call
        .visible()?
        .list_vertices(&query, &mut |vertex| list.push(|out| write_vertex(out, vertex, &catalogue, &options)))?;
    list.close(paged.then_some(listed.next))
}

fn label_of<'c>(call: &Call, catalogue: &'c Catalogue) -> Result<Option<&'c VertexLabel>, ApiError> {
    let Some(name) = call.query().text("label")? else { return Ok(None) };
    match catalogue.vertex_label_named(&name) {
        Some(label) => Ok(Some(label)),
        None => {
            let hint = catalogue.suggestion(SchemaKind::VertexLabel, &name);
            Err(ApiError::bad_input(format!("Undefined vertex label: '{name}'{hint}")))
        }
    }
}

/// Those with the given ids, as far as they exist.
pub(crate) fn by_ids(call: &Call) -> Answered {
    let graph = call.graph()?;
    let catalogue = graph.catalogue();
    let ids = listing::ids(call)?.iter().map(|id| VertexId::parse_literal(id)).collect::<Result<Vec<_>, _>>()?;
    let options = Call::encode_options(graph);
    let mut list = ListBody::open("vertices", call);
    for vertex in call.visible()?.vertices(&ids)?.into_iter().flatten() {
        if list.push(|out| write_vertex(out, &vertex, &catalogue, &options)).is_break() {
            break;
        }
    }
    list.close(None)
}
