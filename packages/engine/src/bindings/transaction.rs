//! Blocks and transactions.

use std::sync::Arc;

use napi_derive::napi;

use super::class::Class;
use super::error::Result;
use starkbox_engine_core::execution;
use starkbox_engine_core::felt::hex;

#[napi]
pub struct Block {
    pub(super) inner: Arc<execution::Block>,
}

#[napi]
impl Block {
    #[napi(constructor, catch_unwind)]
    pub fn new(values: String) -> Result<Block> {
        Ok(Block { inner: Arc::new(execution::Block::parse(&values)?) })
    }
}

#[napi]
pub struct Transaction {
    pub(super) inner: Arc<execution::Transaction>,
}

#[napi]
impl Transaction {
    #[napi(constructor, catch_unwind)]
    pub fn new(text: String, chain_id: String, declared: Option<&Class>) -> Result<Transaction> {
        let chain_id = execution::parse_chain_id(&chain_id)?;
        let declared = declared.map(|class| class.inner.clone());
        let inner = execution::Transaction::parse(&text, &chain_id, declared)?;
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

impl From<Flags> for execution::Flags {
    fn from(flags: Flags) -> Self {
        let default = execution::Flags::default();
        execution::Flags {
            validate: flags.validate.unwrap_or(default.validate),
            charge_fee: flags.charge_fee.unwrap_or(default.charge_fee),
            strict_nonce: flags.strict_nonce.unwrap_or(default.strict_nonce),
            unbounded_gas: flags.unbounded_gas.unwrap_or(default.unbounded_gas),
            query: flags.query.unwrap_or(default.query),
        }
    }
}
