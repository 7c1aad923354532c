//! Hashes, addresses, keys and signatures.

use napi_derive::napi;
use starknet_types_core::felt::Felt;

use super::arguments::at_most;
use super::error::Result;
use starkbox_engine_core::crypto::{account, hash};
use starkbox_engine_core::error::input;
use starkbox_engine_core::felt::{hex, parse, parse_address, parse_all};

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
pub fn private_keys(seed: u32, count: u32) -> Result<Vec<String>> {
    let count = at_most("count", count, 1_000_000)?;
    Ok(account::private_keys(seed, count).into_iter().map(hex).collect())
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
