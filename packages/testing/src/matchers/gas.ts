// Gas of transactions beside a committed file.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { memberOf, trust } from '@starkbox/abi/basics';
import type { Checked } from './checks.js';
import { bundleOf, includedTransaction, type Transaction } from './transaction.js';

export interface GasSnapshot {
  /** The file that holds the gas of all transactions of a test file. */
  readonly file: string;
  /** What the transaction is called there. */
  readonly name: string;
  /** Whether other values replace those of the file, and whether new names are added to it. */
  readonly update: 'all' | 'new' | 'none';
}

type Gas = Readonly<Record<string, number>>;

/** Whether a transaction takes the gas that the file says. */
export async function checkMatchesGas(
  transaction: Transaction,
  { file, name, update }: GasSnapshot,
): Promise<Checked> {
  const included = await includedTransaction(transaction);
  const { receipt } = included;
  const bundle = () => bundleOf(included);
  const { l1_data_gas = 0, l1_gas = 0, l2_gas = 0 } = receipt.execution_resources;
  const gas: Gas = { l1_data_gas, l1_gas, l2_gas };
  const recorded = readGas(file);
  const expected = recorded[name];
  if (expected === undefined ? update !== 'none' : update === 'all') {
    writeGas(file, { ...recorded, [name]: gas });
    return { pass: true, message: () => `The gas of '${name}' was written to ${file}`, bundle };
  }
  const pass = Object.entries(gas).every(([kind, units]) => expected?.[kind] === units);
  const lines = Object.entries(gas).map(([kind, units]) => {
    const was = expected?.[kind];
    const change = was === undefined || was === units ? '' : ` (${withSign(units - was)})`;
    return `  ${kind}: ${was ?? 'none'} → ${units}${change}`;
  });
  const head = expected
    ? `The gas of '${name}' ${pass ? 'matches' : 'does not match'} ${file}:`
    : `${file} has no gas of '${name}', and this run adds none:`;
  const help = 'Run with -u or STARKBOX_UPDATE_GAS=1 to write it.';
  return { pass, message: () => [head, ...lines, help].join('\n'), bundle };
}

const withSign = (change: number): string => (change > 0 ? `+${change}` : String(change));

/** The file beside a test file. */
export function gasFileOf(testFile: string): string {
  return join(dirname(testFile), '__snapshots__', `${basename(testFile)}.gas.json`);
}

function readGas(file: string): Readonly<Record<string, Gas>> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (memberOf(error, 'code') === 'ENOENT') return {};
    throw error;
  }
  return trust(JSON.parse(text));
}

/** Sorted, so that changes are readable; the file is replaced as a whole. */
function writeGas(file: string, gas: Readonly<Record<string, Gas>>): void {
  const sorted = Object.entries(gas).sort(([a], [b]) => (a < b ? -1 : 1));
  mkdirSync(dirname(file), { recursive: true });
  const written = `${file}.${process.pid}`;
  writeFileSync(written, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  renameSync(written, file);
}
