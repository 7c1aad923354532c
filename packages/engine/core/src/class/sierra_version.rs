//! Sierra versions that the pinned compiler accepts.

use starknet_api::contract_class::SierraVersion;
use starknet_types_core::felt::Felt;

use super::compiler;
use crate::error::{Failure, Kind, Result};

pub(super) fn sierra_version(program: &[Felt]) -> Result<SierraVersion> {
    let newest = compiler::newest_sierra();
    let refuse = |version: String, advice: &str| {
        Failure::new(
            Kind::SierraVersion,
            format!("Sierra {version} is not read by compiler {}: {advice}", compiler::version()),
        )
    };
    let old = "it is too old; build the contract with a current compiler, or convert it with \
               universal-sierra-compiler";
    if program.first().is_some_and(|first| is_version_text(*first)) {
        return Err(refuse("0.1.0".into(), old));
    }
    match SierraVersion::extract_from_program(program) {
        Err(_) => Err(refuse("of an unknown version".into(), old)),
        Ok(version) if version < SierraVersion::new(1, 0, 0) => {
            Err(refuse(version.to_string(), old))
        }
        Ok(version) if version.major > newest.major || version.minor > newest.minor => {
            let advice = format!("it is newer than {newest}; build with an older compiler");
            Err(refuse(version.to_string(), &advice))
        }
        Ok(version) => Ok(version),
    }
}

/// The first Sierra wrote its version as one short string.
fn is_version_text(felt: Felt) -> bool {
    let bytes = felt.to_bytes_be();
    let text: Vec<u8> = bytes.into_iter().skip_while(|byte| *byte == 0).collect();
    text.len() >= 5 && text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(program: &[u64]) -> Result<SierraVersion> {
        let program: Vec<_> = program.iter().map(|felt| Felt::from(*felt)).collect();
        sierra_version(&program)
    }

    #[test]
    fn versions_from_one_to_the_newest_are_read() {
        assert_eq!(version(&[1, 0, 0]).unwrap(), SierraVersion::new(1, 0, 0));
        let newest = compiler::newest_sierra();
        assert_eq!(version(&[newest.major, newest.minor, 99]).unwrap().minor, newest.minor);
    }

    #[test]
    fn newer_versions_are_rejected() {
        let newest = compiler::newest_sierra();
        let failure = version(&[newest.major, newest.minor + 1, 0]).unwrap_err();
        assert_eq!(failure.kind, Kind::SierraVersion);
        assert!(failure.message.contains(&format!("newer than {newest}")), "{failure}");
        assert!(version(&[newest.major + 1, 0, 0]).is_err());
    }

    #[test]
    fn old_and_unknown_versions_are_rejected() {
        // "0.1.0" as a short string.
        let text = u64::from_be_bytes(*b"\0\0\x000.1.0");
        for program in [&[text, 0, 0][..], &[0, 9, 0], &[1], &[]] {
            let failure = version(program).unwrap_err();
            assert_eq!(failure.kind, Kind::SierraVersion, "{program:?}");
            assert!(failure.message.contains("too old"), "{failure}");
        }
    }
}
