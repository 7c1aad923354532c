// Explanations on a terminal: the log, trees of all transactions, the command and the library.

import { commandOutput } from '@starkbox/test-support/command-line';
import { contract, hex, Sender, STRK, selector } from '@starkbox/test-support/signing';
import { type ConfigInput, createChain, createLog, type LocalChain } from 'starkbox';
import { describe, expect, test } from 'vitest';
import { parseIfJson } from '../../../starkbox/src/json/json.js';

const AMOUNT = 10n ** 30n;

/** A stream that keeps what is written. */
class RecordingStream {
  text = '';
  readonly isTTY: boolean;

  constructor(isTTY = false) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.text += text;
  }

  hasColors(): boolean {
    return this.isTTY;
  }
}

const senderOf = (chain: LocalChain): Sender =>
  new Sender(
    {
      call: chain.request,
      ask: chain.requestRaw,
      failure: () => Promise.reject(new Error('unused')),
    },
    chain.accounts[0],
  );

const transfer = (to: string, amount: bigint) => [
  { to: STRK, name: 'transfer', calldata: [to, hex(amount), '0x0'] },
];

async function loggedBy(
  level: 'info' | 'debug',
  send: (chain: LocalChain) => Promise<unknown>,
  options: ConfigInput = {},
) {
  const log = new RecordingStream();
  await using chain = await createChain(
    { seed: 0, accounts: 2, ...options },
    { log: createLog({ level, format: 'pretty' }, log) },
  );
  await send(chain);
  await chain.close();
  return log.text;
}

describe('the log', () => {
  test('has a line for a reverted transaction and none for others', async () => {
    const hashes: string[] = [];
    const text = await loggedBy('info', async (chain) => {
      for (const amount of [5n, AMOUNT])
        hashes.push(await senderOf(chain).invoke(transfer('0xabc', amount)));
    });
    const [good = '', bad = ''] = hashes;
    expect(text).toContain(
      `transaction ${bad} · Reverted: STRK.transfer panicked with 'ERC20: insufficient balance'`,
    );
    expect(text).not.toContain(good);
    expect(text).not.toContain('✗');
  });

  test('has a line for a refused transaction, and the tree of both at debug', async () => {
    const text = await loggedBy('debug', async (chain) => {
      await senderOf(chain).invoke(transfer('0xabc', AMOUNT));
      const request = await senderOf(chain).invokeRequest([], { signature: ['0x1', '0x2'] });
      await chain.requestRaw('starknet_addInvokeTransaction', [request]).catch(() => undefined);
    });
    expect(text).toMatch(
      /INFO .* · Rejected: account 0\.__validate__ panicked with 'Account: .* · The signature does not/,
    );
    expect(text).toContain('✗ account 0.__validate__(…)');
    expect(text).toContain('└─ ✗ STRK.transfer(recipient: 0xabc,');
  });

  test('has those of a block that is closed later once', async () => {
    const text = await loggedBy(
      'info',
      async (chain) => {
        await senderOf(chain).invoke(transfer('0xabc', AMOUNT));
        await chain.mine();
      },
      { blockGenerationOn: 'demand' },
    );
    expect(text.match(/Reverted: STRK/g)).toHaveLength(1);
  });
});

/** A call and an estimate that fail, and the same two that succeed. */
async function callAndEstimate(chain: LocalChain): Promise<void> {
  const sender = senderOf(chain);
  for (const amount of [AMOUNT, 5n]) {
    const request = await sender.invokeRequest(transfer('0xabc', amount));
    await chain
      .requestRaw('starknet_estimateFee', [[request], [], 'latest'])
      .catch(() => undefined);
  }
  for (const name of ['transferr', 'name']) {
    const call = { contract_address: STRK, entry_point_selector: selector(name), calldata: [] };
    await chain.requestRaw('starknet_call', [call, 'latest']).catch(() => undefined);
    await chain.requestRaw('starknet_call', [call, { block_number: 99 }]).catch(() => undefined);
  }
}

describe('a request that fails without a transaction', () => {
  test('has one line in the log, and one that succeeds has none', async () => {
    const text = await loggedBy('info', callAndEstimate);
    const lines = text.split('\n').flatMap((line) => /INFO {2}(.*)$/.exec(line)?.[1] ?? []);
    expect(lines).toEqual([
      "starknet_estimateFee · Reverted: STRK.transfer panicked with 'ERC20: insufficient balance'",
      expect.stringMatching(/^starknet_call · Reverted: STRK has no function /),
      'starknet_call · Block not found: The newest block is 0.',
      'starknet_call · Block not found: The newest block is 0.',
    ]);
  });

  test('has its calls at debug', async () => {
    const text = await loggedBy('debug', callAndEstimate);
    expect(text).toContain('└─ ✗ STRK.transfer(recipient: 0xabc,');
  });

  test('has its calls on the output with --print-traces', async () => {
    const output = new RecordingStream();
    await using chain = await createChain({ seed: 0, accounts: 2, printTraces: true }, { output });
    await callAndEstimate(chain);
    await chain.close();
    expect(output.text).toContain('starknet_estimateFee\nReverted: STRK.transfer panicked with');
    expect(output.text).toContain('└─ ✗ STRK.transfer(recipient: 0xabc,');
    expect(output.text).not.toContain('Succeeded');
  });
});

describe('--print-traces', () => {
  async function printed(output: RecordingStream): Promise<string> {
    await using chain = await createChain({ seed: 0, accounts: 2, printTraces: true }, { output });
    await senderOf(chain).invoke(transfer('0xabc', 5n));
    await senderOf(chain).invoke(transfer('0xabc', AMOUNT));
    await chain.close();
    return output.text;
  }

  test('prints the tree of every transaction, plainly where it is no terminal', async () => {
    const text = await printed(new RecordingStream());
    expect(text).toMatch(/Succeeded: 2 calls\n\n✓ account 0\.__execute__\(…\) \[[\d,]+ gas\]\n/);
    expect(text).toContain('   emits Transfer(from: account 0, to: 0xabc, value: 5)');
    expect(text).toContain("panicked with 'ERC20: insufficient balance'");
    expect(text).not.toContain('\u001b');
  });

  test('names the type of a transaction without calls', async () => {
    const output = new RecordingStream();
    await using chain = await createChain({ seed: 0, accounts: 1, printTraces: true }, { output });
    await senderOf(chain).declare(await contract('counter'));
    await chain.close();
    expect(output.text).toMatch(/Succeeded: DECLARE without calls\n/);
  });

  test('colours it on a terminal', async () => {
    expect(await printed(new RecordingStream(true))).toContain(
      '\u001b[31m✗\u001b[0m \u001b[31mSTRK.transfer',
    );
  });
});

test('the command and the library explain a transaction', async () => {
  await using chain = await createChain({ seed: 0, accounts: 2, port: 0 });
  const hash = await senderOf(chain).invoke(transfer('0xabc', AMOUNT));
  const explained = await chain.explain(BigInt(hash));
  expect(explained).toMatchObject({ function: 'transfer', contract_name: 'STRK' });
  const { url } = await chain.listen();
  const output = (...more: readonly string[]) =>
    commandOutput('explain', hash, '--url', url, ...more);
  expect(await output()).toBe(`${explained.text}\n`);
  const json = await output('--json');
  expect(parseIfJson(json)).toEqual(explained);
  // A missing amount exceeds the integers of JavaScript, and is written exactly.
  expect(json).toContain('"actions":[{"kind":"mint"');
  expect(json).not.toMatch(/\de\+\d/);
});

test('a function of a mistyped name is found by its selector', async () => {
  await using chain = await createChain({ seed: 0, accounts: 2 });
  const sender = senderOf(chain);
  const reverter = await sender.deploy(await contract('reverter'));
  const hint = async (name: string) => {
    const request = {
      contract_address: reverter,
      entry_point_selector: selector(name),
      calldata: [],
    };
    const error: unknown = await chain
      .requestRaw('starknet_call', [request, 'latest'])
      .catch((reason: unknown) => reason);
    return Object(error).data.explained.hint;
  };
  for (const typed of ['writen', 'wirtten', 'writtenn', 'get_written'])
    expect([typed, await hint(typed)]).toEqual([typed, "Did you mean 'written'?"]);
  expect(await hint('getWritten')).toMatch(/^It has fail, /);
});
