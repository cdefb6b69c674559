//! What is said about an endpoint.

/// The form of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Any value.
    Any,
    /// Null.
    Null,
    /// A text.
    Text,
    /// A whole number of 64 bits.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Flag,
    /// One of some texts.
    Choice(&'static [&'static str]),
    /// One text, always the same.
    Literal(&'static str),
    /// An array.
    List(&'static Shape),
    /// An object with any keys.
    Map(&'static Shape),
    /// An object with these fields.
    Object(&'static [Field]),
    /// One of [`crate::Api::shapes`].
    Named(&'static str),
    /// One of several.
    Either(&'static [Shape]),
}

/// A field of an object, or a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// The form of its value.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
    /// What it means; may be empty.
    pub words: &'static str,
}

/// A field that must be there.
#[must_use]
pub const fn must(name: &'static str, shape: Shape, words: &'static str) -> Field {
    Field { name, shape, required: true, words }
}

/// A field that may be there.
#[must_use]
pub const fn may(name: &'static str, shape: Shape, words: &'static str) -> Field {
    Field { name, shape, required: false, words }
}

/// What a success answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// Nothing, with status 204.
    Nothing,
    /// JSON with this status.
    Json(u16, Shape),
    /// A text with status 200.
    Text,
    /// JSON where `type=json` is asked for, a text otherwise; with status 200.
    TextOrJson(Shape),
    /// Bytes of some format, or a text, with status 200.
    File,
}

/// What a request's body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Body {
    /// Nothing.
    Nothing,
    /// JSON.
    Json(Shape),
    /// JSON or nothing.
    MayBeJson(Shape),
    /// JSON, or text that is JSON or Java properties, or nothing.
    Configuration,
}

/// A method at an address.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// In capitals.
    pub method: &'static str,
    /// The address, with parameters in braces; it may begin with the mark of a [`crate::Scope`].
    pub template: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The parameters of its query.
    pub query: &'static [Field],
    /// What is sent.
    pub body: Body,
    /// What a success answers.
    pub answer: Answer,
}

impl Operation {
    const fn new(method: &'static str, template: &'static str, summary: &'static str, answer: Answer) -> Self {
        Self { method, template, summary, query: &[], body: Body::Nothing, answer }
    }

    /// Reading.
    #[must_use]
    pub const fn get(template: &'static str, summary: &'static str, shape: Shape) -> Self {
        Self::new("GET", template, summary, Answer::Json(200, shape))
    }

    /// Making something, or asking with a body.
    #[must_use]
    pub const fn post(template: &'static str, summary: &'static str, body: Shape, status: u16, shape: Shape) -> Self {
        Self { body: Body::Json(body), ..Self::new("POST", template, summary, Answer::Json(status, shape)) }
    }

    /// Changing something.
    #[must_use]
    pub const fn put(template: &'static str, summary: &'static str, body: Shape, status: u16, shape: Shape) -> Self {
        Self { body: Body::Json(body), ..Self::new("PUT", template, summary, Answer::Json(status, shape)) }
    }

    /// Deleting something at once.
    #[must_use]
    pub const fn delete(template: &'static str, summary: &'static str) -> Self {
        Self::new("DELETE", template, summary, Answer::Nothing)
    }

    /// With these parameters.
    #[must_use]
    pub const fn query(self, query: &'static [Field]) -> Self {
        Self { query, ..self }
    }

    /// With another body.
    #[must_use]
    pub const fn body(self, body: Body) -> Self {
        Self { body, ..self }
    }

    /// With another answer.
    #[must_use]
    pub const fn answers(self, answer: Answer) -> Self {
        Self { answer, ..self }
    }
}
