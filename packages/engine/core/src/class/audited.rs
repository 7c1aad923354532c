//! Check of a Sierra program against the pinned compiler's list of audited libfuncs.

use cairo_lang_starknet_classes::allowed_libfuncs::{
    AllowedLibfuncsError, BUILTIN_AUDITED_LIBFUNCS_LIST, ListSelector,
};
use cairo_lang_starknet_classes::contract_class::ContractClass;

use super::compiler::program_text;
use super::contract_class::Class;
use super::source::{Source, read};
use crate::error::{Failure, Kind, Result, catch_panic_as};

/// A libfunc that networks refuse.
pub struct UnauditedLibfunc {
    pub name: String,
    /// The Sierra version from which it is audited; none if it is not on the list.
    pub audited_since: Option<String>,
}

impl Class {
    /// The first libfunc that is not audited for the Sierra version of the class. Only for a class
    /// that compiled: the compiler's process has bounded what its program unpacks to.
    pub fn unaudited_libfunc(&self) -> Result<Option<UnauditedLibfunc>> {
        catch_panic_as(Kind::Class, "the class is broken", || {
            let Source::Sierra(class) = read(&self.wire_text()?)? else { return Ok(None) };
            let broken = |reason: String| Failure::new(Kind::Class, reason);
            let class: ContractClass = serde_json::from_slice(&program_text(&class)?)
                .map_err(|error| broken(error.to_string()))?;
            let program =
                class.extract_sierra_program(false).map_err(|error| broken(error.to_string()))?;
            let audited = ListSelector::ListName(BUILTIN_AUDITED_LIBFUNCS_LIST.to_owned());
            match program.validate_version_compatible(audited) {
                Ok(()) => Ok(None),
                Err(AllowedLibfuncsError::UnsupportedLibfunc { invalid_libfunc: name, .. }) => {
                    Ok(Some(UnauditedLibfunc { name, audited_since: None }))
                }
                Err(AllowedLibfuncsError::UnsupportedLibfuncAtVersion {
                    invalid_libfunc: name,
                    required_version,
                    ..
                }) => Ok(Some(UnauditedLibfunc {
                    name,
                    audited_since: Some(required_version.to_string()),
                })),
                Err(error) => Err(broken(error.to_string())),
            }
        })
    }
}
