//! Packed classes: one byte string per class, whose code is parsed on first use.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use starknet_api::contract_class::SierraVersion;
use starknet_types_core::felt::Felt;

use super::compression::unwritable;
use super::contract_class::{Class, intern};
use crate::error::{Failure, Kind, Result};

#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
    hash: Felt,
    compiled_hash: Option<Felt>,
    sierra_version: Option<String>,
    sierra_felts: usize,
    bytecode_felts: usize,
    abi_bytes: usize,
    wire_bytes: usize,
}

const FORMAT: u32 = 1;

impl Class {
    /// The length of a header, the header, the class as the RPC shows it, and its CASM.
    pub fn pack(&self) -> Result<Vec<u8>> {
        let header = serde_json::to_vec(&Header {
            format: FORMAT,
            hash: self.hash,
            compiled_hash: self.compiled_hash,
            sierra_version: self.sierra_version.as_ref().map(ToString::to_string),
            sierra_felts: self.sierra_felts,
            bytecode_felts: self.bytecode_felts,
            abi_bytes: self.abi_bytes,
            wire_bytes: self.wire.len(),
        })
        .map_err(unwritable)?;
        let mut out = (header.len() as u32).to_le_bytes().to_vec();
        out.extend(header);
        out.extend_from_slice(&self.wire);
        out.extend_from_slice(self.casm.as_deref().unwrap_or_default());
        Ok(out)
    }

    /// Reads what `pack` wrote. Hashes are trusted, not computed again.
    pub fn unpack(bytes: &[u8]) -> Result<Arc<Class>> {
        let broken = || Failure::new(Kind::Class, "these bytes are not a packed class");
        let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(broken)?;
        let (header, rest) =
            rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(broken)?;
        let header: Header = serde_json::from_slice(header).map_err(|_| broken())?;
        if header.format != FORMAT {
            return Err(Failure::new(Kind::Class, "the class was packed by another version"));
        }
        let sizes = [header.sierra_felts, header.bytecode_felts, header.abi_bytes];
        if sizes.iter().any(|size| u32::try_from(*size).is_err()) {
            return Err(broken());
        }
        let (wire, casm) = rest.split_at_checked(header.wire_bytes).ok_or_else(broken)?;
        let sierra_version: Option<SierraVersion> = match &header.sierra_version {
            Some(version) => Some(version.parse().map_err(|_| broken())?),
            None => None,
        };
        Ok(intern(Class {
            hash: header.hash,
            runnable: OnceLock::new(),
            compiled_hash: header.compiled_hash,
            compiled_hash_poseidon: OnceLock::new(),
            statements: OnceLock::new(),
            casm: sierra_version.as_ref().map(|_| casm.into()),
            sierra_version,
            sierra_felts: header.sierra_felts,
            bytecode_felts: header.bytecode_felts,
            abi_bytes: header.abi_bytes,
            wire: wire.into(),
            // Chains keep the CASM of images too.
            is_own: AtomicBool::new(header.sierra_version.is_none()),
        }))
    }
}
