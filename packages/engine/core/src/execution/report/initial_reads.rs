//! What an execution read from the state, as the RPC writes it.

use blockifier::state::cached_state::StateMaps;
use serde::Serialize;

use crate::error::Result;
use crate::felt::Hex;
use crate::json::to_json;

#[derive(Serialize)]
struct StorageRead {
    contract_address: Hex,
    key: Hex,
    value: Hex,
}
#[derive(Serialize)]
struct NonceRead {
    contract_address: Hex,
    nonce: Hex,
}
#[derive(Serialize)]
struct ClassHashRead {
    contract_address: Hex,
    class_hash: Hex,
}
#[derive(Serialize)]
struct DeclaredRead {
    class_hash: Hex,
    is_declared: bool,
}
#[derive(Serialize)]
struct Reads {
    storage: Vec<StorageRead>,
    nonces: Vec<NonceRead>,
    class_hashes: Vec<ClassHashRead>,
    declared_contracts: Vec<DeclaredRead>,
}

pub fn initial_reads(maps: &StateMaps) -> Result<String> {
    let mut storage: Vec<_> = maps.storage.iter().collect();
    storage.sort_by_key(|(slot, _)| **slot);
    let mut nonces: Vec<_> = maps.nonces.iter().collect();
    nonces.sort_by_key(|(address, _)| **address);
    let mut class_hashes: Vec<_> = maps.class_hashes.iter().collect();
    class_hashes.sort_by_key(|(address, _)| **address);
    let mut declared: Vec<_> = maps.declared_contracts.iter().collect();
    declared.sort_by_key(|(hash, _)| **hash);
    to_json(&Reads {
        storage: storage
            .into_iter()
            .map(|((address, key), value)| StorageRead {
                contract_address: Hex(*address.0.key()),
                key: Hex(*key.0.key()),
                value: Hex(*value),
            })
            .collect(),
        nonces: nonces
            .into_iter()
            .map(|(address, nonce)| NonceRead {
                contract_address: Hex(*address.0.key()),
                nonce: Hex(nonce.0),
            })
            .collect(),
        class_hashes: class_hashes
            .into_iter()
            .map(|(address, hash)| ClassHashRead {
                contract_address: Hex(*address.0.key()),
                class_hash: Hex(hash.0),
            })
            .collect(),
        declared_contracts: declared
            .into_iter()
            .map(|(hash, declared)| DeclaredRead {
                class_hash: Hex(hash.0),
                is_declared: *declared,
            })
            .collect(),
    })
}
