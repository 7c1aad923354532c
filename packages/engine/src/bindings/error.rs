//! Errors of the engine as JavaScript sees them: the kind is their `code`.

#[cfg(not(target_family = "wasm"))]
use napi::Env;
use napi::JsError;
use starkbox_engine_core::error::Failure;

/// What a function of the binding throws.
pub enum Thrown {
    Engine(Failure),
    Napi(napi::Error),
}

pub type Result<T> = std::result::Result<T, Thrown>;

impl From<Failure> for Thrown {
    fn from(failure: Failure) -> Self {
        Thrown::Engine(failure)
    }
}

impl From<napi::Error> for Thrown {
    fn from(error: napi::Error) -> Self {
        Thrown::Napi(error)
    }
}

impl From<Thrown> for JsError<String> {
    fn from(thrown: Thrown) -> Self {
        let (code, message) = match thrown {
            Thrown::Engine(failure) => (failure.kind.name().to_owned(), failure.message),
            Thrown::Napi(error) => (error.status.to_string(), error.reason.clone()),
        };
        JsError::from(napi::Error::new(code, message))
    }
}

/// The error that a promise is rejected with. napi rejects with codes of its own only, unless it is given the
/// JavaScript object.
#[cfg(not(target_family = "wasm"))]
pub(super) fn rejection(env: Env, failure: Failure) -> napi::Error {
    let error = JsError::from(Thrown::Engine(failure));
    napi::Error::from(error.into_unknown(env))
}
