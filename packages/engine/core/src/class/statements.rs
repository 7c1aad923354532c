//! Which Sierra statement each part of a class's bytecode was compiled from.

use std::sync::Arc;

use super::checksum::checksum;
use super::compiler::{self, Output};
use super::contract_class::Class;
use super::limits::Limits;
use super::source::{Source, read};
use super::statement_map::{Hints, Statements};
use crate::error::{Failure, Kind, Result};

impl Class {
    /// Where its code allocates and calls the system.
    pub fn hints(&self) -> Result<Hints> {
        let mut offsets = Hints::default();
        for (offset, hints) in self.parsed_casm()?.hints {
            let names: Vec<_> = hints.iter().map(|hint| hint.representing_string()).collect();
            if names.iter().any(|name| name.contains("AllocSegment")) {
                offsets.allocations.push(offset);
            }
            if names.iter().any(|name| name.contains("SystemCall")) {
                offsets.system_calls.push(offset);
            }
        }
        offsets.allocations.sort_unstable();
        offsets.system_calls.sort_unstable();
        Ok(offsets)
    }

    /// Compiled when first needed, in the compiler's own process. Fails if the code that runs is not what
    /// the pinned compiler makes.
    pub fn statements(&self) -> Result<Arc<Statements>> {
        if let Some(known) = self.statements.get() {
            return Ok(known.clone());
        }
        let (_, statements) = self.compile_statements(Output::Statements)?;
        Ok(self.statements.get_or_init(|| Arc::new(statements)).clone())
    }

    /// The map from bytecode to Sierra statements with the cells of their variables, as JSON text. Fails as
    /// `statements` does.
    pub fn variables(&self) -> Result<String> {
        Ok(self.compile_statements(Output::Variables)?.0)
    }

    fn compile_statements(&self, output: Output) -> Result<(String, Statements)> {
        let Source::Sierra(class) = read(&self.wire_text()?)? else {
            return Err(Failure::new(Kind::Class, "a Cairo 0 class has no Sierra statements"));
        };
        let compiled = compiler::statements(output, &self.hash, &class, &Limits::any_size())?;
        if compiled.1.checksum != checksum(&self.parsed_casm()?) {
            return Err(Failure::new(
                Kind::Class,
                "the class runs code of another compiler version; its statements are unknown",
            ));
        }
        Ok(compiled)
    }
}
