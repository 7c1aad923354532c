//! Felts, keys, addresses, and what is computed from them.

use starknet_types_core::felt::Felt;

use starkbox_engine_core::crypto::{account, hash};
use starkbox_engine_core::error::Kind;
use starkbox_engine_core::felt::{hex, parse, parse_address, parse_all, parse_key};

/// 2^251 + 17·2^192 + 1, in 64 digits.
const PRIME: &str = "0800000000000011000000000000000000000000000000000000000000000001";

/// The same rule, by comparing texts.
fn canonical(text: &str) -> Option<String> {
    let digits = text.strip_prefix("0x")?.to_ascii_lowercase();
    let is_hex = digits.chars().all(|digit| matches!(digit, '0'..='9' | 'a'..='f'));
    if digits.is_empty()
        || digits.len() > 64
        || !is_hex
        || format!("{digits:0>64}").as_str() >= PRIME
    {
        return None;
    }
    let short = digits.trim_start_matches('0');
    Some(format!("0x{}", if short.is_empty() { "0" } else { short }))
}

pub fn take(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for line in &lines {
        let felt = parse("felt", line);
        // Messages quote a part: each of its characters takes up to 10 bytes in Rust's notation.
        assert!(felt.as_ref().err().is_none_or(|failure| failure.message.len() < 1000));
        let felt = super::taken(felt, &[Kind::Input]);
        assert_eq!(felt.map(hex), canonical(line));
        let below = felt.filter(|felt| felt.to_bytes_be()[0] < 8);
        let address = super::taken(parse_address("address", line), &[Kind::Input]);
        assert_eq!(address.map(|address| *address.0.key()), below);
        let key = super::taken(parse_key("key", line), &[Kind::Input]);
        assert_eq!(key.map(|key| *key.0.key()), below);
    }
    super::taken(
        hash::storage_address(lines.first().map_or("", String::as_str), &[]),
        &[Kind::Input],
    );
    let _ = hash::keccak(input);
    let Some(felts) = super::taken(parse_all("felts", &lines), &[Kind::Input]) else { return };
    if felts.len() > 8 {
        return;
    }
    let at = |index: usize| felts.get(index).copied().unwrap_or_default();
    let _ = (hash::pedersen(&felts), hash::poseidon(&felts), hash::blake(&felts));
    let _ = (hash::pedersen_pair(at(0), at(1)), hash::hades([at(0), at(1), at(2)]));
    let _ = hash::message_to_l1(at(0), at(1), &felts);
    if let Ok(deployer) = parse_address("deployer", &hex(at(2))) {
        let made = hash::contract_address(at(0), at(1), felts.clone(), deployer);
        super::taken(made, &[Kind::Input]);
    }
    super::taken(account::public_key(at(0)), &[Kind::Input]);
    if let Some([r, s]) = super::taken(account::sign(at(0), at(1)), &[Kind::Input]) {
        assert!(r != Felt::ZERO && s != Felt::ZERO);
    }
}
