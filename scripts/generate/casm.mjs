// Generator of the CASM of the contract in examples/starknet-py, beside its Sierra class.
import { readFileSync, writeFileSync } from 'node:fs';
import { Class } from '@starkbox/engine';
import { ROOT } from '../cargo.mjs';

const FOLDER = `${ROOT}contracts/cairo`;

const sierra = readFileSync(`${FOLDER}/counter.sierra.json`, 'utf8');
const casm = JSON.parse(await (await Class.compile(sierra)).casm());
writeFileSync(`${FOLDER}/counter.casm.json`, `${JSON.stringify(casm)}\n`);
