//! How a source reaches its JavaScript callback: a worker thread waits for it; without threads, the call is suspended.

#[cfg(not(target_family = "wasm"))]
pub(super) use waiting::{Ask, Backend};

#[cfg(target_family = "wasm")]
pub(super) use suspended::{Ask, Backend};

#[cfg(not(target_family = "wasm"))]
mod waiting {
    use std::time::{Duration, Instant};

    use napi::bindgen_prelude::*;
    use napi::threadsafe_function::ThreadsafeFunction;
    use starkbox_engine_core::fault;
    use starkbox_engine_core::state_source::{Reply, SourceBackend};

    type Answer = Option<Either<String, Buffer>>;
    type AskJs = ThreadsafeFunction<String, Promise<Answer>, String, Status, false, true>;
    pub type Ask<'env> = AskJs;

    pub struct Backend {
        ask: AskJs,
        made: Instant,
    }

    impl Backend {
        pub fn new(_id: u32, ask: Ask<'_>) -> Backend {
            Backend { ask, made: Instant::now() }
        }
    }

    impl SourceBackend for Backend {
        fn ask(&self, question: String) -> std::result::Result<Option<Reply>, String> {
            fault::point("source");
            // An exception of the callback would end the process without `catch`.
            let answer = async { self.ask.call_async_catch(question).await?.await };
            // Runs on worker threads only: the JavaScript thread would wait for itself.
            let answer: Answer = block_on(answer).map_err(|error| error.reason.clone())?;
            Ok(answer.map(|reply| match reply {
                Either::A(text) => Reply::Text(text),
                Either::B(bytes) => Reply::Packed(bytes.to_vec()),
            }))
        }

        fn now(&self) -> Duration {
            self.made.elapsed()
        }
    }
}

#[cfg(target_family = "wasm")]
mod suspended {
    use std::time::{Duration, Instant};

    use napi::bindgen_prelude::*;
    use starkbox_engine_core::state_source::{Reply, SourceBackend};

    use crate::suspension::{self, Answer};

    /// JavaScript calls the function itself.
    pub type Ask<'env> = Function<'env, String, Unknown<'env>>;

    pub struct Backend {
        id: u32,
        made: Instant,
    }

    impl Backend {
        pub fn new(id: u32, _ask: Ask<'_>) -> Backend {
            Backend { id, made: Instant::now() }
        }
    }

    impl Drop for Backend {
        fn drop(&mut self) {
            suspension::drop_source(self.id);
        }
    }

    impl SourceBackend for Backend {
        fn ask(&self, question: String) -> std::result::Result<Option<Reply>, String> {
            let request = format!(r#"{{"source":{},"question":{question}}}"#, self.id);
            match suspension::take_answer(&request) {
                Some(Answer::Reply(reply)) => Ok(reply),
                Some(Answer::Failed(reason) | Answer::Stopped(reason)) => Err(reason),
                None => {
                    suspension::suspend(request);
                    Err("the call is suspended".to_owned())
                }
            }
        }

        fn now(&self) -> Duration {
            self.made.elapsed()
        }
    }
}
