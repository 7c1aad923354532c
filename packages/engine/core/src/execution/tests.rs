//! Tests of blocks, transactions, calls and closing on states without contracts, and of weights beside the sequencer's
//! own executor.

use std::sync::Arc;

use blockifier::blockifier::config::TransactionExecutorConfig;
use blockifier::blockifier::transaction_executor::{TransactionExecutor, TransactionExecutorError};
use blockifier::bouncer::{BouncerConfig, BouncerWeights};
use blockifier::context::BlockContext;
use blockifier::state::cached_state::CachedState;
use starknet_api::abi::abi_utils::{get_storage_var_address, selector_from_name};
use starknet_api::block::BlockHash;
use starknet_api::core::{ContractAddress, EntryPointSelector};
use starknet_api::execution_resources::GasAmount;
use starknet_types_core::felt::Felt;

use super::report::{call_report, initial_reads, rejection};
use super::{
    Admission, Block, BlockWeights, Call, Closing, Figures, FirstWrite, Flags, Reader, Run,
    Session, Transaction, call, parse_chain_id, parse_included,
};
use crate::class::Class;
use crate::error::{Kind, Result};
use crate::felt::{Key, hex};
use crate::state::{Changes, State};

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

const TOKEN: &str = "0x57";
const ALICE: &str = "0xa1";
const BOB: &str = "0xb0b";

fn packed(bytes: &[u8]) -> Arc<Class> {
    Class::unpack(bytes).unwrap()
}

fn account_class() -> Arc<Class> {
    packed(include_bytes!("../../../classes/account.class"))
}

fn felt(text: &str) -> Felt {
    Felt::from_hex_unchecked(text)
}

/// Two accounts, and the token that they and a third address have.
fn funded_state(third: Felt) -> State {
    let token = packed(include_bytes!("../../../classes/strk.class"));
    let mut changes = Changes::default();
    for account in [felt(ALICE), felt(BOB)] {
        changes.class_hashes.insert(account.into(), account_class().hash);
    }
    changes.class_hashes.insert(felt(TOKEN).into(), token.hash);
    let balances = changes.storage.entry(felt(TOKEN).into()).or_default();
    for holder in [felt(ALICE), felt(BOB), third] {
        let slot = get_storage_var_address("ERC20_balances", &[holder]);
        balances.insert(slot.into(), Felt::from(10u64.pow(18)));
    }
    changes.classes = vec![account_class(), token];
    State::new(1, true, None).apply(&changes).unwrap()
}

fn transfer(sender: &str, nonce: u64, receiver: &str, amount: &str) -> Transaction {
    let selector = hex(selector_from_name("transfer").0);
    let calldata = format!(r#"["0x1","{TOKEN}","{selector}","0x3","{receiver}","{amount}","0x0"]"#);
    let text = INVOKE
        .replace("\"0x123\"", &format!("\"{sender}\""))
        .replace("[\"0x1\"]", &calldata)
        .replace("\"nonce\":\"0x0\"", &format!("\"nonce\":\"{nonce:#x}\""))
        .replace("0x1000000", "0x10000000");
    transaction(&text).unwrap()
}

fn deployment() -> Transaction {
    let class_hash = hex(account_class().hash);
    let text = INVOKE
        .replace("\"INVOKE\"", "\"DEPLOY_ACCOUNT\"")
        .replace("\"sender_address\":\"0x123\",", "")
        .replace("\"account_deployment_data\":[],", "")
        .replace(
            "\"calldata\":[\"0x1\"]",
            &format!(
                r#""class_hash":"{class_hash}","contract_address_salt":"0x1","constructor_calldata":["0x5"]"#
            ),
        )
        .replace("0x1000000", "0x10000000");
    transaction(&text).unwrap()
}

fn declaration(nonce: u64) -> Transaction {
    let class = packed(include_bytes!("../../../classes/udc.class"));
    let compiled = hex(class.compiled_hash.unwrap());
    let text = INVOKE
        .replace("\"INVOKE\"", "\"DECLARE\"")
        .replace("\"0x123\"", &format!("\"{ALICE}\""))
        .replace("\"calldata\":[\"0x1\"]", &format!(r#""compiled_class_hash":"{compiled}""#))
        .replace("\"nonce\":\"0x0\"", &format!("\"nonce\":\"{nonce:#x}\""))
        .replace("0x1000000", "0x100000000");
    Transaction::parse(&text, &parse_chain_id("SN_SEPOLIA").unwrap(), Some(class)).unwrap()
}

/// A block whose bouncer has this capacity.
fn block_of(capacity: BouncerWeights) -> Block {
    let block = Block::parse(&BLOCK.replace("\"strk\":\"0x1\"", "\"strk\":\"0x57\"")).unwrap();
    // Declared classes are executed without the check of their hash.
    let context = block.without_class_check();
    let context = BlockContext::new(
        context.block_info().clone(),
        context.chain_info().clone(),
        context.versioned_constants().clone(),
        BouncerConfig { block_max_capacity: capacity, ..BouncerConfig::default() },
    );
    Block { context: Arc::new(context) }
}

/// Executes transactions by the sequencer's executor and by ours, and compares the weights after each. Returns the
/// weights of the block, and for each transaction the exceeded weights.
fn filled(
    capacity: BouncerWeights,
    transactions: &[Transaction],
) -> (BlockWeights, Vec<Vec<&'static str>>) {
    let flags = Flags { validate: false, ..Flags::default() };
    let block = Arc::new(block_of(capacity));
    let mut state = Arc::new(funded_state(*deployment().address.0.key()));
    let mut sequencer = TransactionExecutor::new(
        CachedState::new(Reader::new(state.clone(), 1)),
        (*block.context).clone(),
        TransactionExecutorConfig::default(),
    );
    let mut weights = BlockWeights::default();
    let mut exceeded_by_each = Vec::new();
    for transaction in transactions {
        let expected = sequencer.execute(&transaction.executable(flags).unwrap());
        let mut session = Session::new(state.clone(), 1, block.clone());
        let run = session.run(transaction, flags).unwrap();
        let Run::Executed(run) = run else { panic!("{} was rejected", transaction.type_name()) };
        match session.admit(&run, &weights, Figures::from(capacity)).unwrap() {
            Admission::Fits(next) => {
                let (info, _) = expected.unwrap();
                assert_eq!(info.receipt, run.info.receipt);
                state = Arc::new(state.apply(&run.changes).unwrap());
                weights = next;
                exceeded_by_each.push(Vec::new());
            }
            Admission::Full { exceeded, .. } => {
                assert!(matches!(expected, Err(TransactionExecutorError::BlockFull)));
                exceeded_by_each.push(exceeded);
            }
        }
        let bouncer = sequencer.bouncer.lock().unwrap();
        assert_eq!(weights.figures, Figures::from(*bouncer.get_bouncer_weights()));
    }
    (weights, exceeded_by_each)
}

#[test]
fn weights_of_a_block_are_as_the_bouncer_counts_them() {
    let transactions = [
        transfer(ALICE, 0, "0xc1", "0x1"),
        transfer(ALICE, 1, "0xc1", "0x1"),
        transfer(BOB, 0, "0xc2", "0x1"),
        // Reverts.
        transfer(ALICE, 2, "0xc3", "0xffffffffffffffff"),
        deployment(),
        declaration(3),
        transfer(ALICE, 4, BOB, "0x1"),
    ];
    let (weights, exceeded) = filled(BouncerWeights::default(), &transactions);
    assert!(exceeded.iter().all(Vec::is_empty));
    assert_eq!(weights.figures.0[3], 7);
    let text = weights.to_text().unwrap();
    assert_eq!(BlockWeights::parse(&text).unwrap(), weights);
}

#[test]
fn a_block_is_full_where_the_bouncer_says_so() {
    let transactions = [
        transfer(ALICE, 0, "0xc1", "0x1"),
        transfer(ALICE, 1, "0xc2", "0x1"),
        transfer(BOB, 0, "0xc3", "0x1"),
    ];
    let default = BouncerWeights::default();
    let Figures([_, _, n_events, n_txs, state_diff_size, sierra_gas, _, receipt_l2_gas]) =
        filled(default, &transactions[..2]).0.figures;
    let state_diff_size = state_diff_size as usize;
    for (name, capacity) in [
        ("n_events", BouncerWeights { n_events: n_events as usize, ..default }),
        ("n_txs", BouncerWeights { n_txs: n_txs as usize, ..default }),
        ("state_diff_size", BouncerWeights { state_diff_size, ..default }),
        ("sierra_gas", BouncerWeights { sierra_gas: GasAmount(sierra_gas), ..default }),
        ("receipt_l2_gas", BouncerWeights { receipt_l2_gas: GasAmount(receipt_l2_gas), ..default }),
    ] {
        let (weights, exceeded) = filled(capacity, &transactions);
        assert_eq!(exceeded, [vec![], vec![], vec![name]]);
        assert_eq!(weights.figures.0[3], 2);
    }
}

#[test]
fn a_full_block_has_room_for_what_changes_nothing_more() {
    let size = |transactions: &[Transaction]| {
        filled(BouncerWeights::default(), transactions).0.figures.0[4] as usize
    };
    let state_diff_size = size(&[transfer(ALICE, 0, "0xc1", "0x1")]);
    let transactions = [
        transfer(ALICE, 0, "0xc1", "0x1"),
        transfer(ALICE, 1, "0xc2", "0x1"),
        transfer(ALICE, 1, "0xc1", "0x1"),
    ];
    let capacity = BouncerWeights { state_diff_size, ..BouncerWeights::default() };
    let (weights, exceeded) = filled(capacity, &transactions);
    assert_eq!(exceeded, [vec![], vec!["state_diff_size"], vec![]]);
    assert_eq!(weights.figures.0[4] as usize, state_diff_size);
}
