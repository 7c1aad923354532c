//! Hashes and addresses of contracts, storage variables and messages.

use sha3::{Digest, Keccak256};
use starknet_api::abi::abi_utils::{get_storage_var_address, starknet_keccak};
use starknet_api::core::{ClassHash, ContractAddress, calculate_contract_address};
use starknet_api::transaction::fields::{Calldata, ContractAddressSalt};
use starknet_types_core::felt::Felt;
use starknet_types_core::hash::{Blake2Felt252, Pedersen, StarkHash};

use super::poseidon::Poseidon;
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
pub fn hades(state: [Felt; 3]) -> [Felt; 3] {
    Poseidon::permutation(state)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::felt::hex;

    fn felt(text: &str) -> Felt {
        crate::felt::parse("felt", text).unwrap()
    }

    #[test]
    fn pedersen_has_the_vector_of_the_specification() {
        let left = felt("0x3d937c035c878245caf64531a5756109c53068da139362728feb561405371cb");
        let right = felt("0x208a0a10250e382e1e4bbe2880906c2791bf6275695e02fbbc6aeff9cd8b31a");
        assert_eq!(
            hex(pedersen_pair(left, right)),
            "0x30e480bed5fe53fa909cc0f8c4d99b8f9f2c016be4c41e13a4848797979c662"
        );
        let empty = pedersen_pair(Felt::ZERO, Felt::ZERO);
        assert_eq!(pedersen(&[]), empty);
    }

    #[test]
    fn poseidon_is_one_permutation_for_one_felt() {
        let [first, ..] = hades([Felt::from(5) + Felt::ZERO, Felt::ONE, Felt::ZERO]);
        assert_eq!(poseidon(&[Felt::from(5)]), first);
    }

    #[test]
    fn blake_has_the_configuration_hash_of_sepolia() {
        let config = [
            felt("0x537461726b6e65744f73436f6e66696734"),
            felt("0x534e5f5345504f4c4941"),
            felt("0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d"),
        ];
        assert_eq!(
            hex(blake(&config)),
            "0x57ed4d5e20d617d8cc087a5882eae4f71d005172326be6439b2e1fd8b4dc57"
        );
    }

    #[test]
    fn keccak_gives_the_selector_of_transfer() {
        assert_eq!(
            hex(keccak(b"transfer")),
            "0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e"
        );
    }

    #[test]
    fn slots_of_variables_and_map_entries_are_known() {
        assert_eq!(
            hex(storage_address("Account_public_key", &[]).unwrap()),
            "0x1379ac0624b939ceb9dede92211d7db5ee174fe28be72245b0a1a2abd81c98f"
        );
        let id = felt("0x2ceccef7f994940b3962a6c67e0ba4fcd37df7d131417c604f91e03caecc1cd");
        assert_eq!(
            hex(storage_address("SRC5_supported_interfaces", &[id]).unwrap()),
            "0x7e79bbb6be5d418acd50c88b675e697f6f7094e203c9d7e29c6ad6731f931dd"
        );
    }

    #[test]
    fn a_variable_has_an_ascii_name() {
        assert!(storage_address("", &[]).is_err());
        assert!(storage_address("größe", &[]).is_err());
    }

    #[test]
    fn a_message_to_l1_has_its_known_hash() {
        let from = felt("0x4db0679c568e6a9df6f21da9e243772853d6714b12b6b79c0551d9ea12ef91a");
        let to = felt("0xc662c410c0ecf747543f5ba90660f6abebd9c8c4");
        assert_eq!(
            message_to_l1(from, to, &[Felt::ZERO, Felt::ONE, Felt::ONE]),
            "0xac5356289f98e5012f8efcabb9f7ad3adaa43f81ac47b6311d2c23ca01590bd0"
        );
    }

    #[test]
    fn an_address_depends_on_each_part() {
        let address = |salt: u64, class: u64, calldata: &[Felt], deployer: u64| {
            let deployer = ContractAddress::try_from(Felt::from(deployer)).unwrap();
            contract_address(Felt::from(salt), Felt::from(class), calldata.to_vec(), deployer)
                .unwrap()
        };
        let first = address(1, 2, &[Felt::ONE], 3);
        assert_eq!(address(1, 2, &[Felt::ONE], 3), first);
        for other in [
            address(2, 2, &[Felt::ONE], 3),
            address(1, 3, &[Felt::ONE], 3),
            address(1, 2, &[], 3),
            address(1, 2, &[Felt::ONE], 4),
        ] {
            assert_ne!(other, first);
        }
    }
}
