//! Hashes and addresses of contracts, storage variables and messages.

use sha3::{Digest, Keccak256};
use starknet_api::abi::abi_utils::{get_storage_var_address, starknet_keccak};
use starknet_api::core::{ClassHash, ContractAddress, calculate_contract_address};
use starknet_api::transaction::fields::{Calldata, ContractAddressSalt};
use starknet_types_core::felt::Felt;
use starknet_types_core::hash::{Blake2Felt252, Pedersen, Poseidon, StarkHash};

use crate::error::{Result, input};

pub fn pedersen(felts: &[Felt]) -> Felt {
    Pedersen::hash_array(felts)
}

pub fn pedersen_pair(left: Felt, right: Felt) -> Felt {
    Pedersen::hash(&left, &right)
}

pub fn poseidon(felts: &[Felt]) -> Felt {
    Poseidon::hash_array(felts)
}

pub fn blake(felts: &[Felt]) -> Felt {
    Blake2Felt252::hash_array(felts)
}

/// One round of the Poseidon permutation: what Cairo derives the slots of byte arrays from.
pub fn hades(mut state: [Felt; 3]) -> [Felt; 3] {
    Poseidon::hades_permutation(&mut state);
    state
}

pub fn keccak(bytes: &[u8]) -> Felt {
    starknet_keccak(bytes)
}

/// The slot of a storage variable, or of an entry of a map when keys are given.
pub fn storage_address(variable: &str, keys: &[Felt]) -> Result<Felt> {
    if !variable.is_ascii() || variable.is_empty() {
        return Err(input(format!("variable: {variable:?} is not an ASCII name")));
    }
    Ok(*get_storage_var_address(variable, keys).0.key())
}

pub fn contract_address(
    salt: Felt,
    class_hash: Felt,
    constructor_calldata: Vec<Felt>,
    deployer: ContractAddress,
) -> Result<Felt> {
    calculate_contract_address(
        ContractAddressSalt(salt),
        ClassHash(class_hash),
        &Calldata::from(constructor_calldata),
        deployer,
    )
    .map(|address| *address.0.key())
    .map_err(|error| input(format!("contract address: {error}")))
}

/// The hash by which a message to L1 is known on L1: Keccak over 32-byte words.
pub fn message_to_l1(from: Felt, to: Felt, payload: &[Felt]) -> String {
    let mut keccak = Keccak256::new();
    for word in [from, to, Felt::from(payload.len())].iter().chain(payload) {
        keccak.update(word.to_bytes_be());
    }
    let digest = keccak.finalize();
    digest.iter().fold(String::from("0x"), |text, byte| text + &format!("{byte:02x}"))
}
