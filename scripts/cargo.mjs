// Cargo flags shared by build and lint: with another target, profile or target folder, each would
// compile the whole sequencer again.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const ENGINE = join(ROOT, 'packages', 'engine');

/** Outside of the work tree, so that clones and clean checkouts share compiled crates. */
export const TARGET_DIR =
  process.env['CARGO_TARGET_DIR'] ??
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'starkbox', 'target');

/** @returns {string} the host's target triple */
export function hostTriple() {
  const host = /^host: (.+)$/m.exec(execFileSync('rustc', ['-vV'], { encoding: 'utf8' }))?.[1];
  if (host === undefined) throw new Error('rustc -vV names no host');
  return host;
}

/**
 * Changes to the pinned blockifier: hooks where a contract is called, where its code runs and where it prints.
 * Each file must be the one that the change was written for.
 *
 * @type {readonly { file: string; sha256: string; edits: readonly (readonly [before: string, after: string])[] }[]}
 */
const CHANGES = [
  {
    file: 'src/execution.rs',
    sha256: 'c69aef4dbd3993d8ff2bb697243e506676880e3f2c7bf184cfef35e5a50281bc',
    edits: [['pub mod hint_code;\n', 'pub mod hint_code;\npub mod observer;\n']],
  },
  {
    file: 'src/execution/entry_point.rs',
    sha256: '4d11b0590356711a3d61b765ff34d6997244c6e08379bf9341f61f2c6542e631',
    edits: [
      [
        '        execute_entry_point_call_wrapper(\n            self.into_executable(class_hash),\n',
        '        let call = self.into_executable(class_hash);\n' +
          '        crate::execution::observer::called(&call);\n' +
          '        let result = execute_entry_point_call_wrapper(\n            call,\n',
      ],
      [
        '            remaining_gas,\n        )\n    }\n',
        '            remaining_gas,\n        );\n' +
          '        crate::execution::observer::returned(result.as_ref().ok());\n        result\n    }\n',
      ],
      [
        '    Ok(empty_constructor_call_info)\n',
        '    crate::execution::observer::deployed(&empty_constructor_call_info);\n' +
          '    Ok(empty_constructor_call_info)\n',
      ],
    ],
  },
  {
    file: 'src/execution/entry_point_execution.rs',
    sha256: 'abd2b23bbe11e4131b185981194027bc29bb3bed71759772091f0df7fd02351c',
    edits: [
      [
        '= initialize_execution_context(call, &compiled_class, state, context)\n',
        '= initialize_execution_context_with_runner_mode(call, &compiled_class, state, context, ' +
          'crate::execution::observer::entered())\n',
      ],
      [
        '    run_entry_point(&mut runner, &mut syscall_handler, entry_point, args, program_segment_size)?;\n',
        '    let ran = run_entry_point(&mut runner, &mut syscall_handler, entry_point, args, program_segment_size);\n' +
          '    crate::execution::observer::ran(&mut runner, &syscall_handler.base.syscalls_usage, ran.is_ok());\n' +
          '    ran?;\n',
      ],
      [
        '        extract_extended_vm_resources(&runner, &syscall_handler)?;\n',
        '        extract_extended_vm_resources(&runner, &syscall_handler)?;\n' +
          '    crate::execution::observer::measured(&runner);\n',
      ],
    ],
  },
  {
    file: 'src/execution/syscalls/hint_processor.rs',
    sha256: '7c8c23dc7e84b7f2044991242122bc28b9790e8129048529141817d13896667b',
    edits: [
      [
        '            Hint::Core(hint) => {\n',
        '            Hint::Core(hint) if crate::execution::observer::is_print(hint) => {\n' +
          '                crate::execution::observer::print(vm, &self.base.call, hint)\n            }\n' +
          '            Hint::Core(hint) => {\n',
      ],
      [
        '            Hint::External(_) => {\n',
        '            Hint::External(cairo_lang_casm::hints::ExternalHint::AddTrace { .. }) => Ok(()),\n' +
          '            Hint::External(_) => {\n',
      ],
    ],
  },
];
const OBSERVER = join(ENGINE, 'blockifier', 'observer.rs');

/** @param {string | Buffer} content */
const sha256 = (content) => createHash('sha256').update(content).digest('hex');

/** @returns {string} the folder of the sources that cargo has fetched and checked by the lock file */
function fetchedBlockifier() {
  const text = execFileSync(
    'cargo',
    ['metadata', '--locked', '--format-version', '1', '--filter-platform', hostTriple()],
    {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  /** @type {{ packages: { name: string; manifest_path: string }[] }} */
  const { packages } = JSON.parse(text);
  const found = packages.find(({ name }) => name === 'blockifier');
  if (found === undefined) throw new Error('the lock file names no blockifier');
  return dirname(found.manifest_path);
}

/**
 * Writes the changed blockifier beside the target folder, once for each content.
 *
 * @returns {readonly string[]} cargo's flags that put it in place of the fetched one
 */
export function changedBlockifier() {
  const fetched = fetchedBlockifier();
  const added = readFileSync(OBSERVER);
  const name = `${basename(fetched)}-${sha256(JSON.stringify(CHANGES) + added).slice(0, 16)}`;
  const folder = join(TARGET_DIR, 'changed', name);
  const flags = ['--config', `paths=[${JSON.stringify(folder)}]`];
  if (existsSync(folder)) return flags;
  const draft = `${folder}.${process.pid}`;
  mkdirSync(dirname(draft), { recursive: true });
  cpSync(fetched, draft, { recursive: true });
  for (const { file, sha256: expected, edits } of CHANGES) {
    let text = readFileSync(join(draft, file), 'utf8');
    if (sha256(text) !== expected) {
      throw new Error(
        `${basename(fetched)}/${file} is not the file that scripts/cargo.mjs changes: ` +
          'check each edit against the new text, then write down its checksum',
      );
    }
    for (const [before, after] of edits) {
      if (text.split(before).length !== 2)
        throw new Error(`${file} has not one place for: ${after}`);
      text = text.replace(before, () => after);
    }
    writeFileSync(join(draft, file), text);
  }
  writeFileSync(join(draft, 'src', 'execution', 'observer.rs'), added);
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Another build was first.
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return flags;
}

/**
 * Runs a command with our target folder and ends this process with its status if it fails.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 * @param {Readonly<Record<string, string>>} variables of the environment
 */
export function run(command, args, cwd = ROOT, variables = {}) {
  console.log(`$ ${command} ${args.join(' ')}`);
  try {
    execFileSync(command, args, {
      cwd,
      stdio: 'inherit',
      env: { ...process.env, ...variables, CARGO_TARGET_DIR: TARGET_DIR },
    });
  } catch (error) {
    const status = error instanceof Error && 'status' in error ? error.status : null;
    if (typeof status !== 'number') throw error;
    process.exit(status);
  }
}
