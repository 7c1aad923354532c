//! What requests carry as JSON: state differences, transactions, blocks, receipts, and answers of a state source.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use starknet_api::block::BlockHash;
use starknet_types_core::felt::Felt;

use starkbox_engine_core::class::Class;
use starkbox_engine_core::error::Kind;
use starkbox_engine_core::execution::{
    Block, Closing, FirstWrite, Flags, Transaction, parse_chain_id, parse_included,
};
use starkbox_engine_core::felt::Key;
use starkbox_engine_core::json::to_json;
use starkbox_engine_core::state_source::{Reply, SourceBackend, StateSource};
use starkbox_engine_core::state::{Changes, State};

fn text(input: &[u8]) -> Option<&str> {
    std::str::from_utf8(input).ok()
}

pub fn take_diff(input: &[u8]) {
    let Some(text) = text(input) else { return };
    let Some(changes) = super::taken(Changes::from_wire(text, Vec::new()), &[Kind::Input]) else {
        return;
    };
    let state = State::new(1, true, None);
    // Listed classes come without their bodies here.
    let Some(state) = super::taken(state.apply(&changes), &[Kind::State]) else { return };
    let (closed, diff) = state.close();
    let written = to_json(&*diff).unwrap_or_else(|failure| panic!("{failure}"));
    let again = Changes::from_wire(&written, Vec::new());
    let again = again.unwrap_or_else(|failure| panic!("its own difference: {failure}"));
    let repeated = State::new(1, true, None).apply(&again).map(|state| state.close().1);
    assert_eq!(repeated.ok(), Some(diff.clone()));
    assert_eq!(closed.diff_of(1).ok(), Some(diff.clone()));
    assert!(diff.check_keys().is_ok());
    let rewound = closed.rewind(0).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!((rewound.contracts.len(), rewound.figures.slots, rewound.figures.past), (0, 0, 0));
}

pub fn take_transaction(input: &[u8]) {
    let Some(text) = text(input) else { return };
    static CLASS: LazyLock<Arc<Class>> = LazyLock::new(|| {
        let class = Class::with_casm(SIERRA, CASM);
        class.unwrap_or_else(|failure| panic!("{failure}"))
    });
    let chain_id = parse_chain_id("SN_SEPOLIA").unwrap_or_else(|failure| panic!("{failure}"));
    for class in [None, Some(CLASS.clone())] {
        let parsed = Transaction::parse(text, &chain_id, class);
        let Some(transaction) = super::taken(parsed, &[Kind::Input]) else { continue };
        let _ = (transaction.type_name(), transaction.nonce(), transaction.message_hash());
        let _ = (transaction.signature(), transaction.pays_in_wei());
        for flags in [Flags::default(), Flags { unbounded_gas: true, ..Flags::default() }] {
            super::taken(transaction.executable(flags), &[Kind::Input]);
        }
    }
}

const SIERRA: &str = r#"{"sierra_program":["0x1","0x7","0x0"],"contract_class_version":"0.1.0",
    "entry_points_by_type":{"EXTERNAL":[],"L1_HANDLER":[],"CONSTRUCTOR":[]},"abi":"[]"}"#;
const CASM: &str = r#"{"prime":"0x800000000000011000000000000000000000000000000000000000000000001",
    "compiler_version":"2.19.5","bytecode":["0x208b7fff7fff7ffe"],"bytecode_segment_lengths":[1],"hints":[],
    "entry_points_by_type":{"EXTERNAL":[],"L1_HANDLER":[],"CONSTRUCTOR":[]}}"#;

pub fn take_block(input: &[u8]) {
    let Some(text) = text(input) else { return };
    let Some(block) = super::taken(Block::parse(text), &[Kind::Input]) else { return };
    close(Arc::new(block), "[]");
}

pub fn take_receipts(input: &[u8]) {
    let Some(text) = text(input) else { return };
    static BLOCKS: LazyLock<Vec<Arc<Block>>> = LazyLock::new(|| {
        ["0.13.2", "0.14.4"]
            .map(|version| BLOCK.replace("VERSION", version))
            .iter()
            .map(|text| Arc::new(Block::parse(text).unwrap_or_else(|failure| panic!("{failure}"))))
            .collect()
    });
    for block in &*BLOCKS {
        close(block.clone(), text);
    }
}

const BLOCK: &str = r#"{"number":1,"timestamp":2,"sequencer_address":"0x1","chain_id":"A",
    "fee_tokens":{"strk":"0x1","eth":"0x2"},"starknet_version":"VERSION","gas_prices":{
    "l1_gas":{"wei":"1","fri":"1"},"l1_data_gas":{"wei":"1","fri":"1"},"l2_gas":{"wei":"1","fri":"1"}}}"#;

fn close(block: Arc<Block>, receipts: &str) {
    let Some(included) = super::taken(parse_included(receipts), &[Kind::Input]) else { return };
    let key = Key::from(Felt::ONE);
    let first_write = Some(FirstWrite { address: key, key, value: Felt::TWO });
    let closing = Closing { block, parent_hash: BlockHash(Felt::THREE), first_write };
    super::taken(closing.close(&State::new(1, true, None), &included), &[Kind::Input]);
}

/// Answers every question with the same bytes: as text, or as a packed class if they are none.
struct Answer(Vec<u8>);

impl SourceBackend for Answer {
    fn ask(&self, question: String) -> Result<Option<Reply>, String> {
        Ok(match String::from_utf8(self.0.clone()) {
            Ok(text) if !text.is_empty() => Some(Reply::Text(text)),
            _ if question.contains("nonce") && self.0.is_empty() => None,
            _ => Some(Reply::Packed(self.0.clone())),
        })
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

pub fn take_answer(input: &[u8]) {
    let source = StateSource::new(Box::new(Answer(input.to_vec())), None);
    let key = Key::from(Felt::ONE);
    let felt = super::taken(source.storage(key, key), &[Kind::StateSource]);
    assert_eq!(super::taken(source.class_hash(key), &[Kind::StateSource]), felt);
    super::taken(source.nonce(key), &[Kind::StateSource]);
    assert_eq!(source.cached_storage(key, key), felt);
    // The hash that the class would have, so that it is taken.
    let text = text(input).unwrap_or_default();
    if text.contains("sierra_program") {
        return;
    }
    let hash = Class::hash_of(text).unwrap_or_default();
    super::taken(source.class(Key::from(hash)), &[Kind::StateSource]);
}
