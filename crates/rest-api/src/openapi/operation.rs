//! What is said about an endpoint: the words of the tables in this folder.

/// The form of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
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
    /// One of the shapes in `shapes.rs`.
    Named(&'static str),
    /// One of several.
    Either(&'static [Shape]),
}

/// A field of an object, or a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) required: bool,
    pub(crate) words: &'static str,
}

/// A field that must be there.
pub(crate) const fn must(name: &'static str, shape: Shape, words: &'static str) -> Field {
    Field { name, shape, required: true, words }
}

/// A field that may be there.
pub(crate) const fn may(name: &'static str, shape: Shape, words: &'static str) -> Field {
    Field { name, shape, required: false, words }
}

/// What a success answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Answer {
    /// Nothing, with status 204.
    Nothing,
    /// JSON with this status.
    Json(u16, Shape),
    /// A text with status 200.
    Text,
    /// JSON where `type=json` is asked for, a text otherwise; with status 200.
    TextOrJson(Shape),
}

/// What a request's body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Body {
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
pub(crate) struct Operation {
    pub(crate) method: &'static str,
    /// The address as in [`crate::directory::Endpoint::template`].
    pub(crate) template: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) query: &'static [Field],
    pub(crate) body: Body,
    pub(crate) answer: Answer,
}

impl Operation {
    const fn new(method: &'static str, template: &'static str, summary: &'static str, answer: Answer) -> Self {
        Self { method, template, summary, query: &[], body: Body::Nothing, answer }
    }

    /// Reading.
    pub(crate) const fn get(template: &'static str, summary: &'static str, shape: Shape) -> Self {
        Self::new("GET", template, summary, Answer::Json(200, shape))
    }

    /// Making something, or asking with a body.
    pub(crate) const fn post(
        template: &'static str,
        summary: &'static str,
        body: Shape,
        status: u16,
        shape: Shape,
    ) -> Self {
        Self { body: Body::Json(body), ..Self::new("POST", template, summary, Answer::Json(status, shape)) }
    }

    /// Changing something.
    pub(crate) const fn put(
        template: &'static str,
        summary: &'static str,
        body: Shape,
        status: u16,
        shape: Shape,
    ) -> Self {
        Self { body: Body::Json(body), ..Self::new("PUT", template, summary, Answer::Json(status, shape)) }
    }

    /// Deleting something at once.
    pub(crate) const fn delete(template: &'static str, summary: &'static str) -> Self {
        Self::new("DELETE", template, summary, Answer::Nothing)
    }

    /// With these parameters.
    pub(crate) const fn query(self, query: &'static [Field]) -> Self {
        Self { query, ..self }
    }

    /// With another body.
    pub(crate) const fn body(self, body: Body) -> Self {
        Self { body, ..self }
    }

    /// With another answer.
    pub(crate) const fn answers(self, answer: Answer) -> Self {
        Self { answer, ..self }
    }
}
