//! From operations to an OpenAPI document. Start at [`Api::document_json`].

use std::collections::BTreeMap;

use serde_json::{Value, json};
use utoipa::openapi::path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItemBuilder};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{
    AdditionalProperties, ArrayBuilder, KnownFormat, ObjectBuilder, OneOfBuilder, SchemaFormat, SchemaType,
};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    ComponentsBuilder, Content, HttpMethod, InfoBuilder, License, OpenApi, OpenApiBuilder, PathsBuilder, Ref, RefOr,
    Required, Schema, Server, Type,
};

use crate::operation::{Answer, Body, Field, Operation, Shape};

const JSON: &str = "application/json";
const TEXT: &str = "text/plain";

/// What all operations have in common.
pub struct Api<'a> {
    /// Its name.
    pub title: &'a str,
    /// The version of the program that serves it.
    pub version: &'a str,
    /// What it is.
    pub about: &'a str,
    /// The license of that program, by its SPDX name.
    pub license: &'a str,
    /// The areas of operations.
    pub areas: &'a [Area],
    /// Beginnings of templates that stand for more.
    pub scopes: &'a [Scope],
    /// Shapes that have names.
    pub shapes: &'a [(&'static str, Shape)],
    /// The name of the shape of every failure.
    pub failure: &'static str,
    /// How to say who asks: any one of them is needed for operations that are not open.
    pub logins: &'a [Login],
    /// Examples of parameters in paths, by their names; those of others are `1`.
    pub examples: &'a [(&'static str, &'static str)],
}

/// A way to say who asks, in the header `Authorization`.
#[derive(Clone, Copy, Debug)]
pub struct Login {
    /// Its name.
    pub name: &'static str,
    /// What the header has.
    pub scheme: LoginScheme,
    /// What it is, in one line.
    pub about: &'static str,
}

/// What the header `Authorization` has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginScheme {
    /// A user and a password.
    Basic,
    /// A token.
    Bearer,
}

/// An operation of a document.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    /// The name of its area.
    pub area: &'static str,
    /// What it takes and answers.
    pub operation: &'static Operation,
    /// Whether anybody may ask, without saying who.
    pub is_open: bool,
}

/// Operations about one subject.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub about: &'static str,
}

/// A beginning of templates that stands for more.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// How templates begin: `{G}`.
    pub mark: &'static str,
    /// The path in its place.
    pub path: &'static str,
    /// What the path may begin with.
    pub servers: &'static [&'static str],
    /// The word in ids of operations for a template that is only the mark.
    pub word: &'static str,
}

impl Api<'_> {
    /// The document of these operations as JSON; `None` where it cannot be written.
    pub fn document_json(&self, operations: impl Iterator<Item = Described>) -> Option<String> {
        self.document(operations).to_json().ok()
    }

    fn document(&self, operations: impl Iterator<Item = Described>) -> OpenApi {
        let mut paths: BTreeMap<String, PathItemBuilder> = BTreeMap::new();
        for described in operations {
            let operation = described.operation;
            let path = self.path_of(operation.template);
            let mut item =
                paths.remove(&path).unwrap_or_else(|| PathItemBuilder::new().servers(self.servers(operation.template)));
            if let Some(method) = method_of(operation.method) {
                item = item.operation(method, self.describe(described));
            }
            paths.insert(path, item);
        }
        let paths = paths.into_iter().fold(PathsBuilder::new(), |all, (path, item)| all.path(path, item.build()));
        let shapes = self.shapes.iter();
        let shapes = shapes.fold(ComponentsBuilder::new(), |all, (name, shape)| all.schema(*name, schema(*shape)));
        let logins = self.logins.iter();
        let components = logins.fold(shapes, |all, login| all.security_scheme(login.name, security_scheme(login)));
        let tag = |area: &Area| TagBuilder::new().name(area.name).description(Some(area.about)).build();
        OpenApiBuilder::new()
            .info(
                InfoBuilder::new()
                    .title(self.title)
                    .version(self.version)
                    .description(Some(self.about))
                    .license(Some(License::new(self.license)))
                    .build(),
            )
            .paths(paths.build())
            .components(Some(components.build()))
            .tags(Some(self.areas.iter().map(tag)))
            .build()
    }

    /// The address of a template in the document.
    pub fn path_of(&self, template: &str) -> String {
        match self.scope(template) {
            Some((scope, rest)) => format!("{}{rest}", scope.path),
            None => template.to_owned(),
        }
    }

    /// The scope a template begins with, and the rest of the template.
    fn scope<'t>(&self, template: &'t str) -> Option<(&Scope, &'t str)> {
        self.scopes.iter().find_map(|scope| Some((scope, template.strip_prefix(scope.mark)?)))
    }

    /// What an address can begin with, where that is more than one thing.
    fn servers(&self, template: &str) -> Option<Vec<Server>> {
        let (scope, _) = self.scope(template)?;
        Some(scope.servers.iter().map(|server| Server::new(*server)).collect())
    }

    fn describe(&self, Described { area, operation, is_open }: Described) -> OperationBuilder {
        let path = self.path_of(operation.template);
        let in_path = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let in_path = in_path.map(|name| self.path_parameter(name));
        let in_query = operation.query.iter().map(query_parameter);
        let failure = ResponseBuilder::new().description("Why not").content(JSON, content(Shape::Named(self.failure)));
        let built = OperationBuilder::new()
            .tag(area)
            .operation_id(Some(self.id_of(operation)))
            .summary(Some(operation.summary))
            .parameters(Some(in_path.chain(in_query)))
            .request_body(request_body(operation.body))
            .response(status(operation.answer), response(operation.answer))
            .response("default", failure.build());
        let needed: &[Login] = if is_open { &[] } else { self.logins };
        needed.iter().fold(built, |built, login| {
            built.security(SecurityRequirement::new(login.name, std::iter::empty::<String>()))
        })
    }

    /// A name for generated clients: `getGraphVerticesById`.
    fn id_of(&self, operation: &Operation) -> String {
        let mut id = operation.method.to_lowercase();
        let words = match self.scope(operation.template) {
            Some((scope, "")) => scope.word,
            Some((_, rest)) => rest,
            None if operation.template == "/" => "service",
            None => operation.template,
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

    fn path_parameter(&self, name: &str) -> Parameter {
        let shape = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1));
        let example = self.examples.iter().find(|(known, _)| *known == name).map_or("1", |(_, example)| example);
        ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .schema(Some(shape))
            .example(Some(json!(example)))
            .build()
    }
}

fn security_scheme(login: &Login) -> SecurityScheme {
    let scheme = match login.scheme {
        LoginScheme::Basic => HttpAuthScheme::Basic,
        LoginScheme::Bearer => HttpAuthScheme::Bearer,
    };
    SecurityScheme::Http(HttpBuilder::new().scheme(scheme).description(Some(login.about)).build())
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
        Answer::Text | Answer::TextOrJson(_) | Answer::File => 200,
    }
    .to_string()
}

fn response(answer: Answer) -> utoipa::openapi::Response {
    let response = ResponseBuilder::new();
    match answer {
        Answer::Nothing => response.description("Done"),
        Answer::Json(_, shape) => response.description("Done").content(JSON, content(shape)),
        Answer::Text => response.description("A text").content(TEXT, content(Shape::Text)),
        Answer::File => {
            let file = response.description("A file").content(TEXT, content(Shape::Text));
            file.content("application/octet-stream", content(Shape::Text))
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::{may, must};

    static OPERATIONS: &[Operation] = &[
        Operation::get("{G}/things/{id}", "Reads a thing", Shape::Named("Thing")),
        Operation::post(
            "{G}",
            "Makes a graph",
            Shape::Object(&[must("name", Shape::Text, "Its name")]),
            201,
            Shape::Any,
        )
        .query(&[may("limit", Shape::Integer, "")]),
        Operation::delete("/", "Ends the service"),
    ];

    #[test]
    fn a_document_has_paths_ids_parameters_and_shapes() {
        let scope = Scope { mark: "{G}", path: "/graphs/{graph}", servers: &["/", "/spaces/one"], word: "graph" };
        let api = Api {
            title: "Things",
            version: "1.0",
            about: "Things in graphs.",
            license: "Apache-2.0",
            areas: &[Area { name: "all", about: "All of it" }],
            scopes: &[scope],
            shapes: &[("Thing", Shape::Map(&Shape::Text)), ("Error", Shape::Text)],
            failure: "Error",
            logins: &[
                Login { name: "basic", scheme: LoginScheme::Basic, about: "A password" },
                Login { name: "bearer", scheme: LoginScheme::Bearer, about: "A token" },
            ],
            examples: &[("graph", "g")],
        };
        let described =
            |operation: &'static Operation| Described { area: "all", operation, is_open: operation.method == "DELETE" };
        let text = api.document_json(OPERATIONS.iter().map(described)).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        let thing = &document["paths"]["/graphs/{graph}/things/{id}"];
        assert_eq!(thing["get"]["operationId"], "getThingsById");
        assert_eq!(thing["servers"][1]["url"], "/spaces/one");
        let parameters = thing["get"]["parameters"].as_array().unwrap();
        let parameters: Vec<_> = parameters.iter().map(|one| (&one["name"], &one["example"])).collect();
        assert_eq!(parameters, [(&json!("graph"), &json!("g")), (&json!("id"), &json!("1"))]);
        let made = &document["paths"]["/graphs/{graph}"]["post"];
        assert_eq!(made["operationId"], "postGraph");
        assert_eq!(made["requestBody"]["content"][JSON]["schema"]["required"], json!(["name"]));
        assert_eq!(made["responses"]["default"]["content"][JSON]["schema"]["$ref"], "#/components/schemas/Error");
        assert_eq!(document["paths"]["/"]["delete"]["operationId"], "deleteService");
        assert!(document["paths"]["/"]["delete"]["responses"]["204"].is_object());
        assert_eq!(thing["get"]["security"], json!([{ "basic": [] }, { "bearer": [] }]), "either of them");
        assert!(document["paths"]["/"]["delete"].get("security").is_none(), "open");
        assert_eq!(document["components"]["securitySchemes"]["bearer"]["scheme"], "bearer");
    }
}
