//! An exclusive lock on a file. The system releases it when the process ends, even by a crash; Node has
//! no such lock.

use std::fs::{File, OpenOptions, TryLockError};

use napi::bindgen_prelude::*;
use napi_derive::napi;

#[napi]
pub struct FileLock {
    file: Option<File>,
}

#[napi]
impl FileLock {
    /// Null if another process holds it.
    #[napi(catch_unwind)]
    pub fn take(path: String) -> Result<Option<FileLock>> {
        if cfg!(target_family = "wasm") {
            return Err(Error::from_reason(format!(
                "{path} cannot be locked: the WebAssembly engine has no file locks; install the native engine"
            )));
        }
        let failed = |error: std::io::Error| Error::from_reason(format!("{path}: {error}"));
        let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = opened.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(FileLock { file: Some(file) })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    #[napi(catch_unwind)]
    pub fn release(&mut self) {
        self.file = None;
    }
}
