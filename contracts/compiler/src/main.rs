// Compiler of the contracts of one package, for machines without Scarb: each class becomes the file Scarb would write.
use std::collections::HashMap;
use std::fs::write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use cairo_lang_compiler::CompilerConfig;
use cairo_lang_compiler::db::RootDatabase;
use cairo_lang_defs::ids::NamedLanguageElementId;
use cairo_lang_filesystem::db::{
    CrateConfiguration, CrateSettings, Edition, init_dev_corelib, set_crate_configs_input,
    update_crate_configuration_input_helper,
};
use cairo_lang_filesystem::ids::{CrateId, Directory, SmolStrId};
use cairo_lang_lowering::optimizations::config::Optimizations;
use cairo_lang_starknet::compile::compile_prepared_db;
use cairo_lang_starknet::contract::find_contracts;
use cairo_lang_starknet::starknet_plugin_suite;

const USAGE: &str = "contracts-compiler --corelib SRC --package NAME --source SRC --out FOLDER [--panic-backtrace true] [--skip-optimizations true] [--only NAME]";

fn main() -> Result<()> {
    let mut options = HashMap::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        options.insert(word, words.next().context(USAGE)?);
    }
    let mut take = |name: &str| options.remove(name);
    let corelib = PathBuf::from(take("--corelib").context(USAGE)?).canonicalize()?;
    let package_name = take("--package").context(USAGE)?;
    let source = PathBuf::from(take("--source").context(USAGE)?).canonicalize()?;
    let out = PathBuf::from(take("--out").context(USAGE)?);
    let backtrace = take("--panic-backtrace").as_deref() == Some("true");
    let skips_optimizations = take("--skip-optimizations").as_deref() == Some("true");
    let only = take("--only");
    ensure!(options.is_empty(), USAGE);

    let mut builder = RootDatabase::builder();
    builder.with_default_plugin_suite(starknet_plugin_suite());
    if backtrace {
        builder.with_panic_backtrace();
    }
    if skips_optimizations {
        builder.with_optimizations(Optimizations::Disabled);
    }
    let mut db = builder.build()?;
    init_dev_corelib(&mut db, corelib);
    let settings = CrateSettings { edition: Edition::V2024_07, ..Default::default() };
    let configuration =
        CrateConfiguration { root: Directory::Real(source), settings, cache_file: None };
    let package = CrateId::plain(&db, SmolStrId::from(&db, package_name.as_str()));
    let crates = update_crate_configuration_input_helper(&db, package, Some(configuration));
    set_crate_configs_input(&mut db, Some(crates));

    let package = CrateId::plain(&db, SmolStrId::from(&db, package_name.as_str()));
    let mut config = CompilerConfig {
        replace_ids: true,
        add_statements_functions: true,
        add_statements_code_locations: true,
        add_functions_debug_info: true,
        add_type_names: true,
        ..Default::default()
    };
    let input = package.long(&db).clone().into_crate_input(&db);
    config.diagnostics_reporter = config.diagnostics_reporter.with_crates(&[input]);
    let found = find_contracts(&db, &[package]);
    let name = |id: &_| NamedLanguageElementId::name(id, &db).to_string(&db);
    let mut wanted = vec![];
    for contract in &found {
        if only.as_ref().is_none_or(|only| *only == name(&contract.submodule_id)) {
            wanted.push(contract);
        }
    }
    if wanted.is_empty() {
        config.diagnostics_reporter.ensure(&db)?;
        bail!("no such contract");
    }
    let classes = compile_prepared_db(&db, &wanted, config)?;
    for (contract, class) in wanted.iter().zip(classes) {
        let file = format!("{package_name}_{}.contract_class.json", name(&contract.submodule_id));
        write(out.join(file), serde_json::to_string(&class)?)?;
    }
    Ok(())
}
