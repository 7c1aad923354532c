import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkedClient, overHttp } from '@starkbox/test-support';
import { FIRST_CONTRACT, messagingAt, mined, startAnvil } from '@starkbox/test-support/l1/anvil';
import { deployMessenger, received } from '@starkbox/test-support/l1/messaging-setup';
import { Random } from '@starkbox/test-support/random';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { SEED } from '@starkbox/test-support/seed';
import { hex, read, Sender, selector } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { afterAll, expect, test, vi } from 'vitest';

/** More with TEST_KILLS=50 TEST_MESSAGES=200; another course of events with TEST_SEED. */
const KILLS = Number(process.env['TEST_KILLS'] ?? 6);
const MESSAGES = Number(process.env['TEST_MESSAGES'] ?? 36);
/** A life ends without having delivered what it might after so many milliseconds. */
const MAX_LIFE = 60_000;
/** And so long, at most, after what it was to deliver: in the middle of the next message. */
const AFTERMATH = 25;
const RECEIVER = '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0';
/** Messages of one transaction; more would need more gas than the tests give. */
const TOGETHER = 3;

const folder = temporaryFolderOfFile();
let living: RunningCommand | undefined;
afterAll(() => living?.kill());

async function live(args: readonly string[]): Promise<RunningCommand> {
  living = await RunningCommand.start(['--data-dir', join(folder, 'chain'), ...args]);
  return living;
}

/** How many blocks it has made so far. */
function blocksOf({ said }: RunningCommand): number {
  return said.filter((line) => line.includes(' block ')).length;
}

test(
  `${MESSAGES} messages each way, ${KILLS} kills by seed ${SEED}`,
  async () => {
    const anvil = await startAnvil();
    const l1 = anvil.client();
    const first = await live(['--seed', '0', '--l1', anvil.url]);
    const client = checkedClient(overHttp(first.url));
    const [account] = await client.call('devnet_getPredeployedAccounts');
    const { address = '', private_key: privateKey = '' } = account ?? {};
    const sender = new Sender(client, { address, privateKey });
    const messenger = await deployMessenger(sender);
    const words = Array.from({ length: MESSAGES }, (_, index) => hex(index + 1));
    for (let start = 0; start < words.length; start += TOGETHER) {
      const batch = words.slice(start, start + TOGETHER);
      await sender.invoke(
        batch.map((word) => ({ to: messenger, name: 'send', calldata: [RECEIVER, '0x1', word] })),
      );
    }
    const waiting = await client.call('devnet_postmanFlush', { dry_run: true });
    expect(waiting.messages_to_l1).toHaveLength(MESSAGES);
    await first.stop();

    const { write, getEvents } = messagingAt(l1, FIRST_CONTRACT);
    const to = [BigInt(messenger), BigInt(selector('deposit'))] as const;
    const relaying = ['--l1', anvil.url, '--l1-auto-relay', '0.005'];
    const arrived: number[] = [];
    const random = new Random(SEED);
    for (let kill = 0; kill < KILLS; kill += 1) {
      // Some more for each life, so that there is something to carry both ways in every one.
      const [from, until] = [kill, kill + 1].map((n) => Math.round((n * MESSAGES) / KILLS));
      for (const word of words.slice(from, until)) {
        const hash = await write.sendMessageToL2([...to, [5n, BigInt(word)]], { value: 10n ** 9n });
        await mined(l1, hash);
      }
      const height = await l1.getBlockNumber({ cacheTime: 0 });
      const life = await live(relaying);
      // Each message makes a block, on one side or on the other.
      const undelivered = MESSAGES - (arrived.at(-1) ?? 0);
      const aim = Math.min(undelivered, random.below(Math.ceil((4 * MESSAGES) / KILLS)));
      const late = AbortSignal.timeout(MAX_LIFE);
      while (!late.aborted) {
        const newBlocks =
          blocksOf(life) + Number((await l1.getBlockNumber({ cacheTime: 0 })) - height);
        if (newBlocks >= aim) break;
        await delay(1);
      }
      await delay(random.below(AFTERMATH));
      await life.kill();
      arrived.push((await getEvents.LogMessageToL1({}, { fromBlock: 0n })).length);
    }
    // They were killed at work, not before or after it.
    console.log(`messages on L1 at each kill: ${arrived.join(' ')}`);
    expect(new Set(arrived).size).toBeGreaterThan(KILLS / 4);

    const last = await live(relaying);
    const reader = checkedClient(overHttp(last.url));
    const heard = (word: string | undefined) =>
      received(l1, FIRST_CONTRACT, {
        from_address: messenger,
        to_address: RECEIVER,
        payload: [word ?? ''],
      });
    const sum = (MESSAGES * (MESSAGES + 1)) / 2;
    await vi.waitFor(
      async () => {
        const [balance] = await read(reader, messenger, 'balance_of', ['0x5']);
        expect(Number(balance)).toBe(sum);
        const undelivered = await reader.call('devnet_postmanFlush', { dry_run: true });
        expect(undelivered.messages_to_l1).toEqual([]);
      },
      { timeout: 180_000, interval: 100 },
    );
    for (const word of words) expect(await heard(word), word).toBe(1);
    const { transaction_count } = await reader.call('devnet_getStatus');
    // A declaration, a deployment, what sent the messages, and one handler each.
    expect(transaction_count).toBe(2 + Math.ceil(MESSAGES / TOGETHER) + MESSAGES);
    await last.stop();
  },
  300_000 + KILLS * 5_000,
);
