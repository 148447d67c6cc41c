//! Errors as clients see them (RFC 9457).

use std::time::Duration;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use retold::Error;
use serde::Serialize;
use utoipa::ToSchema;

/// An error as clients see it (RFC 9457, `application/problem+json`).
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// Type of the problem; always `about:blank`.
    #[serde(rename = "type")]
    #[schema(example = "about:blank")]
    kind: &'static str,
    /// Name of the status.
    #[schema(example = "Not Found")]
    title: &'static str,
    /// Status code.
    #[schema(example = 404)]
    status: u16,
    /// What is wrong, and what to do about it.
    detail: String,
}

impl Problem {
    /// An error with this status.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Problem {
        Problem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: detail.into(),
        }
    }

    pub(crate) fn unreadable(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    pub(crate) fn bad(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, detail)
    }

    pub(crate) fn missing(id: &str) -> Problem {
        Problem::new(
            StatusCode::NOT_FOUND,
            format!("no page of the index has the id `{id}`"),
        )
    }

    pub(crate) fn busy(why: &str) -> Problem {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("{why}; try again in a second"),
        )
    }

    pub(crate) fn slow(after: Duration) -> Problem {
        let detail = format!("not done after {} s; ask for less", after.as_secs());
        Problem::new(StatusCode::GATEWAY_TIMEOUT, detail)
    }

    pub(crate) fn internal(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, detail)
    }

    /// What is wrong, and what to do about it.
    #[cfg(feature = "mcp")]
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    /// The status code.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Problem {
        Problem::bad(rejection.body_text())
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Problem {
        Problem::bad(rejection.body_text())
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        let status = match &error {
            Error::Usage(_) | Error::Unreadable(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Error::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => {
                StatusCode::INSUFFICIENT_STORAGE
            }
            Error::Cancelled => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        if status.is_server_error() {
            tracing::error!(error = %error, "failed");
        }
        Problem::new(status, error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.status();
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
