//! Hashes, addresses, keys and signatures.

pub mod account;
pub mod hash;
pub mod poseidon;
