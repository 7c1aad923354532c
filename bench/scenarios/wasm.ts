// The node on WebAssembly beside the native one: start, transfers, calls and declarations.

import { STRK } from '../../packages/engine/test/fixtures/chain.js';
import { median } from '../figures.js';
import { interleave, milliseconds, sampled } from '../harness/rounds.js';
import { defineScenario } from '../harness/scenario.js';
import { callParams, contractText, newClass, Signer } from '../harness/signed-requests.js';
import { OUR_COMMAND, SpawnedNode } from '../harness/spawned-node.js';

const TRANSFERS = 50;
const CALLS = 100;
const BALANCE = callParams({ to: STRK, name: 'balanceOf', calldata: ['0x1234'] });

/** Medians of one round, in milliseconds. */
interface Times {
  readonly transfer: number;
  readonly call: number;
  readonly declare: number;
}

function open(engine: string, cache: string): Promise<SpawnedNode> {
  // `env` of the system starts the node with a variable.
  return SpawnedNode.open({ command: `env STARKBOX_ENGINE=${engine} ${OUR_COMMAND}` }, cache);
}

async function startTime(engine: string, cache: string): Promise<number> {
  const node = await open(engine, cache);
  await node.end();
  return node.startTime ?? Number.NaN;
}

async function measureNode(node: SpawnedNode, text: string): Promise<Times> {
  const signer = await Signer.of(node);
  const requests = signer.transfers(TRANSFERS);
  const transfers = await sampled(TRANSFERS, (index) => node.send(requests[index] ?? ''));
  const calls = await sampled(CALLS, () => node.call('starknet_call', BALANCE));
  const declaration = signer.declare(await newClass(text));
  const declare = await milliseconds(() => node.send(declaration));
  return { transfer: median(transfers), call: median(calls), declare };
}

export const scenario = defineScenario({
  measures: 'the node on WebAssembly beside the native one',
  sizes: { starts: [9, 3], rounds: [9, 3] },
  promises: () => ({ transfer_ratio: { atMost: 2.5, isNoisy: true } }),
  async measure(run) {
    const { sizes, figures } = run;
    const cache = run.folder();
    const starts = await interleave(sizes.starts, {
      native: () => startTime('', cache),
      wasm: () => startTime('wasm', cache),
    });
    figures.say('start_native_ms', starts.median('native'));
    figures.say('start_wasm_ms', starts.median('wasm'));
    figures.say('start_ratio', starts.ratio('wasm', 'native'));
    const [native, wasm] = [await open('', cache), await open('wasm', cache)];
    run.defer(() => native.end());
    run.defer(() => wasm.end());
    const text = await contractText('token');
    const times = await interleave<'native' | 'wasm', Times>(
      sizes.rounds,
      { native: () => measureNode(native, text), wasm: () => measureNode(wasm, text) },
      2,
    );
    for (const part of ['transfer', 'call', 'declare'] as const) {
      figures.say(
        `${part}_native_ms`,
        times.median('native', (sample) => sample[part]),
      );
      figures.say(
        `${part}_wasm_ms`,
        times.median('wasm', (sample) => sample[part]),
      );
      figures.say(
        `${part}_ratio`,
        times.ratio('wasm', 'native', (sample) => sample[part]),
      );
    }
    figures.say('memory_native_mb', native.memory() ?? Number.NaN);
    figures.say('memory_wasm_mb', wasm.memory() ?? Number.NaN);
    return undefined;
  },
});
