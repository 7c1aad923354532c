// A node with an Anvil of its own and a data directory, ended in every way and started again.

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Client, checkedClient, overHttp } from '@starkbox/test-support';
import { connect, type L1Client, messagingAt } from '@starkbox/test-support/l1/anvil';
import { deployMessenger, deposit, received } from '@starkbox/test-support/l1/messaging-setup';
import { Random } from '@starkbox/test-support/random';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { SEED } from '@starkbox/test-support/seed';
import { hex, read, Sender } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { afterAll, expect, test, vi } from 'vitest';

/** More with TEST_RESTARTS=50; another course of events with TEST_SEED. */
const RESTARTS = Number(process.env['TEST_RESTARTS'] ?? 6);
const RECEIVER = '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0';
const USER = '0x5';
/** For a few starts on a busy machine, in milliseconds. */
const LONG = 120_000;

/** How a life ends: by a signal to the node, or killed together with its Anvil. */
const ENDS = [
  'SIGTERM',
  'node and Anvil',
  'SIGHUP',
  'SIGKILL',
  'SIGINT',
  'node and Anvil',
] as const;
/** After these, everything that Anvil has ever answered is there again. */
const LOSES_NOTHING = new Set<string>(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGKILL']);

let living: Life | undefined;
afterAll(() => living?.command.kill());

interface Life {
  readonly command: RunningCommand;
  readonly client: Client;
  readonly l1: L1Client;
  readonly contract: string;
  readonly anvil: number;
}

const dataDirectory = (): string => join(temporaryFolderOfFile(), 'chain');

async function live(directory: string, ...args: readonly string[]): Promise<Life> {
  const l1 = ['--l1', 'anvil:0'];
  const command = await RunningCommand.start(['--data-dir', directory, ...l1, ...args], {
    leads: true,
  });
  const l1Line = () =>
    /L1 \(Anvil\) on (\S+), messaging contract (0x[0-9a-f]{40})/.exec(command.said.join('\n')) ??
    expect.fail('L1 was not named');
  const [, url = '', contract = ''] = await vi.waitFor(l1Line, { timeout: 20_000 });
  const { pid }: { pid: number } = JSON.parse(
    await readFile(join(directory, 'anvil.run.json'), 'utf8'),
  );
  living = {
    command,
    client: checkedClient(overHttp(command.url)),
    l1: connect(url),
    contract,
    anvil: await childOf(pid),
  };
  return living;
}

/** The Anvil that a shell runs; the shell's other child only waits. */
async function childOf(shell: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  const lines = stdout.split('\n').map((line) => line.trim().split(/\s+/));
  const anvilProcess = lines.find(([, parent, program]) => {
    return parent === String(shell) && program?.endsWith('anvil');
  });
  return Number(anvilProcess?.[0] ?? expect.fail(`no Anvil among ${stdout}`));
}

async function end({ command, anvil }: Life, how: (typeof ENDS)[number]): Promise<void> {
  if (how !== 'node and Anvil') {
    // A terminal sends them to everything that it runs.
    const isForAll = how === 'SIGINT' || how === 'SIGHUP';
    process.kill(isForAll ? -command.pid : command.pid, how);
    expect(await command.gone, how).toBe(how === 'SIGKILL' ? 'SIGKILL' : 0);
    return;
  }
  process.kill(command.pid, 'SIGKILL');
  try {
    process.kill(anvil, 'SIGKILL');
  } catch (error) {
    // It may have ended already, because the node has.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
  await command.gone;
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((all, number) => all + number, 0);
}

interface SentMessages {
  readonly messenger: string;
  readonly said: readonly string[];
  readonly deposited: ReadonlySet<number>;
  readonly uncertain: ReadonlySet<number>;
}

/** Both chains have every message once; the amounts that L1 sent. */
async function expectDelivered(
  life: Life,
  { messenger, said, deposited, uncertain }: SentMessages,
): Promise<number[]> {
  const { contract } = life;
  await life.client.call('devnet_postmanFlush');
  const again = await life.client.call('devnet_postmanFlush');
  expect([again.messages_to_l1, again.messages_to_l2]).toEqual([[], []]);
  // L2 has what L1 has.
  const messages = await messagingAt(life.l1, contract).getEvents.LogMessageToL2(
    {},
    { fromBlock: 0n },
  );
  const amounts = messages.map(({ args }) => Number(args.payload?.[1]));
  const [balance] = await read(life.client, messenger, 'balance_of', [USER]);
  expect(Number(balance)).toBe(sum(amounts));
  // L1 has lost nothing that it should have, and has got nothing twice.
  expect(new Set(amounts).size).toBe(amounts.length);
  expect(amounts.filter((amount) => !uncertain.has(amount)).toSorted((a, b) => a - b)).toEqual([
    ...deposited,
  ]);
  for (const word of said) {
    const message = { from_address: messenger, to_address: RECEIVER, payload: [word] };
    expect(await received(life.l1, contract, message), word).toBe(1);
  }
  return amounts;
}

test(
  `${RESTARTS} restarts: one contract, and each message once`,
  async () => {
    const directory = dataDirectory();
    let life = await live(directory, '--seed', '0');
    const { contract } = life;
    const [account] = await life.client.call('devnet_getPredeployedAccounts');
    const { address = '', private_key: privateKey = '' } = account ?? {};
    const messenger = await deployMessenger(new Sender(life.client, { address, privateKey }));
    const random = new Random(SEED);

    /** What L1 or L2 must have at the end, exactly once. */
    const said: string[] = [];
    const deposited = new Set<number>();
    /** Deposited when L1 was killed before L2 had read it: there at both or at neither. */
    const uncertain = new Set<number>();
    let next = 1;
    const genesis = await life.l1.getBlock({ blockNumber: 0n });
    for (let round = 0; round < RESTARTS; round += 1) {
      const how = ENDS[round % ENDS.length] ?? 'SIGTERM';
      const { client, l1, command } = life;
      const sender = new Sender(client, { address, privateKey });
      const say = async (): Promise<void> => {
        const word = hex(next);
        next += 1;
        await sender.invoke([{ to: messenger, name: 'send', calldata: [RECEIVER, '0x1', word] }]);
        said.push(word);
      };
      const pay = async (): Promise<number> => {
        const amount = next;
        next += 1;
        await deposit(l1, contract, messenger, USER, amount);
        return amount;
      };
      // Every fifth life is one of a node that nothing is asked of.
      if (round % 5 > 0) {
        await say();
        deposited.add(await pay());
        await client.call('devnet_postmanFlush');
        await say();
        const late = await pay();
        (LOSES_NOTHING.has(how) ? deposited : uncertain).add(late);
        // In the middle of carrying those.
        const flushed = client.call('devnet_postmanFlush').catch(() => undefined);
        await delay(random.below(60));
        await end(life, how);
        await flushed;
      } else {
        await end(life, how);
      }
      expect(command.said.join('\n'), how).not.toContain('ended by itself');
      life = await live(directory);
      expect(life.contract, `after ${how}`).toBe(contract);
      expect((await life.l1.getBlock({ blockNumber: 0n })).hash, `after ${how}`).toBe(genesis.hash);
    }

    const amounts = await expectDelivered(life, { messenger, said, deposited, uncertain });
    console.log(
      `${said.length} messages to L1, ${amounts.length} from L1 (${uncertain.size} at risk)`,
    );
    await life.command.stop();
  },
  60_000 + RESTARTS * 20_000,
);

test('an Anvil that is killed is missed', { timeout: LONG }, async () => {
  const life = await live(dataDirectory());
  process.kill(life.anvil, 'SIGKILL');
  const said = () => expect(life.command.said.join('\n')).toContain('Anvil exited unexpectedly');
  await vi.waitFor(said, { timeout: 20_000 });
  expect(await life.command.stop()).toBe(0);
});

test('the genesis blocks of earlier runs do not become block 0', { timeout: LONG }, async () => {
  const directory = dataDirectory();
  const file = join(directory, 'anvil.json');
  let life = await live(directory);
  const { contract } = life;
  const genesis = await life.l1.getBlock({ blockNumber: 0n });
  for (let round = 0; round < 2; round += 1) {
    await life.command.stop();
    const state: { blocks: { header: { number: string; timestamp: string } }[] } = JSON.parse(
      await readFile(file, 'utf8'),
    );
    const zero = state.blocks.find(({ header }) => Number(header.number) === 0);
    if (!zero) expect.fail('there is no block 0');
    // As a directory has them that was written by Anvil alone.
    const others = [1, 2, 3, 4].map((later) => ({
      ...zero,
      header: { ...zero.header, timestamp: hex(Number(zero.header.timestamp) + later) },
    }));
    await writeFile(file, JSON.stringify({ ...state, blocks: [...state.blocks, ...others] }));
    life = await live(directory);
    expect((await life.l1.getBlock({ blockNumber: 0n })).hash).toBe(genesis.hash);
    expect(life.contract).toBe(contract);
  }
  await life.command.stop();
});

test('a damaged state of Anvil is named', { timeout: LONG }, async () => {
  const directory = dataDirectory();
  await (await live(directory)).command.stop();
  await writeFile(join(directory, 'anvil.json'), '{"blocks":[');
  await expect(live(directory)).rejects.toThrow(/anvil\.json is damaged.*delete it/);
});

test('what Anvil could not finish writing at its end is dropped', { timeout: LONG }, async () => {
  const directory = dataDirectory();
  const first = await live(directory);
  await first.command.stop();
  await writeFile(join(directory, 'anvil.exit.json'), '{"blocks":[');
  const life = await live(directory);
  expect(life.contract).toBe(first.contract);
  await life.command.stop();
});
