// The classes of our own contracts: hashes, figures and forms, of both compilers, with places in their sources.
import { readdir } from 'node:fs/promises';
import { Class } from '@starkbox/engine';
import { standardSpec } from '@starkbox/test-support/conformance/published-spec';
import { type CompiledSierraCasm, hash } from 'starknet';
import { describe, expect, test } from 'vitest';
import { classText, classTextWithPlaces, KEPT, marks } from '../../../../contracts/classes.js';
import { contractClass } from '../fixtures/chain.js';
import { contract, pythonic } from '../fixtures/sierra.js';

const spec = standardSpec();
type SourceLocation = readonly [file: string, span: { readonly start: { readonly line: number } }];

const OURS = (await readdir(new URL('../../../../contracts/cairo/', import.meta.url)))
  .filter((file) => file.endsWith('.sierra.json'))
  .map((file) => file.slice(0, -'.sierra.json'.length));

const WITH_PLACES = (await readdir(new URL('../../../../contracts/places/', import.meta.url))).map(
  (file) => file.slice(0, -'.sierra.json.gz'.length),
);

/**
 * What is wrong with CASM by the specification, which forgets that immediates of hints may be negative, and the hint of
 * a panic backtrace.
 */
const violationsOf = (casm: CompiledSierraCasm): string[] =>
  spec
    .checkSchema('CASM_COMPILED_CONTRACT_CLASS', casm)
    .filter((line) => !/Immediate: must match pattern .* not "-0x[0-9a-f]+"$/.test(line))
    .filter((line) => !/missing property 'AssertAllAccessesUsed'|'AddTrace'$/.test(line));

const versionOf = (program: readonly string[]): string => program.slice(0, 3).map(Number).join('.');

describe('our contracts', () => {
  test.each(OURS)('%s compiles, and its hashes, figures and JSON agree', async (name) => {
    const sierra = await contract(name);
    const compiled = await contractClass(name);
    expect(compiled.kind).toBe('sierra');
    expect(compiled.hash).toBe(await Class.hashOf(await classText(name)));
    const casm: CompiledSierraCasm = JSON.parse(await compiled.casm());
    expect(compiled.figures).toEqual({
      sierraVersion: versionOf(sierra.sierra_program),
      sierraFelts: sierra.sierra_program.length,
      bytecodeFelts: casm.bytecode.length,
      abiBytes: pythonic(sierra.abi).length,
    });
    expect(compiled.compiledClassHash).toBe(hash.computeCompiledClassHashBlake(casm));
    const json = JSON.parse(await compiled.json());
    expect(json).toEqual({ ...sierra, abi: pythonic(sierra.abi) });
    expect(spec.checkSchema('CONTRACT_CLASS', json)).toEqual([]);
    expect(violationsOf(casm)).toEqual([]);
    expect(await compiled.abi()).toEqual(sierra.abi);
  });

  test.each(KEPT)('%s is there of both compilers', async (name) => {
    const older = await Class.compile(await classText(name, '2.8'));
    const newer = await Class.compile(await classText(name, '2.19'));
    expect(older.figures.sierraVersion).toBe('1.6.0');
    expect(newer.figures.sierraVersion).toBe('1.9.4');
    expect(older.hash).not.toBe(newer.hash);
  });

  test.each(WITH_PLACES)('%s with places in its source is the same class', async (name) => {
    const text = await classTextWithPlaces(name);
    expect(await Class.hashOf(text)).toBe(await Class.hashOf(await classText(name)));
    const file = [...marks().values()].find((mark) => mark.file.endsWith(`/${name}.cairo`))?.file;
    const marked = [...marks().values()].filter((mark) => mark.file === file);
    const lines = linesOf(text);
    for (const { file, line } of marked) expect(lines).toContain(`${file}:${line}`);
  });
});

/** Every line that a statement belongs to. Places count lines from 0. */
function linesOf(text: string): ReadonlySet<string> {
  const { annotations } = JSON.parse(text).sierra_program_debug_info;
  const places: Readonly<Record<string, readonly SourceLocation[]>> =
    annotations['github.com/software-mansion/cairo-coverage'].statements_code_locations;
  return new Set(
    Object.values(places)
      .flat()
      .map(([file, { start }]) => `${file}:${start.line + 1}`),
  );
}
