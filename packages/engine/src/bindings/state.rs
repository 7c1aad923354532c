//! States: reading, writing and history.

use std::sync::Arc;

use napi::bindgen_prelude::*;
use napi_derive::napi;
use starknet_types_core::felt::Felt;

use super::arguments::version_number;
use super::class::Class;
use super::error::Result;
use super::promise::off_thread;
use super::state_source::StateSource;
use crate::release::Held;
use starkbox_engine_core::error::{self, Failure, Kind};
use starkbox_engine_core::execution::Reader;
use starkbox_engine_core::felt::{Key, hex, parse, parse_address, parse_key};
use starkbox_engine_core::json::to_json;
use starkbox_engine_core::state::{self, Changes};
use starkbox_engine_core::{fault, state_source};

#[napi(object)]
pub struct StateSlot {
    pub key: String,
    pub value: String,
    pub since: f64,
}

#[napi(object)]
pub struct StateFigures {
    pub slots: f64,
    pub contracts: f64,
    pub classes: f64,
    pub versions: f64,
    pub older_values: f64,
    pub approximate_bytes: f64,
}

/// The storage of a state difference, read from JSON.
#[napi]
pub struct StorageList {
    inner: Held<state::StorageList>,
}

#[napi]
impl StorageList {
    /// Reads the list at the beginning of a text; null if it is not in canonical form.
    #[napi(catch_unwind)]
    pub fn read(env: &Env, text: String) -> Result<PromiseRaw<'_, Option<StorageList>>> {
        off_thread(env, move || {
            let list = state::StorageList::read(&text);
            Ok(list.map(|list| StorageList { inner: Held::new(Arc::new(list)) }))
        })
    }

    /// Characters of its text.
    #[napi(getter, catch_unwind)]
    pub fn length(&self) -> f64 {
        self.inner.length as f64
    }

    #[napi(getter, catch_unwind)]
    pub fn slot_count(&self) -> f64 {
        self.inner.slot_count() as f64
    }

    #[napi(getter, catch_unwind)]
    pub fn addresses(&self) -> Vec<String> {
        self.inner.contracts.keys().map(|address| hex(address.felt())).collect()
    }
}

#[napi]
pub struct State {
    pub(super) inner: Held<state::State>,
    pub(super) at: u64,
}

impl State {
    pub(super) fn head(inner: Arc<state::State>) -> State {
        let at = inner.version;
        State::view(inner, at)
    }

    fn view(inner: Arc<state::State>, at: u64) -> State {
        State { inner: Held::new(inner), at }
    }

    pub(super) fn writable(&self) -> error::Result<&Arc<state::State>> {
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
        work: impl FnOnce(Reader) -> error::Result<T> + Send + 'static,
    ) -> Result<PromiseRaw<'env, T>> {
        let reader = Reader::new(self.inner.clone(), self.at);
        off_thread(env, move || work(reader))
    }
}
#[napi]
impl State {
    #[napi(constructor, catch_unwind)]
    pub fn new(version: f64, keep_history: bool, source: Option<&StateSource>) -> Result<State> {
        let version = version_number("version", version)?;
        let source = source.map(|source| source.inner.clone());
        Ok(State::head(Arc::new(state::State::new(version, keep_history, source))))
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

    // Reads of values in memory: null means that the source must be asked.

    #[napi(catch_unwind)]
    pub fn storage_known(&self, address: String, key: String) -> Result<Option<String>> {
        let address = parse_address("address", &address)?.into();
        let key = parse_key("key", &key)?.into();
        let local = self.inner.storage(address, key, self.at);
        Ok(self.known(local, |source| source.cached_storage(address, key)))
    }

    #[napi(catch_unwind)]
    pub fn nonce_known(&self, address: String) -> Result<Option<String>> {
        let address = parse_address("address", &address)?.into();
        let local = self.inner.nonce(address, self.at);
        Ok(self.known(local, |source| source.cached_nonce(address)))
    }

    #[napi(catch_unwind)]
    pub fn class_hash_known(&self, address: String) -> Result<Option<String>> {
        let address = parse_address("address", &address)?.into();
        let local = self.inner.class_hash(address, self.at);
        Ok(self.known(local, |source| source.cached_class_hash(address)))
    }

    /// The version that last wrote a slot; null if this chain never did.
    #[napi(catch_unwind)]
    pub fn storage_since(&self, address: String, key: String) -> Result<Option<f64>> {
        let address = parse_address("address", &address)?.into();
        let key = parse_key("key", &key)?.into();
        Ok(self.inner.storage_since(address, key, self.at).map(|version| version as f64))
    }

    /// The next slots of a contract in the order of their keys, without those of the source.
    #[napi(catch_unwind)]
    pub fn slots(
        &self,
        address: String,
        after: Option<String>,
        limit: u32,
    ) -> Result<Vec<StateSlot>> {
        let address = parse_address("address", &address)?.into();
        let after = after.map(|key| parse_key("after", &key)).transpose()?.map(Key::from);
        let slots = self.inner.slots_after(address, after, self.at).take(limit as usize);
        Ok(slots
            .map(|(key, value, since)| StateSlot {
                key: hex(key.felt()),
                value: hex(value),
                since: since as f64,
            })
            .collect())
    }

    // The same reads on a worker thread, which asks the source.

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
        self.read(env, move |reader| Ok(reader.class(hash)?.map(Class::of)))
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
        storage: Option<&StorageList>,
    ) -> Result<PromiseRaw<'env, State>> {
        let state = self.writable()?.clone();
        let classes = classes.iter().map(|class| class.inner.clone()).collect();
        let storage = storage.map(|list| list.inner.clone());
        off_thread(env, move || {
            let changes = Changes::from_wire(&diff, classes)?;
            let next = state.apply(&changes)?;
            let next = storage.iter().fold(next, |next, list| next.write_storage(list));
            Ok(State::head(Arc::new(next)))
        })
    }

    /// A second handle on the same value.
    #[napi(catch_unwind)]
    pub fn copy(&self) -> State {
        State::view(self.inner.clone(), self.at)
    }

    // History.

    /// A read-only view of an older version.
    #[napi(catch_unwind)]
    pub fn at(&self, version: f64) -> Result<State> {
        let at = version_number("version", version)?;
        self.inner.check_readable(at)?;
        Ok(State::view(self.inner.clone(), at))
    }

    /// A writable state as it stood when `version` was closed.
    #[napi(catch_unwind)]
    pub fn rewind<'env>(&self, env: &'env Env, version: f64) -> Result<PromiseRaw<'env, State>> {
        let version = version_number("version", version)?;
        let state = self.inner.clone();
        off_thread(env, move || Ok(State::head(Arc::new(state.rewind(version)?))))
    }

    /// The state above a source that answers for everything up to a version.
    #[napi(catch_unwind)]
    pub fn settle<'env>(
        &self,
        env: &'env Env,
        version: f64,
        source: &StateSource,
    ) -> Result<PromiseRaw<'env, State>> {
        let version = version_number("version", version)?;
        let (state, source) = (self.writable()?.clone(), source.inner.clone());
        off_thread(env, move || Ok(State::head(Arc::new(state.settle(version, source)?))))
    }

    /// What a version changed, as JSON.
    #[napi(catch_unwind)]
    pub fn diff_of(&self, version: f64) -> Result<String> {
        let diff = self.inner.diff_of(version_number("version", version)?)?;
        Ok(to_json(&*diff)?)
    }

    /// What must change to get from this state to the other, as JSON.
    #[napi(catch_unwind)]
    pub fn diff_to<'env>(&self, env: &'env Env, other: &State) -> Result<PromiseRaw<'env, String>> {
        let (from, to) = (self.writable()?.clone(), other.writable()?.clone());
        off_thread(env, move || to_json(&from.diff_to(&to)))
    }

    #[napi(catch_unwind)]
    pub fn figures(&self) -> StateFigures {
        fault::point("binding");
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
}

impl State {
    fn known(
        &self,
        here: Option<Felt>,
        source: impl FnOnce(&state_source::StateSource) -> Option<Felt>,
    ) -> Option<String> {
        match (here, &self.inner.source) {
            (Some(value), _) => Some(hex(value)),
            (None, Some(asked)) => source(asked).map(hex),
            (None, None) => Some("0x0".to_owned()),
        }
    }
}
