//! From the tables of routes and operations to an OpenAPI document.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use utoipa::openapi::path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItemBuilder};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{
    AdditionalProperties, ArrayBuilder, KnownFormat, ObjectBuilder, OneOfBuilder, SchemaFormat, SchemaType,
};
use utoipa::openapi::{
    ComponentsBuilder, Content, HttpMethod, InfoBuilder, License, OpenApi, OpenApiBuilder, PathsBuilder, Ref, RefOr,
    Required, Schema, Server, Type,
};

use super::operation::{Answer, Body, Field, Operation, Shape};
use super::{TABLES, operations, shapes};

const JSON: &str = "application/json";
const TEXT: &str = "text/plain";

const ABOUT: &str = "Property graphs over HugeGraph's REST API. Every address of a graph is there twice: as shown, and after \
    `/graphspaces/DEFAULT`. Errors are JSON with the Java class HugeGraph's clients know them by.";

/// The document.
pub(super) fn document() -> OpenApi {
    let mut paths: BTreeMap<String, PathItemBuilder> = BTreeMap::new();
    for (tag, operation) in operations() {
        let path = path_of(operation.template);
        let mut item =
            paths.remove(&path).unwrap_or_else(|| PathItemBuilder::new().servers(servers(operation.template)));
        if let Some(method) = method_of(operation.method) {
            item = item.operation(method, describe(tag, operation));
        }
        paths.insert(path, item);
    }
    let paths = paths.into_iter().fold(PathsBuilder::new(), |all, (path, item)| all.path(path, item.build()));
    let shapes = shapes::all().fold(ComponentsBuilder::new(), |all, (name, shape)| all.schema(*name, schema(*shape)));
    let tags = TABLES
        .iter()
        .map(|(tag, words, _)| utoipa::openapi::tag::TagBuilder::new().name(*tag).description(Some(*words)).build());
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("Rhizome")
                .version(env!("CARGO_PKG_VERSION"))
                .description(Some(ABOUT))
                .license(Some(License::new("Apache-2.0")))
                .build(),
        )
        .paths(paths.build())
        .components(Some(shapes.build()))
        .tags(Some(tags))
        .build()
}

/// The address of a template in the shorter layout.
pub(super) fn path_of(template: &str) -> String {
    if let Some(rest) = template.strip_prefix("{G}") {
        return format!("/graphs/{{graph}}{rest}");
    }
    template.strip_prefix("{S}").unwrap_or(template).to_owned()
}

/// What an address can begin with, where that is more than one thing.
fn servers(template: &str) -> Option<[Server; 2]> {
    let twice = template.starts_with("{G}") || template.starts_with("{S}");
    twice.then(|| [Server::new("/"), Server::new("/graphspaces/DEFAULT")])
}

fn method_of(name: &str) -> Option<HttpMethod> {
    match name {
        "GET" => Some(HttpMethod::Get),
        "POST" => Some(HttpMethod::Post),
        "PUT" => Some(HttpMethod::Put),
        "DELETE" => Some(HttpMethod::Delete),
        _ => None,
    }
}

fn describe(tag: &str, operation: &Operation) -> OperationBuilder {
    let path = path_of(operation.template);
    let in_path = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).map(path_parameter);
    let in_query = operation.query.iter().map(query_parameter);
    let failure = ResponseBuilder::new().description("Why not").content(JSON, content(Shape::Named("Error")));
    OperationBuilder::new()
        .tag(tag)
        .operation_id(Some(id_of(operation)))
        .summary(Some(operation.summary))
        .parameters(Some(in_path.chain(in_query)))
        .request_body(request_body(operation.body))
        .response(status(operation.answer), response(operation.answer))
        .response("default", failure.build())
}

/// A name for generated clients: `getGraphVerticesById`.
fn id_of(operation: &Operation) -> String {
    let mut id = operation.method.to_lowercase();
    let words = match operation.template {
        "{G}" => "graph",
        "/" => "service",
        template => template.trim_start_matches("{G}").trim_start_matches("{S}"),
    };
    for part in words.split('/').filter(|part| !part.is_empty()) {
        let word = match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(word) => {
                id.push_str("By");
                word
            }
            None => part,
        };
        let mut letters = word.chars().filter(|letter| letter.is_ascii_alphanumeric());
        id.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        id.extend(letters);
    }
    id
}

fn path_parameter(name: &str) -> Parameter {
    let shape = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1));
    let example = match name {
        "graph" => "hugegraph",
        "space" => "DEFAULT",
        "group" => "gauges",
        _ => "1",
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .schema(Some(shape))
        .example(Some(json!(example)))
        .build()
}

fn query_parameter(field: &Field) -> Parameter {
    ParameterBuilder::new()
        .name(field.name)
        .parameter_in(ParameterIn::Query)
        .required(if field.required { Required::True } else { Required::False })
        .description(words(field.words))
        .schema(Some(schema(field.shape)))
        .build()
}

fn request_body(body: Body) -> Option<utoipa::openapi::request_body::RequestBody> {
    let one = |shape, required| RequestBodyBuilder::new().content(JSON, content(shape)).required(Some(required));
    let built = match body {
        Body::Nothing => return None,
        Body::Json(shape) => one(shape, Required::True),
        Body::MayBeJson(shape) => one(shape, Required::False),
        Body::Configuration => one(Shape::Map(&Shape::Text), Required::False).content(TEXT, content(Shape::Text)),
    };
    Some(built.build())
}

fn status(answer: Answer) -> String {
    match answer {
        Answer::Nothing => 204,
        Answer::Json(status, _) => status,
        Answer::Text | Answer::TextOrJson(_) => 200,
    }
    .to_string()
}

fn response(answer: Answer) -> utoipa::openapi::Response {
    let response = ResponseBuilder::new();
    match answer {
        Answer::Nothing => response.description("Done"),
        Answer::Json(_, shape) => response.description("Done").content(JSON, content(shape)),
        Answer::Text => response.description("A text").content(TEXT, content(Shape::Text)),
        Answer::TextOrJson(shape) => {
            response.description("A text, or JSON").content(TEXT, content(Shape::Text)).content(JSON, content(shape))
        }
    }
    .build()
}

fn content(shape: Shape) -> Content {
    Content::new(Some(schema(shape)))
}

fn words(words: &'static str) -> Option<&'static str> {
    (!words.is_empty()).then_some(words)
}

/// The JSON schema of a shape.
fn schema(shape: Shape) -> RefOr<Schema> {
    let typed = |of: Type| RefOr::T(Schema::Object(ObjectBuilder::new().schema_type(of).build()));
    let texts = |texts: &[&str]| {
        let values: Vec<Value> = texts.iter().map(|text| json!(text)).collect();
        RefOr::T(Schema::Object(ObjectBuilder::new().schema_type(Type::String).enum_values(Some(values)).build()))
    };
    match shape {
        Shape::Any => RefOr::T(Schema::Object(ObjectBuilder::new().schema_type(SchemaType::AnyValue).build())),
        Shape::Null => typed(Type::Null),
        Shape::Text => typed(Type::String),
        Shape::Number => typed(Type::Number),
        Shape::Flag => typed(Type::Boolean),
        Shape::Integer => RefOr::T(Schema::Object(
            ObjectBuilder::new()
                .schema_type(Type::Integer)
                .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
                .build(),
        )),
        Shape::Choice(known) => texts(known),
        Shape::Literal(known) => texts(&[known]),
        Shape::List(item) => RefOr::T(Schema::Array(ArrayBuilder::new().items(schema(*item)).build())),
        Shape::Map(value) => RefOr::T(Schema::Object(
            ObjectBuilder::new()
                .schema_type(Type::Object)
                .additional_properties(Some(AdditionalProperties::RefOr(schema(*value))))
                .build(),
        )),
        Shape::Object(fields) => RefOr::T(Schema::Object(object(fields).build())),
        Shape::Named(name) => RefOr::Ref(Ref::from_schema_name(name)),
        Shape::Either(shapes) => {
            let one_of = shapes.iter().fold(OneOfBuilder::new(), |all, shape| all.item(schema(*shape)));
            RefOr::T(Schema::OneOf(one_of.build()))
        }
    }
}

fn object(fields: &[Field]) -> ObjectBuilder {
    let mut object = ObjectBuilder::new().schema_type(Type::Object);
    for field in fields {
        let shape = match (schema(field.shape), words(field.words)) {
            (RefOr::T(Schema::Object(mut inner)), Some(words)) => {
                inner.description = Some(words.to_owned());
                RefOr::T(Schema::Object(inner))
            }
            (shape, _) => shape,
        };
        object = object.property(field.name, shape);
        if field.required {
            object = object.required(field.name);
        }
    }
    object
}
