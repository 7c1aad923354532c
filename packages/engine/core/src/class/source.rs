//! Source forms of a class: as compilers write it, and as the RPC carries it.

use std::borrow::Cow;
use std::io::Read;
use std::mem;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::read::GzDecoder;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use starknet_api::contract_class::SierraVersion;
use starknet_api::core::L2_ADDRESS_UPPER_BOUND;
use starknet_api::rpc_transaction::EntryPointByType;
use starknet_api::state::SierraContractClass;
use starknet_core::types::contract::legacy::LegacyContractClass;
use starknet_types_core::felt::Felt;
use starknet_types_core::hash::StarkHash;

use super::compression::unwritable;
use crate::crypto::poseidon::Poseidon;
use crate::error::{Failure, Kind, Result};

pub enum Source {
    Sierra(Box<SierraContractClass>),
    Cairo0(Box<LegacyContractClass>, String),
}

#[derive(Deserialize)]
struct Probe<'a> {
    #[serde(borrow)]
    sierra_program: Option<&'a RawValue>,
    #[serde(borrow)]
    program: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct SierraForm<'a> {
    sierra_program: Vec<Felt>,
    contract_class_version: String,
    entry_points_by_type: EntryPointByType,
    #[serde(borrow)]
    abi: Option<&'a RawValue>,
}

#[derive(Deserialize, Serialize)]
struct LegacyForm<'a> {
    #[serde(borrow)]
    program: &'a RawValue,
    #[serde(borrow)]
    entry_points_by_type: &'a RawValue,
    #[serde(borrow, default = "no_abi")]
    abi: &'a RawValue,
}

fn no_abi() -> &'static RawValue {
    static NONE: LazyLock<Box<RawValue>> =
        LazyLock::new(|| RawValue::from_string("[]".to_owned()).unwrap_or_default());
    &NONE
}

pub fn read(text: &str) -> Result<Source> {
    let unreadable =
        |error: serde_json::Error| Failure::new(Kind::Class, format!("class: {error}"));
    let probe: Probe = serde_json::from_str(text).map_err(unreadable)?;
    match (probe.sierra_program, probe.program) {
        (Some(_), None) => {
            let form: SierraForm = serde_json::from_str(text).map_err(unreadable)?;
            if form.sierra_program.is_empty() {
                return Err(Failure::new(Kind::Class, "class: the Sierra program is empty"));
            }
            let version = &form.contract_class_version;
            if version.parse::<SierraVersion>().is_err() {
                let message = format!("class: contract_class_version {version:?} is not a.b.c");
                return Err(Failure::new(Kind::Class, message));
            }
            Ok(Source::Sierra(Box::new(SierraContractClass {
                abi: form.abi.map(abi_text).transpose()?.unwrap_or_default(),
                sierra_program: form.sierra_program,
                contract_class_version: form.contract_class_version,
                entry_points_by_type: form.entry_points_by_type,
            })))
        }
        (None, Some(program)) => {
            let form: LegacyForm = serde_json::from_str(text).map_err(unreadable)?;
            let program = match program.get() {
                packed if packed.starts_with('"') => Cow::Owned(unpack_program(packed)?),
                plain => Cow::Borrowed(plain),
            };
            // Neither run nor hashed, and some tools write an empty list for none.
            let mut parts: IndexMap<&str, &RawValue> =
                serde_json::from_str(&program).map_err(unreadable)?;
            parts.shift_remove("debug_info");
            let program = serde_json::value::to_raw_value(&parts).map_err(unwritable)?;
            let plain = serde_json::to_string(&LegacyForm { program: &program, ..form })
                .map_err(unwritable)?;
            let class: LegacyContractClass = serde_json::from_str(&plain).map_err(unreadable)?;
            Ok(Source::Cairo0(Box::new(class), plain))
        }
        _ => Err(Failure::new(
            Kind::Class,
            "class: neither Sierra (`sierra_program`) nor Cairo 0 (`program`)",
        )),
    }
}

/// The wire form of a Cairo 0 program: a base64 string of gzipped JSON.
fn unpack_program(quoted: &str) -> Result<String> {
    const MOST: u64 = 256 << 20;
    let bad = |what: &str| Failure::new(Kind::Class, format!("class: `program` {what}"));
    let packed: String = serde_json::from_str(quoted).map_err(|_| bad("is not a string"))?;
    let gzip = BASE64.decode(packed).map_err(|_| bad("is not base64"))?;
    let mut text = String::new();
    GzDecoder::new(&gzip[..])
        .take(MOST)
        .read_to_string(&mut text)
        .map_err(|_| bad("is not gzipped JSON"))?;
    Ok(text)
}

/// The hash of a Sierra class. The ABI in it is a text, and clients hash it with one space after
/// commas and colons whatever they send, so spaces do not count.
pub fn sierra_hash(class: &mut SierraContractClass) -> Felt {
    if !class.abi.starts_with('[') {
        return class_hash(class);
    }
    let hashed = spaced(&class.abi, false);
    let original = mem::replace(&mut class.abi, hashed);
    let hash = class_hash(class);
    class.abi = original;
    hash
}

/// As `calculate_class_hash`, which hashes the program with the published Poseidon: that takes most of the time.
fn class_hash(class: &mut SierraContractClass) -> Felt {
    let program = mem::take(&mut class.sierra_program);
    let mut components = class.get_component_hashes();
    components.sierra_program_hash = Poseidon::hash_array(&program);
    class.sierra_program = program;
    Poseidon::hash_array(&components.flatten()).mod_floor(&L2_ADDRESS_UPPER_BOUND)
}

/// An ABI is kept as text. A string is taken as it is; a list becomes the text that compilers
/// write: one space after commas and colons, everything outside ASCII escaped.
fn abi_text(raw: &RawValue) -> Result<String> {
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'"') => serde_json::from_str(text)
            .map_err(|error| Failure::new(Kind::Class, format!("abi: {error}"))),
        Some(b'[') => Ok(spaced(text, true)),
        Some(b'n') => Ok(String::new()),
        _ => Err(Failure::new(Kind::Class, "abi: neither a string nor a list")),
    }
}

fn spaced(json: &str, ascii: bool) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 8);
    let (mut in_string, mut escaped) = (false, false);
    for c in json.chars() {
        if in_string {
            if c.is_ascii() || !ascii {
                out.push(c);
            } else {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if !c.is_ascii_whitespace() {
            out.push(c);
            in_string = c == '"';
            if c == ',' || c == ':' {
                out.push(' ');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sierra(program: &str, version: &str, abi: &str) -> String {
        format!(
            r#"{{"sierra_program":{program},"contract_class_version":"{version}","abi":{abi},
            "entry_points_by_type":{{"EXTERNAL":[],"L1_HANDLER":[],"CONSTRUCTOR":[]}}}}"#
        )
    }

    fn read_sierra(abi: &str) -> Box<SierraContractClass> {
        match read(&sierra(r#"["0x1"]"#, "0.1.0", abi)).unwrap() {
            Source::Sierra(class) => class,
            Source::Cairo0(..) => panic!("this is Sierra"),
        }
    }

    #[test]
    fn an_abi_is_a_string_a_list_or_missing() {
        assert_eq!(read_sierra(r#""[1,2]""#).abi, "[1,2]");
        assert_eq!(read_sierra(r#"[{"a":1,"b" :[]}]"#).abi, r#"[{"a": 1, "b": []}]"#);
        assert_eq!(read_sierra("null").abi, "");
    }

    #[test]
    fn the_class_hash_is_that_of_the_protocol() {
        for program in [r#"["0x1"]"#, r#"["0x1","0x7"]"#, r#"["0x1","0x7","0x0"]"#] {
            let text = sierra(program, "0.1.0", r#""[1, 2]""#);
            let Source::Sierra(mut class) = read(&text).unwrap() else { panic!("this is Sierra") };
            let before = class.clone();
            assert_eq!(sierra_hash(&mut class), before.calculate_class_hash().0);
            assert_eq!(class, before);
        }
    }

    #[test]
    fn a_list_becomes_the_text_that_compilers_write() {
        assert_eq!(read_sierra(r#"["a , b\" : ü"]"#).abi, r#"["a , b\" : \u00fc"]"#);
        assert_eq!(read_sierra(r#"["😀"]"#).abi, r#"["\ud83d\ude00"]"#);
    }

    #[test]
    fn spaces_in_an_abi_do_not_change_the_hash() {
        let hashes = [r#""[1,2]""#, r#""[1, 2]""#, r#""[ 1,\n2 ]""#, "[1,2]"]
            .map(|abi| sierra_hash(&mut read_sierra(abi)));
        assert!(hashes.iter().all(|hash| *hash == hashes[0]));
        assert_ne!(sierra_hash(&mut read_sierra(r#""[1,3]""#)), hashes[0]);
        let mut class = read_sierra(r#""[1,2]""#);
        sierra_hash(&mut class);
        assert_eq!(class.abi, "[1,2]");
    }

    #[test]
    fn malformed_classes_are_rejected() {
        for text in [
            "",
            "[]",
            "{}",
            r#"{"program":{},"sierra_program":[]}"#,
            r#"{"program":"not base64","entry_points_by_type":{}}"#,
            r#"{"program":"aGVsbG8=","entry_points_by_type":{}}"#,
            &sierra("[]", "0.1.0", "null"),
            &sierra(r#"["0x1"]"#, "one", "null"),
            &sierra(r#"["0x1"]"#, "0.1.0", "1"),
            &sierra(r#"["x"]"#, "0.1.0", "null"),
        ] {
            let failure = read(text).err().unwrap();
            assert_eq!(failure.kind, Kind::Class, "{text}");
        }
    }
}
