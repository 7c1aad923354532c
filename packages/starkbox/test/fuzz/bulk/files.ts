// Files from outside, as targets: their valid contents, and the errors that their readers may answer with.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { Class } from '@starkbox/engine';
import { recordOf } from '../../../src/chain/history/packed-block.js';
import { readConfigFile } from '../../../src/config/file.js';
import { UsageError } from '../../../src/config/option.js';
import { readSources } from '../../../src/config/source.js';
import { DebugInfos } from '../../../src/debug-info/debug-infos.js';
import { readImage } from '../../../src/dump/image/read.js';
import { ImageError, sourceOfBytes } from '../../../src/dump/image/source.js';
import { genesisIn, parseJournal } from '../../../src/dump/journal.js';
import { RpcError } from '../../../src/errors.js';
import { LockFile } from '../../../src/fork/origin/lock-file.js';
import { stringify } from '../../../src/json/json.js';
import {
  IdentityError,
  identityFrom,
  OtherFormatError,
} from '../../../src/store/directory/identity.js';
import { type Change, changed, partsOf, textsIn, withTexts } from '../../dump/image/sections.js';
import { bytesOf, outcome, type Target } from './target.js';

const ARTIFACT = new URL('../../../../../contracts/cairo/upgraded.sierra.json', import.meta.url);
const IMAGE = new URL('../../dump/image/first.image', import.meta.url);

export async function fileTargets(folder: string): Promise<readonly Target[]> {
  const image = readFileSync(IMAGE);
  const parts = await partsOf(image);
  // Under right checksums, so that what a section holds is read.
  const section = (name: string, seed: Uint8Array, change: (input: Buffer) => Change): Target => ({
    name: `${name} of images`,
    lanes: 1,
    seeds: [Buffer.from(seed)],
    take: async (input) => {
      const whole = await changed(parts, change(input));
      const isForeseen = (error: Error): boolean => error instanceof ImageError;
      return outcome(() => readImage(sourceOfBytes(whole)), isForeseen);
    },
  });
  const [record = Buffer.of()] = parts.blocks.slice(-1).map(recordOf);
  const records = parts.blocks.slice(0, -1).map(recordOf);
  const classes = fileURLToPath(new URL('../../../../engine/classes/', import.meta.url));
  const packed = readdirSync(classes)
    .filter((name) => name.endsWith('.class'))
    .slice(0, 3)
    .map((name) => readFileSync(join(classes, name)));
  const rich = parts.blocks.findIndex(({ texts }) => texts.length > 0);
  const block = parts.blocks[rich];
  if (!block) throw new Error('the image has no transaction');
  const texts = textsIn(block);
  const stored = (name: string, at: number): Target =>
    section(name, bytesOf(texts[at] ?? ''), (input) => ({
      blocks: parts.blocks.with(rich, withTexts(block, texts.with(at, input.toString()))),
    }));
  const config = join(folder, 'starkbox.config.json');
  const lock = join(folder, 'fork.lock.json');
  return [
    {
      name: 'images',
      lanes: 1,
      seeds: [image],
      take: (input) =>
        outcome(
          () => readImage(sourceOfBytes(input)),
          (error) => error instanceof ImageError,
        ),
    },
    section('moments', bytesOf(JSON.stringify(parts.moment)), (input) => ({
      moment: input.toString(),
    })),
    section('states', parts.others.get('state') ?? Buffer.of(), (input) => ({ state: input })),
    section('blocks', record, (input) => ({ records: [...records, input] })),
    stored('transactions', 0),
    stored('receipts', 2),
    stored('traces', 3),
    {
      name: 'journals',
      lanes: 1,
      seeds: [bytesOf(JOURNAL), bytesOf('[]'), bytesOf(RECORDED)],
      take: (input) =>
        outcome(
          () => genesisIn(parseJournal(input.toString())),
          (error) => error instanceof RpcError,
        ),
    },
    {
      name: 'lock files',
      lanes: 1,
      seeds: [bytesOf(lockText())],
      take: (input) => {
        writeFileSync(lock, input);
        return outcome(
          () => LockFile.open(lock),
          (error) => error.constructor === Error && error.message.includes(lock),
        );
      },
    },
    {
      name: 'config files',
      lanes: 1,
      seeds: CONFIGS.map(bytesOf),
      take: (input) => {
        writeFileSync(config, input);
        return outcome(
          async () => {
            const file = await readConfigFile(folder, 'starkbox.config.json');
            if (file) readSources([file.source]);
          },
          (error) => error instanceof UsageError,
        );
      },
    },
    {
      name: 'identities of data directories',
      lanes: 1,
      seeds: [bytesOf(IDENTITY)],
      take: (input) =>
        outcome(
          () => identityFrom(input.toString()),
          (error) => error instanceof IdentityError || error instanceof OtherFormatError,
        ),
    },
    {
      name: 'artifacts',
      lanes: 1,
      seeds: [readFileSync(ARTIFACT)],
      take: (input) =>
        outcome(
          () => Class.hashOf(input.toString()),
          (error) => error.name === 'EngineError',
        ),
    },
    {
      name: 'debug information of artifacts',
      lanes: 1,
      seeds: [bytesOf(JSON.stringify(DEBUG_INFO))],
      take: (input) =>
        outcome(
          () => new DebugInfos().add('0x1', JSON.parse(input.toString())),
          (error) => error instanceof TypeError || error instanceof SyntaxError,
        ),
    },
    {
      name: 'packed classes of the engine',
      lanes: 1,
      seeds: packed,
      take: (input) =>
        outcome(
          () => Class.unpack(input),
          (error) => error.name === 'EngineError',
        ),
    },
  ];
}

const JOURNAL =
  '[{"jsonrpc":"2.0","id":1,"method":"devnet_mint","params":{"address":"0x1","amount":5}},{"jsonrpc":"2.0","method":"devnet_createBlock","id":"a"},{"method":"devnet_setTime","jsonrpc":"1.0","params":[1,true],"id":null}]';
const RECORDED = JSON.stringify([
  {
    jsonrpc: '2.0',
    method: 'devnet_getConfig',
    params: null,
    id: `starkbox genesis ${JSON.stringify({
      seed: 7,
      accounts: 10,
      account_class: 'cairo1',
      account_class_hash: '0x5',
      initial_balance: '1000',
      predeclare_argent: false,
    })}`,
  },
]);
const IDENTITY = `${JSON.stringify({
  format: 2,
  id: '5f0c2b7d9a1e4c36',
  options: { seed: '0', accounts: '10', chainId: 'SN_SEPOLIA', fork: null },
})}\n`;
const CONFIGS = [
  '{"seed":0,"accounts":3,"initialBalance":1000000000000000000000,"blockGenerationOn":"demand","timeout":"2m"}',
  '{"port":0,"host":"127.0.0.1","chainId":"SN_MAIN","stateArchive":"none","liteMode":true,"maximumInstances":7}',
  '{"block_generation_on":5,"gas_price_wei":1,"dumpOn":"exit","dumpPath":"x.json","mempoolOrder":"tip"}',
];

const STATEMENT = [
  ['src/lib.cairo', { start: { line: 3, col: 4 }, end: { line: 3, col: 9 } }, false],
  ['src/lib.cairo[derive]', { start: { line: 7, col: 0 }, end: { line: 9, col: 1 } }],
];
const DEBUG_INFO = {
  sierra_program_debug_info: {
    type_names: [],
    libfunc_names: [],
    user_func_names: [[0, 'counter::increase']],
    annotations: {
      'github.com/software-mansion/cairo-profiler': {
        statements_functions: { 0: ['counter::increase'], 1: ['counter::increase', 'core::add'] },
      },
      'github.com/software-mansion/cairo-coverage': {
        statements_code_locations: { 0: STATEMENT, 1: STATEMENT },
      },
    },
  },
};

function lockText(): string {
  return stringify({
    version: 1,
    chain_id: '0x534e5f5345504f4c4941',
    block: { block_number: 5, block_hash: '0x1', timestamp: 3 },
    options: { seed: 1, accounts: 2, account_class: 'cairo1' },
    reads: { 'nonce 0x1': '0x0', 'slot 0x1 0x2': '0x3' },
    classes: { '0x5': deflateSync('{"a":1}').toString('base64') },
  });
}
