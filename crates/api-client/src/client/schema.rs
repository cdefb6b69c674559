//! Reading and creating schema elements.

use reqwest::Method;
use serde::Deserialize;
use serde_json::Value;

use crate::client::{Client, Request, escape};
use crate::error::ClientError;
use crate::schema_types::Schema;

/// The answer to creating something that may need a background task.
#[derive(Deserialize)]
struct WithTask {
    #[serde(default)]
    task_id: i64,
}

impl Client {
    /// Reads the whole schema (`GET {G}/schema`).
    ///
    /// # Errors
    /// Any [`ClientError`] of the request.
    pub async fn schema(&self) -> Result<Schema, ClientError> {
        self.call(Request::get("schema".into())).await
    }

    /// Creates a property key from a create body of the REST contract. With `if_absent`, an equal existing one is fine.
    ///
    /// # Errors
    /// [`ClientError::Refused`] if the definition is wrong or a different one has the name.
    pub async fn create_property_key(&self, body: &Value, if_absent: bool) -> Result<(), ClientError> {
        self.create("schema/propertykeys", body, if_absent).await.map(drop)
    }

    /// Creates a vertex label. With `if_absent`, an equal existing one is fine.
    ///
    /// # Errors
    /// As for [`Client::create_property_key`].
    pub async fn create_vertex_label(&self, body: &Value, if_absent: bool) -> Result<(), ClientError> {
        self.create("schema/vertexlabels", body, if_absent).await.map(drop)
    }

    /// Creates an edge label. With `if_absent`, an equal existing one is fine.
    ///
    /// # Errors
    /// As for [`Client::create_property_key`].
    pub async fn create_edge_label(&self, body: &Value, if_absent: bool) -> Result<(), ClientError> {
        self.create("schema/edgelabels", body, if_absent).await.map(drop)
    }

    /// Creates an index label and gives the number of the task that fills it; 0 if there is nothing to wait for.
    ///
    /// # Errors
    /// As for [`Client::create_property_key`].
    pub async fn create_index_label(&self, body: &Value, if_absent: bool) -> Result<i64, ClientError> {
        self.create("schema/indexlabels", body, if_absent).await
    }

    /// Removes an edge label with its edges and gives the number of the task that does it; 0 if there is nothing to
    /// wait for.
    ///
    /// # Errors
    /// [`ClientError::NotFound`] if there is none of the name.
    pub async fn remove_edge_label(&self, name: &str) -> Result<i64, ClientError> {
        self.remove("schema/edgelabels", name).await
    }

    /// Removes a vertex label with its vertices and gives the number of the task that does it.
    ///
    /// # Errors
    /// [`ClientError::NotFound`] if there is none of the name, [`ClientError::Refused`] while an edge label uses it.
    pub async fn remove_vertex_label(&self, name: &str) -> Result<i64, ClientError> {
        self.remove("schema/vertexlabels", name).await
    }

    /// Removes a property key and gives the number of the task that does it.
    ///
    /// # Errors
    /// [`ClientError::NotFound`] if there is none of the name, [`ClientError::Refused`] while a label uses it.
    pub async fn remove_property_key(&self, name: &str) -> Result<i64, ClientError> {
        self.remove("schema/propertykeys", name).await
    }

    async fn remove(&self, path: &str, name: &str) -> Result<i64, ClientError> {
        let request = Request::delete(format!("{path}/{}", escape(name)));
        let reply: WithTask = self.call(request).await?;
        Ok(reply.task_id)
    }

    async fn create(&self, path: &str, body: &Value, if_absent: bool) -> Result<i64, ClientError> {
        let mut body = body.clone();
        if let (true, Value::Object(fields)) = (if_absent, &mut body) {
            fields.insert("check_exist".into(), Value::Bool(false));
        }
        let mut request = Request::with_body(Method::POST, path.into(), body.to_string());
        request.repeatable = if_absent;
        let reply: WithTask = self.call(request).await?;
        Ok(reply.task_id)
    }
}
