//! The door between JavaScript and the sequencer's engine: handles, plain values, typed failures.
//!
//! Every function here is thin. Reads that are in memory answer at once; everything that executes,
//! compiles, hashes a block or may wait for an origin runs on a worker thread.

mod account;
mod bench;
mod block;
mod cell;
mod class;
mod compiler;
mod diff;
mod error;
mod execute;
mod felt;
mod hash;
mod history;
mod image;
mod origin;
mod report;
mod state;
mod transaction;
mod workers;

use std::path::PathBuf;
use std::sync::{Arc, LazyLock, mpsc};

use napi::bindgen_prelude::*;
use napi::threadsafe_function::ThreadsafeFunction;
use napi::tokio;
use napi_derive::{module_init, napi};
use parking_lot::Mutex;
use starknet_api::core::EntryPointSelector;
use starknet_types_core::felt::Felt;

use crate::diff::Changes;
use crate::error::{Failure, Kind, Outcome, guarded, input};
use crate::execute::{Call, Reader, Run, Session};
use crate::felt::{Key, hex, parse, parse_address, parse_all, parse_key};

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[module_init]
fn start() {
    error::keep_panics_off_the_terminal();
}

/// Runs work on a worker thread and gives JavaScript a promise of it. The worker settles the promise
/// itself: each hand-over to another thread would cost a transfer some percent.
fn off_thread<'env, T: ToNapiValue + Send + 'static>(
    env: &'env Env,
    work: impl FnOnce() -> Outcome<T> + Send + 'static,
) -> Result<PromiseRaw<'env, T>> {
    let (deferred, promise) = env.create_deferred()?;
    workers::run(move || match guarded(work) {
        Ok(value) => deferred.resolve(move |_| Ok(value)),
        Err(failure) => deferred.reject(failure.into()),
    });
    Ok(PromiseRaw::new(env.raw(), promise.raw()))
}

/// Large values are freed here, so that no collection of garbage stops the JavaScript thread.
static REAPER: LazyLock<mpsc::Sender<Arc<state::State>>> = LazyLock::new(|| {
    let (sender, receiver) = mpsc::channel::<Arc<state::State>>();
    std::thread::spawn(move || receiver.into_iter().for_each(drop));
    sender
});

fn version_number(what: &str, number: f64) -> Outcome<u64> {
    const MOST: f64 = 9_007_199_254_740_991.0;
    if number.fract() == 0.0 && (0.0..=MOST).contains(&number) {
        Ok(number as u64)
    } else {
        Err(input(format!("{what}: {number} is not a block number")))
    }
}

/// Where the compiler and its cache are. The door says so on loading; a later call replaces it.
#[napi(catch_unwind)]
pub fn configure(compiler: String, cache: Option<String>) {
    compiler::set_up(compiler::Setup {
        executable: PathBuf::from(compiler),
        cache: cache.map(PathBuf::from),
    });
}

#[napi(object)]
pub struct Versions {
    pub compiler: String,
    pub sierra: String,
    pub starknet: String,
}

#[napi(catch_unwind)]
pub fn versions() -> Versions {
    Versions {
        compiler: compiler::version_in_force(),
        sierra: compiler::newest_sierra().to_string(),
        starknet: starknet_api::block::StarknetVersion::LATEST.to_string(),
    }
}

// Classes.

#[napi(object)]
pub struct ClassLimits {
    pub compiled_bytes: Option<f64>,
    pub bytecode_felts: Option<f64>,
    pub sierra_felts: Option<f64>,
    pub compile_millis: Option<f64>,
    pub compile_bytes: Option<f64>,
}

fn class_limits(given: Option<ClassLimits>) -> Outcome<class::Limits> {
    let mut limits = class::Limits::none();
    let Some(given) = given else { return Ok(limits) };
    for (name, limit, value) in [
        ("compiledBytes", &mut limits.compiled_bytes, given.compiled_bytes),
        ("bytecodeFelts", &mut limits.bytecode_felts, given.bytecode_felts),
        ("sierraFelts", &mut limits.sierra_felts, given.sierra_felts),
        ("compileMillis", &mut limits.compile_millis, given.compile_millis),
        ("compileBytes", &mut limits.compile_bytes, given.compile_bytes),
    ] {
        match value {
            None => {}
            Some(value) if value >= 0.0 => *limit = value as u64,
            Some(value) => return Err(input(format!("{name}: {value} is not a limit"))),
        }
    }
    Ok(limits)
}

/// Compilations wait in line without a thread; others must find one free.
static COMPILING: tokio::sync::Semaphore = tokio::sync::Semaphore::const_new(64);

#[napi(object)]
pub struct ClassFigures {
    pub sierra_version: Option<String>,
    pub sierra_felts: u32,
    pub bytecode_felts: u32,
    pub abi_bytes: u32,
}

#[napi]
pub struct Class {
    inner: Arc<class::Class>,
}

#[napi]
impl Class {
    #[napi(catch_unwind)]
    pub fn compile(
        env: &Env,
        text: String,
        limits: Option<ClassLimits>,
    ) -> Result<PromiseRaw<'_, Class>> {
        let limits = class_limits(limits)?;
        env.spawn_future(async move {
            let _place = COMPILING.acquire().await;
            let compile = move || guarded(move || class::Class::compile(&text, &limits));
            let done = tokio::task::spawn_blocking(compile).await;
            let lost = |error| Failure::new(Kind::Internal, format!("a worker was lost: {error}"));
            Ok(Class { inner: done.map_err(lost).map_err(Error::from)?? })
        })
    }

    #[napi(catch_unwind)]
    pub fn with_casm(env: &Env, text: String, casm: String) -> Result<PromiseRaw<'_, Class>> {
        off_thread(env, move || Ok(Class { inner: class::Class::with_casm(&text, &casm)? }))
    }

    #[napi(catch_unwind)]
    pub fn hash_of(env: &Env, text: String) -> Result<PromiseRaw<'_, String>> {
        off_thread(env, move || class::Class::hash_of(&text).map(hex))
    }

    #[napi(getter, catch_unwind)]
    pub fn hash(&self) -> String {
        hex(self.inner.hash)
    }

    #[napi(getter, catch_unwind)]
    pub fn is_sierra(&self) -> bool {
        self.inner.is_sierra()
    }

    #[napi(getter, catch_unwind)]
    pub fn compiled_class_hash(&self) -> Option<String> {
        self.inner.compiled_hash.map(hex)
    }

    #[napi(getter, catch_unwind)]
    pub fn figures(&self) -> ClassFigures {
        ClassFigures {
            sierra_version: self.inner.sierra_version.as_ref().map(ToString::to_string),
            sierra_felts: self.inner.sierra_felts as u32,
            bytecode_felts: self.inner.bytecode_felts as u32,
            abi_bytes: self.inner.abi_bytes as u32,
        }
    }

    #[napi(catch_unwind)]
    pub fn compiled_class_hash_poseidon<'env>(
        &self,
        env: &'env Env,
    ) -> Result<PromiseRaw<'env, Option<String>>> {
        let class = self.inner.clone();
        off_thread(env, move || Ok(class.compiled_hash_poseidon()?.map(hex)))
    }

    #[napi(catch_unwind)]
    pub fn wire<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, String>> {
        let class = self.inner.clone();
        off_thread(env, move || class.wire_text())
    }

    #[napi(catch_unwind)]
    pub fn casm<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, String>> {
        let class = self.inner.clone();
        off_thread(env, move || class.casm_text())
    }
}

// Origins of forks.

type AskJs = ThreadsafeFunction<String, Promise<Option<String>>, String, Status, false, true>;

#[napi]
pub struct Origin {
    inner: Arc<origin::Origin>,
}

#[napi]
impl Origin {
    /// `ask` receives a question as JSON and promises a felt, a class as JSON, or null.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        #[napi(ts_arg_type = "(question: string) => Promise<string | null>")] ask: AskJs,
    ) -> Origin {
        let ask = move |question: String| {
            // Only worker threads come here; the JavaScript thread would wait for itself.
            block_on(async { ask.call_async(question).await?.await })
                .map_err(|error| error.reason.clone())
        };
        Origin { inner: Arc::new(origin::Origin::new(Box::new(ask))) }
    }

    /// How many questions have been asked.
    #[napi(getter, catch_unwind)]
    pub fn answers(&self) -> u32 {
        self.inner.answers() as u32
    }
}

// Blocks.

#[napi]
pub struct Block {
    inner: Arc<block::Block>,
}

#[napi]
impl Block {
    #[napi(constructor, catch_unwind)]
    pub fn new(values: String) -> Result<Block> {
        Ok(Block { inner: Arc::new(block::Block::parse(&values)?) })
    }

    /// Commitments, counts and hash once `version` of the state is this block's.
    #[napi(catch_unwind)]
    pub fn seal<'env>(
        &self,
        env: &'env Env,
        state: &State,
        version: f64,
        transactions: String,
        parent_hash: String,
    ) -> Result<PromiseRaw<'env, String>> {
        let diff = state.inner.diff_of(version_number("version", version)?)?;
        let block = self.inner.clone();
        off_thread(env, move || block::seal(&block, &diff, &transactions, &parent_hash))
    }
}

// Transactions.

#[napi]
pub struct Transaction {
    inner: Arc<transaction::Transaction>,
}

#[napi]
impl Transaction {
    #[napi(constructor, catch_unwind)]
    pub fn new(text: String, chain_id: String, declared: Option<&Class>) -> Result<Transaction> {
        let chain_id = block::parse_chain_id(&chain_id)?;
        let declared = declared.map(|class| class.inner.clone());
        let inner = transaction::Transaction::parse(&text, &chain_id, declared)?;
        Ok(Transaction { inner: Arc::new(inner) })
    }

    #[napi(getter, js_name = "type", catch_unwind)]
    pub fn type_name(&self) -> &'static str {
        self.inner.type_name()
    }

    #[napi(getter, catch_unwind)]
    pub fn hash(&self) -> String {
        hex(self.inner.hash.0)
    }

    #[napi(getter, catch_unwind)]
    pub fn is_query(&self) -> bool {
        self.inner.query
    }

    #[napi(getter, catch_unwind)]
    pub fn address(&self) -> String {
        hex(*self.inner.address.0.key())
    }

    #[napi(getter, catch_unwind)]
    pub fn nonce(&self) -> String {
        hex(self.inner.nonce())
    }

    #[napi(getter, catch_unwind)]
    pub fn message_hash(&self) -> Option<String> {
        self.inner.message_hash()
    }
}

#[napi(object)]
pub struct Flags {
    pub validate: Option<bool>,
    pub charge_fee: Option<bool>,
    pub strict_nonce: Option<bool>,
    pub unbounded_gas: Option<bool>,
    pub query: Option<bool>,
}

fn flags(given: Option<Flags>) -> transaction::Flags {
    let default = transaction::Flags::default();
    let Some(given) = given else { return default };
    transaction::Flags {
        validate: given.validate.unwrap_or(default.validate),
        charge_fee: given.charge_fee.unwrap_or(default.charge_fee),
        strict_nonce: given.strict_nonce.unwrap_or(default.strict_nonce),
        unbounded_gas: given.unbounded_gas.unwrap_or(default.unbounded_gas),
        query: given.query.unwrap_or(default.query),
    }
}

// What came of an execution.

#[napi]
pub struct Execution {
    outcome: &'static str,
    receipt: Option<String>,
    trace: Option<String>,
    diff_length: u32,
    failure: Option<String>,
    reads: Option<String>,
    next: Option<Arc<state::State>>,
}

#[napi]
impl Execution {
    /// `accepted`, `reverted` or `rejected`.
    #[napi(getter, catch_unwind)]
    pub fn outcome(&self) -> &'static str {
        self.outcome
    }

    #[napi(getter, catch_unwind)]
    pub fn receipt(&self) -> Option<&str> {
        self.receipt.as_deref()
    }

    #[napi(getter, catch_unwind)]
    pub fn trace(&self) -> Option<&str> {
        self.trace.as_deref()
    }

    /// Why it reverted or was rejected.
    #[napi(getter, catch_unwind)]
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    #[napi(getter, catch_unwind)]
    pub fn initial_reads(&self) -> Option<&str> {
        self.reads.as_deref()
    }

    #[napi(getter, catch_unwind)]
    pub fn diff_length(&self) -> u32 {
        self.diff_length
    }

    /// The state after it; none if it was rejected or ran on a throw-away layer.
    #[napi(getter, catch_unwind)]
    pub fn next(&self) -> Option<State> {
        self.next.clone().map(State::head)
    }
}

impl Execution {
    fn told(
        run: &Run,
        transaction: &transaction::Transaction,
        constants: &blockifier::blockifier_versioned_constants::VersionedConstants,
    ) -> Outcome<Execution> {
        Ok(match run {
            Run::Rejected(error) => Execution {
                outcome: "rejected",
                receipt: None,
                trace: None,
                diff_length: 0,
                failure: Some(report::rejection(error)?),
                reads: None,
                next: None,
            },
            Run::Executed(run) => Execution {
                outcome: if run.info.is_reverted() { "reverted" } else { "accepted" },
                receipt: Some(report::receipt(transaction, run)?),
                trace: Some(report::trace(transaction, run, constants)?),
                diff_length: run.diff.length() as u32,
                failure: report::revert(run)?,
                reads: None,
                next: None,
            },
        })
    }
}

// State.

#[napi(object)]
pub struct StateFigures {
    pub slots: f64,
    pub contracts: f64,
    pub classes: f64,
    pub versions: f64,
    pub older_values: f64,
    pub approximate_bytes: f64,
}

#[napi]
pub struct State {
    inner: Arc<state::State>,
    at: u64,
}

impl Drop for State {
    fn drop(&mut self) {
        // The last owner hands over; others only let go of a pointer.
        if Arc::strong_count(&self.inner) == 1 {
            let _ = REAPER.send(self.inner.clone());
        }
    }
}

impl State {
    fn head(inner: Arc<state::State>) -> State {
        let at = inner.version;
        State { inner, at }
    }

    fn writable(&self) -> Outcome<&Arc<state::State>> {
        if self.at == self.inner.version {
            return Ok(&self.inner);
        }
        let at = self.at;
        Err(Failure::new(
            Kind::State,
            format!("a view of version {at} cannot be written; rewind to it instead"),
        ))
    }

    fn read<'env, T: ToNapiValue + Send + 'static>(
        &self,
        env: &'env Env,
        work: impl FnOnce(Reader) -> Outcome<T> + Send + 'static,
    ) -> Result<PromiseRaw<'env, T>> {
        let reader = Reader::new(self.inner.clone(), self.at);
        off_thread(env, move || work(reader))
    }
}

#[napi]
impl State {
    #[napi(constructor, catch_unwind)]
    pub fn new(version: f64, keep_history: bool, origin: Option<&Origin>) -> Result<State> {
        let version = version_number("version", version)?;
        let origin = origin.map(|origin| origin.inner.clone());
        Ok(State::head(Arc::new(state::State::new(version, keep_history, origin))))
    }

    /// The version being written, or the one that a view shows.
    #[napi(getter, catch_unwind)]
    pub fn version(&self) -> f64 {
        self.at as f64
    }

    #[napi(getter, catch_unwind)]
    pub fn first_version(&self) -> f64 {
        self.inner.first_version() as f64
    }

    // Reads from memory: null means that the origin must be asked.

    #[napi(catch_unwind)]
    pub fn storage_known(&self, address: String, key: String) -> Result<Option<String>> {
        let address = parse_address("address", &address)?.into();
        let key = parse_key("key", &key)?.into();
        let known = self.inner.storage(address, key, self.at);
        Ok(self.known(known, |origin| origin.known_storage(address, key)))
    }

    #[napi(catch_unwind)]
    pub fn nonce_known(&self, address: String) -> Result<Option<String>> {
        let address = parse_address("address", &address)?.into();
        let known = self.inner.nonce(address, self.at);
        Ok(self.known(known, |origin| origin.known_nonce(address)))
    }

    #[napi(catch_unwind)]
    pub fn class_hash_known(&self, address: String) -> Result<Option<String>> {
        let address = parse_address("address", &address)?.into();
        let known = self.inner.class_hash(address, self.at);
        Ok(self.known(known, |origin| origin.known_class_hash(address)))
    }

    /// The version that last wrote a slot; null if this chain never did.
    #[napi(catch_unwind)]
    pub fn storage_since(&self, address: String, key: String) -> Result<Option<f64>> {
        let address = parse_address("address", &address)?.into();
        let key = parse_key("key", &key)?.into();
        Ok(self.inner.storage_since(address, key, self.at).map(|version| version as f64))
    }

    // The same reads, asking the origin where they must.

    #[napi(catch_unwind)]
    pub fn storage<'env>(
        &self,
        env: &'env Env,
        address: String,
        key: String,
    ) -> Result<PromiseRaw<'env, String>> {
        let address = parse_address("address", &address)?.into();
        let key = parse_key("key", &key)?.into();
        self.read(env, move |reader| reader.storage(address, key).map(hex))
    }

    #[napi(catch_unwind)]
    pub fn nonce<'env>(&self, env: &'env Env, address: String) -> Result<PromiseRaw<'env, String>> {
        let address = parse_address("address", &address)?.into();
        self.read(env, move |reader| reader.nonce(address).map(hex))
    }

    #[napi(catch_unwind)]
    pub fn class_hash<'env>(
        &self,
        env: &'env Env,
        address: String,
    ) -> Result<PromiseRaw<'env, String>> {
        let address = parse_address("address", &address)?.into();
        self.read(env, move |reader| reader.class_hash(address).map(hex))
    }

    #[napi(catch_unwind)]
    pub fn class<'env>(
        &self,
        env: &'env Env,
        class_hash: String,
    ) -> Result<PromiseRaw<'env, Option<Class>>> {
        let hash = Key::from(parse("class_hash", &class_hash)?);
        self.read(env, move |reader| Ok(reader.class(hash)?.map(|inner| Class { inner })))
    }

    /// The version that declared a class; null if this chain did not.
    #[napi(catch_unwind)]
    pub fn class_since(&self, class_hash: String) -> Result<Option<f64>> {
        let hash = Key::from(parse("class_hash", &class_hash)?);
        let entry = self.inner.classes.get(&hash).filter(|entry| entry.since <= self.at);
        Ok(entry.map(|entry| entry.since as f64))
    }

    // Writing.

    #[napi(catch_unwind)]
    pub fn apply<'env>(
        &self,
        env: &'env Env,
        diff: String,
        classes: Vec<ClassInstance<'env, Class>>,
    ) -> Result<PromiseRaw<'env, State>> {
        let state = self.writable()?.clone();
        let classes = classes.iter().map(|class| class.inner.clone()).collect();
        off_thread(env, move || {
            let changes = Changes::from_wire(&diff, classes)?;
            Ok(State::head(Arc::new(state.apply(&changes)?)))
        })
    }

    /// Closes the version being written.
    #[napi(catch_unwind)]
    pub fn advance(&self) -> Result<State> {
        Ok(State::head(Arc::new(self.writable()?.advance())))
    }

    /// A second handle on the same value.
    #[napi(catch_unwind)]
    pub fn copy(&self) -> State {
        State { inner: self.inner.clone(), at: self.at }
    }

    // History.

    /// A read-only view of an older version.
    #[napi(catch_unwind)]
    pub fn at(&self, version: f64) -> Result<State> {
        let at = version_number("version", version)?;
        self.inner.check_readable(at)?;
        Ok(State { inner: self.inner.clone(), at })
    }

    /// A writable state as it stood when `version` was closed.
    #[napi(catch_unwind)]
    pub fn rewind<'env>(&self, env: &'env Env, version: f64) -> Result<PromiseRaw<'env, State>> {
        let version = version_number("version", version)?;
        let state = self.inner.clone();
        off_thread(env, move || Ok(State::head(Arc::new(state.rewind(version)?))))
    }

    /// The same state without what is older than `version`.
    #[napi(catch_unwind)]
    pub fn forget<'env>(&self, env: &'env Env, version: f64) -> Result<PromiseRaw<'env, State>> {
        let version = version_number("version", version)?;
        let state = self.writable()?.clone();
        off_thread(env, move || Ok(State::head(Arc::new(state.forget(version)))))
    }

    /// What a version changed, as JSON.
    #[napi(catch_unwind)]
    pub fn diff_of(&self, version: f64) -> Result<String> {
        let diff = self.inner.diff_of(version_number("version", version)?)?;
        Ok(json(&diff)?)
    }

    /// What must change to get from this state to the other, as JSON.
    #[napi(catch_unwind)]
    pub fn diff_to<'env>(&self, env: &'env Env, other: &State) -> Result<PromiseRaw<'env, String>> {
        let (from, to) = (self.writable()?.clone(), other.writable()?.clone());
        off_thread(env, move || json(&from.diff_to(&to)))
    }

    #[napi(catch_unwind)]
    pub fn figures(&self) -> StateFigures {
        let figures = &self.inner.figures;
        StateFigures {
            slots: figures.slots as f64,
            contracts: self.inner.contracts.len() as f64,
            classes: self.inner.classes.len() as f64,
            versions: self.inner.log.len() as f64 + 1.0,
            older_values: figures.past as f64,
            approximate_bytes: self.inner.approximate_bytes() as f64,
        }
    }

    // Execution.

    /// Executes one transaction and folds its changes into the next state.
    #[napi(catch_unwind)]
    pub fn execute<'env>(
        &self,
        env: &'env Env,
        block: &Block,
        transaction: &Transaction,
        flags: Option<Flags>,
    ) -> Result<PromiseRaw<'env, Execution>> {
        let flags = self::flags(flags);
        let state = self.writable()?.clone();
        let (block, transaction) = (block.inner.clone(), transaction.inner.clone());
        let at = self.at;
        off_thread(env, move || {
            let mut session = Session::new(state.clone(), at, block);
            let run = session.run(&transaction, flags)?;
            let mut told = Execution::told(&run, &transaction, session.constants())?;
            if let Run::Executed(run) = &run {
                told.next = Some(Arc::new(state.apply(&run.changes)?));
            }
            Ok(told)
        })
    }

    /// Executes transactions one after another on a layer that is thrown away. Ends early at the
    /// first that is rejected.
    #[napi(catch_unwind)]
    pub fn execute_many<'env>(
        &self,
        env: &'env Env,
        block: &Block,
        transactions: Vec<ClassInstance<'env, Transaction>>,
        flags: Option<Flags>,
        initial_reads: Option<bool>,
    ) -> Result<PromiseRaw<'env, Vec<Execution>>> {
        let flags = self::flags(flags);
        let (state, at, block) = (self.inner.clone(), self.at, block.inner.clone());
        let transactions: Vec<_> = transactions.iter().map(|tx| tx.inner.clone()).collect();
        off_thread(env, move || {
            let mut session = Session::new(state, at, block);
            let mut all = Vec::with_capacity(transactions.len());
            for transaction in &transactions {
                let run = session.run(transaction, flags)?;
                all.push(Execution::told(&run, transaction, session.constants())?);
                if let Run::Rejected(_) = run {
                    break;
                }
            }
            if let (Some(true), Some(last)) = (initial_reads, all.last_mut()) {
                last.reads = Some(report::initial_reads(&session.initial_reads()?)?);
            }
            Ok(all)
        })
    }

    /// Calls a function and gives `{result}` or `{failure}` as JSON.
    #[napi(catch_unwind)]
    pub fn call<'env>(
        &self,
        env: &'env Env,
        block: &Block,
        address: String,
        selector: String,
        calldata: Vec<String>,
    ) -> Result<PromiseRaw<'env, String>> {
        let call = Call {
            address: parse_address("contract_address", &address)?,
            selector: EntryPointSelector(parse("entry_point_selector", &selector)?),
            calldata: parse_all("calldata", &calldata)?,
        };
        let (state, at, block) = (self.inner.clone(), self.at, block.inner.clone());
        off_thread(env, move || report::called(&execute::call(state, at, &block, call)?))
    }

    // Measuring.

    /// The engine without the door: executes on one `CachedState`; microseconds it took.
    #[napi(catch_unwind)]
    pub fn bench_bare<'env>(
        &self,
        env: &'env Env,
        block: &Block,
        transactions: Vec<ClassInstance<'env, Transaction>>,
    ) -> Result<PromiseRaw<'env, f64>> {
        let (state, block) = (self.inner.clone(), block.inner.clone());
        let transactions: Vec<_> = transactions.iter().map(|tx| tx.inner.clone()).collect();
        off_thread(env, move || bench::bare(state, &block, &transactions))
    }

    /// The same work as `execute` does for each, in one loop; microseconds it took.
    #[napi(catch_unwind)]
    pub fn bench_folded<'env>(
        &self,
        env: &'env Env,
        block: &Block,
        transactions: Vec<ClassInstance<'env, Transaction>>,
    ) -> Result<PromiseRaw<'env, f64>> {
        let (state, block) = (self.writable()?.clone(), block.inner.clone());
        let transactions: Vec<_> = transactions.iter().map(|tx| tx.inner.clone()).collect();
        off_thread(env, move || bench::folded(state, &block, &transactions))
    }

    /// Adds slots with pseudo-random keys, as many versions as asked for.
    #[napi(catch_unwind)]
    pub fn bench_fill<'env>(
        &self,
        env: &'env Env,
        address: String,
        versions: u32,
        writes: u32,
        distinct: u32,
    ) -> Result<PromiseRaw<'env, State>> {
        let address = parse_address("address", &address)?.into();
        let state = self.writable()?.clone();
        off_thread(env, move || {
            Ok(State::head(bench::fill(state, address, versions, writes, distinct)?))
        })
    }

    /// Slots that arrived in random order, without difference or history.
    #[napi(catch_unwind)]
    pub fn bench_seed<'env>(
        &self,
        env: &'env Env,
        address: String,
        slots: u32,
    ) -> Result<PromiseRaw<'env, State>> {
        let address = parse_address("address", &address)?.into();
        let state = state::State::clone(self.writable()?);
        off_thread(env, move || Ok(State::head(Arc::new(bench::seed(state, address, slots)))))
    }

    /// Nanoseconds a random read takes, at the head or at random older versions.
    #[napi(catch_unwind)]
    pub fn bench_reads<'env>(
        &self,
        env: &'env Env,
        address: String,
        reads: u32,
        distinct: u32,
        old: bool,
    ) -> Result<PromiseRaw<'env, f64>> {
        let address = parse_address("address", &address)?.into();
        let state = self.inner.clone();
        off_thread(env, move || Ok(bench::reads(&state, address, reads, distinct, old)))
    }
}

impl State {
    fn known(
        &self,
        here: Option<Felt>,
        origin: impl FnOnce(&origin::Origin) -> Option<Felt>,
    ) -> Option<String> {
        match (here, &self.inner.origin) {
            (Some(value), _) => Some(hex(value)),
            (None, Some(asked)) => origin(asked).map(hex),
            (None, None) => Some("0x0".to_owned()),
        }
    }
}

fn json(diff: &diff::Diff) -> Outcome<String> {
    serde_json::to_string(diff).map_err(|error| Failure::new(Kind::Internal, error))
}

// Images.

#[napi]
pub struct StateExport {
    inner: Arc<Mutex<image::Export>>,
}

#[napi]
impl StateExport {
    #[napi(constructor, catch_unwind)]
    pub fn new(state: &State) -> Result<StateExport> {
        let export = image::Export::new(state.writable()?.clone());
        Ok(StateExport { inner: Arc::new(Mutex::new(export)) })
    }

    /// The next piece; null at the end.
    #[napi(catch_unwind)]
    pub fn next<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, Option<Buffer>>> {
        let export = self.inner.clone();
        off_thread(env, move || Ok(export.lock().next().map(Buffer::from)))
    }
}

#[napi]
pub struct StateImport {
    inner: Arc<Mutex<Option<image::Import>>>,
}

#[napi]
impl StateImport {
    #[napi(constructor, catch_unwind)]
    pub fn new(origin: Option<&Origin>) -> StateImport {
        let import = image::Import::new(origin.map(|origin| origin.inner.clone()));
        StateImport { inner: Arc::new(Mutex::new(Some(import))) }
    }

    #[napi(catch_unwind)]
    pub fn push<'env>(&self, env: &'env Env, piece: Buffer) -> Result<PromiseRaw<'env, ()>> {
        let import = self.inner.clone();
        let piece = piece.to_vec();
        off_thread(env, move || {
            let mut import = import.lock();
            let result = import.as_mut().ok_or_else(spent)?.push(&piece);
            if result.is_err() {
                *import = None;
            }
            result
        })
    }

    #[napi(catch_unwind)]
    pub fn finish<'env>(&self, env: &'env Env) -> Result<PromiseRaw<'env, State>> {
        let import = self.inner.clone();
        off_thread(env, move || {
            let state = import.lock().take().ok_or_else(spent)?.finish()?;
            Ok(State::head(Arc::new(state)))
        })
    }
}

fn spent() -> Failure {
    Failure::new(Kind::Image, "this import has already ended")
}

// Hashes, addresses, keys.

#[napi(catch_unwind)]
pub fn pedersen(felts: Vec<String>) -> Result<String> {
    Ok(hex(hash::pedersen(&parse_all("felts", &felts)?)))
}

#[napi(catch_unwind)]
pub fn pedersen_pair(left: String, right: String) -> Result<String> {
    Ok(hex(hash::pedersen_pair(parse("left", &left)?, parse("right", &right)?)))
}

#[napi(catch_unwind)]
pub fn poseidon(felts: Vec<String>) -> Result<String> {
    Ok(hex(hash::poseidon(&parse_all("felts", &felts)?)))
}

#[napi(catch_unwind)]
pub fn blake(felts: Vec<String>) -> Result<String> {
    Ok(hex(hash::blake(&parse_all("felts", &felts)?)))
}

#[napi(catch_unwind)]
pub fn hades(felts: Vec<String>) -> Result<Vec<String>> {
    let felts = parse_all("felts", &felts)?;
    let state: [Felt; 3] =
        felts.try_into().map_err(|_| input("felts: the permutation takes exactly three"))?;
    Ok(hash::hades(state).map(hex).to_vec())
}

#[napi(catch_unwind)]
pub fn keccak(text: String) -> String {
    hex(hash::keccak(text.as_bytes()))
}

#[napi(catch_unwind)]
pub fn storage_address(variable: String, keys: Vec<String>) -> Result<String> {
    Ok(hex(hash::storage_address(&variable, &parse_all("keys", &keys)?)?))
}

#[napi(catch_unwind)]
pub fn contract_address(
    salt: String,
    class_hash: String,
    constructor_calldata: Vec<String>,
    deployer: String,
) -> Result<String> {
    Ok(hex(hash::contract_address(
        parse("salt", &salt)?,
        parse("class_hash", &class_hash)?,
        parse_all("constructor_calldata", &constructor_calldata)?,
        parse_address("deployer", &deployer)?,
    )?))
}

#[napi(catch_unwind)]
pub fn message_to_l1_hash(from: String, to: String, payload: Vec<String>) -> Result<String> {
    let payload = parse_all("payload", &payload)?;
    Ok(hash::message_to_l1(parse("from_address", &from)?, parse("to_address", &to)?, &payload))
}

#[napi(catch_unwind)]
pub fn private_keys(seed: u32, count: u32) -> Vec<String> {
    account::private_keys(seed, count).into_iter().map(hex).collect()
}

#[napi(catch_unwind)]
pub fn public_key(private_key: String) -> Result<String> {
    Ok(hex(account::public_key(parse("private_key", &private_key)?)?))
}

#[napi(catch_unwind)]
pub fn sign(private_key: String, hash: String) -> Result<Vec<String>> {
    let signature = account::sign(parse("private_key", &private_key)?, parse("hash", &hash)?)?;
    Ok(signature.map(hex).to_vec())
}
