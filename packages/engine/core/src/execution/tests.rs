//! Tests of blocks, transactions, calls and closing on states without contracts.

use std::sync::Arc;

use starknet_api::block::BlockHash;
use starknet_api::core::{ContractAddress, EntryPointSelector};
use starknet_types_core::felt::Felt;

use super::report::{call_report, initial_reads, rejection};
use super::{
    Block, Call, Closing, FirstWrite, Flags, Run, Session, Transaction, call, parse_chain_id,
    parse_included,
};
use crate::error::{Kind, Result};
use crate::felt::{Key, hex};
use crate::state::State;

const BLOCK: &str = r#"{"number":1,"timestamp":2,"sequencer_address":"0x1","chain_id":"SN_SEPOLIA",
    "fee_tokens":{"strk":"0x1","eth":"0x2"},"starknet_version":"0.14.4","gas_prices":{
    "l1_gas":{"wei":"1","fri":"1"},"l1_data_gas":{"wei":"1","fri":"1"},"l2_gas":{"wei":"1","fri":"0x10"}}}"#;

fn block() -> Arc<Block> {
    Arc::new(Block::parse(BLOCK).unwrap())
}

fn transaction(text: &str) -> Result<Transaction> {
    Transaction::parse(text, &parse_chain_id("SN_SEPOLIA").unwrap(), None)
}

const INVOKE: &str = r#"{"type":"INVOKE","version":"0x3","sender_address":"0x123","calldata":["0x1"],
    "signature":[],"nonce":"0x0","tip":"0x0","resource_bounds":{
        "l1_gas":{"max_amount":"0x1000","max_price_per_unit":"0x10"},
        "l1_data_gas":{"max_amount":"0x1000","max_price_per_unit":"0x10"},
        "l2_gas":{"max_amount":"0x1000000","max_price_per_unit":"0x10"}},
    "paymaster_data":[],"account_deployment_data":[],
    "nonce_data_availability_mode":"L1","fee_data_availability_mode":"L1"}"#;

const L1_HANDLER: &str = r#"{"type":"L1_HANDLER","nonce":"0xbf2ea","paid_fee_on_l1":"0x1",
    "contract_address":"0x39dc79e64f4bb3289240f88e0bae7d21735bef0d1a51b2bf3c4730cb16983e1",
    "entry_point_selector":"0x2f15cff7b0eed8b9beb162696cf4e3e0e35fa7032af69cd1b7d2ac67a13f40f",
    "calldata":["0xbe3c44c09bc1a3566f3e1ca12e5aba0fa4ca72be","0x1","0x2"]}"#;

#[test]
fn a_block_is_read_with_its_defaults() {
    let block = block();
    let info = block.context.block_info();
    assert_eq!((info.block_number.0, info.block_timestamp.0, info.use_kzg_da), (1, 2, true));
    assert_eq!(info.gas_prices.strk_gas_prices.l2_gas_price.get().0, 16);
}

#[test]
fn malformed_blocks_are_rejected() {
    for (from, to) in [
        ("\"number\":1", "\"number\":-1"),
        ("\"number\":1", "\"height\":1"),
        ("\"wei\":\"1\"", "\"wei\":\"0\""),
        ("\"wei\":\"1\"", "\"wei\":\"0xg\""),
        ("0.14.4", "0.14.99"),
        ("0.14.4", "0.9.0"),
        ("\"0x2\"", "\"2\""),
        ("SN_SEPOLIA", ""),
    ] {
        let failure = Block::parse(&BLOCK.replacen(from, to, 1)).err().unwrap();
        assert_eq!(failure.kind, Kind::Input, "{from} {to}");
    }
}

#[test]
fn a_chain_id_is_a_short_string() {
    assert!(parse_chain_id(&"x".repeat(31)).is_ok());
    for text in ["", "ü", &"x".repeat(32)] {
        assert_eq!(parse_chain_id(text).unwrap_err().kind, Kind::Input);
    }
}

#[test]
fn an_l1_handler_has_its_known_hashes() {
    let handler = transaction(L1_HANDLER).unwrap();
    assert_eq!(handler.type_name(), "L1_HANDLER");
    assert!(handler.pays_in_wei() && handler.signature().0.is_empty());
    assert_eq!(
        hex(handler.hash.0),
        "0x1b24ea8dd9e0cb603043958b27a8569635ea13568883cc155130591b7ffe37a"
    );
    assert_eq!(
        handler.message_hash().as_deref(),
        Some("0x9e658ca0f2727a3b43d0ed8171321f8b85685f5085ca5b16514d5bcb7c8a7590")
    );
    let empty =
        L1_HANDLER.replace(r#"["0xbe3c44c09bc1a3566f3e1ca12e5aba0fa4ca72be","0x1","0x2"]"#, "[]");
    assert_eq!(transaction(&empty).err().unwrap().kind, Kind::Input);
}

#[test]
fn the_query_version_is_marked_and_hashed_apart() {
    let plain = transaction(INVOKE).unwrap();
    let query = INVOKE.replace("\"0x3\"", "\"0x100000000000000000000000000000003\"");
    let query = transaction(&query).unwrap();
    assert!(query.query && !plain.query);
    assert_ne!(query.hash, plain.hash);
    assert_eq!((plain.type_name(), plain.nonce()), ("INVOKE", Felt::ZERO));
}

#[test]
fn malformed_transactions_are_rejected() {
    for (from, to) in [
        ("\"0x3\"", "\"0x1\""),
        ("\"version\":\"0x3\",", ""),
        ("INVOKE", "DEPLOY"),
        ("INVOKE", "DECLARE"),
        ("\"nonce\":\"0x0\",", ""),
        ("\"L1\"", "\"L3\""),
    ] {
        let failure = transaction(&INVOKE.replacen(from, to, 1)).err().unwrap();
        assert_eq!(failure.kind, Kind::Input, "{from} {to}");
    }
}

#[test]
fn a_transaction_of_an_account_that_does_not_exist_is_rejected() {
    let mut session = Session::new(Arc::new(State::new(1, true, None)), 1, block());
    let run = session.run(&transaction(INVOKE).unwrap(), Flags::default()).unwrap();
    let Run::Rejected(error) = run else { panic!("it ran") };
    let report: serde_json::Value = serde_json::from_str(&rejection(&error).unwrap()).unwrap();
    assert_eq!(report["reason"], "balance", "{report}");
    let reads = initial_reads(&session.initial_reads().unwrap()).unwrap();
    assert!(reads.contains(r#""nonces":[{"contract_address":"0x123","nonce":"0x0"}]"#), "{reads}");
}

#[test]
fn a_call_of_a_contract_that_does_not_exist_fails() {
    let missing = Call {
        address: ContractAddress::try_from(Felt::from(9)).unwrap(),
        selector: EntryPointSelector(Felt::ONE),
        calldata: Vec::new(),
        caller: ContractAddress::default(),
    };
    let called = call(Arc::new(State::new(1, true, None)), 1, &block(), missing).unwrap();
    let report = call_report(&called, Vec::new()).unwrap();
    assert!(report.starts_with(r#"{"failure":{"message":"#), "{report}");
    assert!(report.contains("is not deployed"), "{report}");
}

#[test]
fn closing_writes_the_first_slot_of_the_next_version() {
    let key = Key::from(Felt::ONE);
    let first_write = Some(FirstWrite { address: key, key, value: Felt::TWO });
    let closing = Closing { block: block(), parent_hash: BlockHash(Felt::THREE), first_write };
    let closed = closing.close(&State::new(1, true, None), &[]).unwrap();
    assert_eq!((closed.latest.version, closed.next.version), (2, 2));
    assert_eq!(closed.latest.storage(key, key, 2), None);
    assert_eq!(closed.next.storage(key, key, 2), Some(Felt::TWO));
    let seal: serde_json::Value = serde_json::from_str(&closed.seal).unwrap();
    assert_eq!(
        (&seal["transaction_count"], &seal["transaction_commitment"]),
        (&0.into(), &"0x0".into())
    );
}

#[test]
fn a_block_hash_depends_on_its_parent() {
    let hash = |parent: u64| {
        let parent_hash = BlockHash(Felt::from(parent));
        let closing = Closing { block: block(), parent_hash, first_write: None };
        closing.close(&State::new(1, true, None), &[]).unwrap().seal
    };
    assert_eq!(hash(1), hash(1));
    assert_ne!(hash(1), hash(2));
}

#[test]
fn receipts_of_a_block_are_checked() {
    let receipt = |status: &str, amount: &str| {
        format!(
            r#"[{{"signature":[],"receipt":{{"transaction_hash":"0x1","actual_fee":{{"amount":"{amount}"}},
            "events":[],"messages_sent":[],"execution_status":"{status}",
            "execution_resources":{{"l1_gas":0,"l1_data_gas":0,"l2_gas":1}}}}}}]"#
        )
    };
    assert_eq!(parse_included(&receipt("SUCCEEDED", "0x5")).unwrap().len(), 1);
    assert_eq!(parse_included("[]").unwrap().len(), 0);
    for text in [
        receipt("PENDING", "0x5"),
        receipt("SUCCEEDED", "5"),
        receipt("SUCCEEDED", &format!("0x1{}", "0".repeat(32))),
        "{}".to_owned(),
    ] {
        assert_eq!(parse_included(&text).err().unwrap().kind, Kind::Input, "{text}");
    }
}
