// The transcript of a task: a scripted agent looks for the bug of a contract by the tools of `starkbox mcp`, and decides by
// their answers. The guide has the transcript.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { classTextWithPlaces } from '../../../contracts/classes.js';
import { connectMcp } from './support/mcp-client.js';

const SOURCE = fileURLToPath(new URL('../../../contracts/src/club.cairo', import.meta.url));
const GUIDE = new URL('../../../docs/guides/mcp.md', import.meta.url);

/** A Scarb package with a compiled class. */
const folder = mkdtempSync(join(tmpdir(), 'starkbox-club-'));
mkdirSync(join(folder, 'contracts/src'), { recursive: true });
mkdirSync(join(folder, 'contracts/target/dev'), { recursive: true });
writeFileSync(join(folder, 'contracts/Scarb.toml'), '[package]\nname = "club"\n');
// The agent does not read which line is planted.
const source = readFileSync(SOURCE, 'utf8').replace(/ *\/\/ planted: .*/, '');
writeFileSync(join(folder, 'contracts/src/club.cairo'), source);
const CLASS = join(folder, 'contracts/target/dev/club.contract_class.json');
writeFileSync(CLASS, await classTextWithPlaces('club'));

const mcp = await connectMcp();
afterAll(async () => {
  await mcp.close();
  rmSync(folder, { recursive: true });
});

/** What the agent did and read, with short names instead of addresses. */
const transcript: string[] = [];
const names = new Map<string, string>([[folder, '.']]);

function withNames(text: string): string {
  return [...names].reduce((named, [value, name]) => named.replaceAll(value, name), text);
}

/** Uses a tool, and notes the call and the part of its answer that the next decision uses. */
async function use<T>(
  tool: string,
  input: Record<string, unknown>,
  schema: z.ZodType<T>,
  noted: (answer: T) => unknown,
): Promise<T> {
  const answer = schema.parse(await mcp.json(tool, input));
  transcript.push(`> ${tool} ${withNames(JSON.stringify(input))}`);
  transcript.push(`  ${withNames(JSON.stringify(noted(answer)))}`);
  return answer;
}

function decide(text: string): void {
  transcript.push(withNames(text), '');
}

interface Call {
  readonly contract_address: string;
  readonly function: string;
  readonly arguments: readonly unknown[];
  readonly caller: string;
}

/** Values that the agent tries for a parameter of a type. */
function valuesFor(type: string, members: readonly string[]): readonly string[] {
  if (type === 'ContractAddress') return members;
  if (/^u\d+$/.test(type)) return ['1'];
  throw new Error(`no values for ${type}`);
}

interface Parameter {
  readonly name: string;
  readonly type: string;
}

/** The name, parameters and result of a signature that `declare_contract` returns. */
type Signature = ReturnType<typeof readSignature>;

function readSignature(text: string) {
  const [, name = '', inputs = '', output] = /^(\w+)\((.*)\)(?: -> (.*))?$/.exec(text) ?? [];
  const parameters = inputs
    .split(', ')
    .filter(Boolean)
    .map((input): Parameter => {
      const [parameter = '', type = ''] = input.split(': ');
      return { name: parameter, type };
    });
  return { name, parameters, output };
}

/** The sum of the slots of a map. */
function sumOf(storage: Readonly<Record<string, string>>, map: string): bigint {
  const values = Object.entries(storage).filter(([name]) => name.startsWith(`${map}[`));
  return values.reduce((sum, [, value]) => sum + BigInt(value), 0n);
}

const DECLARED = z.object({ class_hash: z.string(), functions: z.array(z.string()) });
const DEPLOYED = z.object({ contract_address: z.string() });
const TRIED = z.object({
  rows: z.array(
    z.object({ attempt: z.string(), storage: z.record(z.string(), z.string()), gas: z.number() }),
  ),
  differs: z.array(z.string()),
});
const DEBUGGED = z.object({
  at: z.string(),
  source: z.array(z.string()),
  variables: z.record(z.string(), z.string()),
  storage: z.array(z.object({ slot: z.string(), value: z.string() })),
  writes: z.array(z.object({ at: z.string(), slot: z.string(), from: z.string(), to: z.string() })),
});

/** Deploys the contract, and returns its address and its functions. */
async function deployClub(): Promise<{
  readonly contract: string;
  readonly signatures: readonly Signature[];
}> {
  const { class_hash, functions } = await use(
    'declare_contract',
    { path: CLASS },
    DECLARED,
    (declared) => declared.functions,
  );
  names.set(class_hash, 'CLASS');
  const { contract_address } = await use(
    'deploy_contract',
    { class_hash, salt: '0x1' },
    DEPLOYED,
    (deployed) => {
      names.set(deployed.contract_address, 'CLUB');
      return deployed;
    },
  );
  return { contract: contract_address, signatures: functions.map(readSignature) };
}

/** Tries each action behind a deposit, and returns the calls after which the balances differ from the total. */
async function findSequence(
  contract: string,
  signatures: readonly Signature[],
  members: readonly string[],
): Promise<readonly Call[]> {
  const [caller = ''] = members;
  // Functions without a result are actions; the others are views.
  const [deposit, ...actions] = signatures
    .filter(({ output }) => output === undefined)
    .flatMap(({ name, parameters }) => {
      const lists = parameters.map(({ type }) => valuesFor(type, members));
      const combinations = lists.reduce<readonly (readonly string[])[]>(
        (all, list) => all.flatMap((before) => list.map((value) => [...before, value])),
        [[]],
      );
      return combinations.map(
        (values): Call => ({
          contract_address: contract,
          function: name,
          arguments: values,
          caller,
        }),
      );
    });
  if (!deposit) throw new Error('the contract has no actions');
  decide(
    `After ${deposit.function}, each other action by ${caller}. The balances must sum up to the total.`,
  );
  const attempts = actions.map((action) => ({
    name: withNames(`${action.function} ${action.arguments.join(' ')}`),
    calls: [deposit, action],
  }));
  const tried = await use('try_calls', { attempts }, TRIED, ({ rows }) =>
    rows.map(({ attempt, storage }) => ({ attempt, storage })),
  );
  const broken = tried.rows.filter(
    ({ storage }) => sumOf(storage, 'balances') !== BigInt(storage['total'] ?? 0),
  );
  expect(tried.differs).toContain('storage');
  expect(broken).toHaveLength(1);
  const guilty = attempts.find(({ name }) => name === broken[0]?.attempt);
  if (!guilty) throw new Error('no attempt breaks the property');
  decide(`Only "${guilty.name}" by ${caller} breaks it: giver and receiver are the same.`);
  return guilty.calls;
}

/** Debugs the last call, and returns the file and line of the wrong write. */
async function findLine(
  calls: readonly Call[],
  last: Call,
): Promise<{ readonly file: string | undefined; readonly line: number }> {
  const entered = await use(
    'debug_at_line',
    { calls: calls, function: last.function },
    DEBUGGED,
    ({ at, writes }) => ({ at, writes }),
  );
  // A member's balance must change by the amount alone.
  const amount = BigInt(String(last.arguments.at(-1)));
  const wrong = entered.writes.find(({ from, to }) => {
    const change = BigInt(to) - BigInt(from);
    return change !== amount && change !== -amount;
  });
  if (!wrong) throw new Error('no write is wrong');
  decide(
    `${wrong.at} changes ${wrong.slot} from ${wrong.from} to ${wrong.to}, not by ${amount}. Which value does it use?`,
  );

  const [file, line] = wrong.at.split(':');
  const stopped = await use(
    'debug_at_line',
    { calls: calls, file, line: Number(line) },
    DEBUGGED,
    ({ source, variables, storage }) => ({
      source: source.filter((text) => text.startsWith('>')),
      variables,
      storage,
    }),
  );
  const held = stopped.storage.find(({ slot }) => slot === wrong.slot)?.value ?? '0x0';
  const used = BigInt(wrong.to) - amount;
  const earlier = entered.writes.find(
    ({ slot, from }) => slot === wrong.slot && BigInt(from) === used,
  );
  expect(BigInt(held)).not.toBe(used);
  if (!earlier) throw new Error('the value was never in the slot');
  decide(
    `It adds ${amount} to ${used}, the balance before ${earlier.at}. By now the balance is ${BigInt(held)}: the value is stale. The bug is at ${wrong.at}.`,
  );
  return { file, line: Number(line) };
}

test('an agent finds the line of a bug', { timeout: 120_000 }, async () => {
  await mcp.json('start_chain', { accounts: 2, artifacts: join(folder, 'contracts/target/dev') });
  const accounts = z
    .array(z.object({ address: z.string() }))
    .parse(await mcp.json('list_accounts'));
  const members = accounts.map(({ address }) => address);
  for (const [at, address] of members.entries()) names.set(address, ['ALICE', 'BOB'][at] ?? '');

  const { contract, signatures } = await deployClub();
  const calls = await findSequence(contract, signatures, members);
  const last = calls.at(-1);
  if (!last) throw new Error('there is no sequence');
  const { file, line } = await findLine(calls, last);

  const planted = readFileSync(SOURCE, 'utf8')
    .split('\n')
    .findIndex((text) => text.includes('// planted:'));
  expect(line).toBe(planted + 1);
  expect(file).toBe('contracts/src/club.cairo');

  const guide = readFileSync(GUIDE, 'utf8');
  const [, written = ''] = /<!-- transcript -->\n+```text\n([\s\S]*?)```/.exec(guide) ?? [];
  expect(written.trim()).toBe(transcript.join('\n').trim());
});
