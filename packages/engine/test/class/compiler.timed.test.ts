// The compiler process under broken and hostile classes.

import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Class, configure, versions } from '@starkbox/engine';
import { threadMilliseconds } from '@starkbox/test-support/thread-time';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { compileElsewhere } from '../fixtures/other-process.js';
import {
  contract,
  endless,
  fresh,
  hex,
  nested,
  packed,
  refused,
  type SierraClass,
  shortString,
  swelling,
  unpacked,
} from '../fixtures/sierra.js';

const REFUSALS = ['class', 'compilation', 'sierra_version', 'class_too_large'];
const BOUND = { compileMillis: 2000 };
const COMPILER = fileURLToPath(new URL('../../starkbox-compiler', import.meta.url));
const MISSING = '/nonexistent/compiler';
const counter = await contract('counter');
const program = counter.sierra_program;
const values = unpacked(program);

const withProgram = (felts: readonly string[]): string => fresh(counter, { sierra_program: felts });
const versioned = (version: string, rest: readonly string[] = program.slice(3)): string =>
  withProgram([...version.split('.').map((part) => hex(Number(part))), ...rest]);

/** A compilation of a good class that nothing has compiled before. */
const compiles = (): Promise<Class> => Class.compile(fresh(counter), BOUND);

/** What each turn of the event loop has computed, in milliseconds. */
const turns: number[] = [];
let turnBegan = 0;
let watching: NodeJS.Timeout | undefined;

function endTurn(): void {
  const now = threadMilliseconds();
  turns.push(now - turnBegan);
  turnBegan = now;
}

function watchTurns(): void {
  turns.length = 0;
  turnBegan = threadMilliseconds();
  watching = setInterval(endTurn, 10);
}

function medianTurn(): number {
  return turns.sort((a, b) => a - b)[Math.floor(turns.length / 2)] ?? 0;
}

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'starkbox-'));
  configure({ cacheDir: null });
  watchTurns();
});

afterEach(async () => {
  clearInterval(watching);
  endTurn();
  configure();
  await rm(folder, { recursive: true, force: true });
  // A compilation on this thread would stop it for most of the test.
  expect(medianTurn(), 'median work of a turn, in ms').toBeLessThan(400);
});

describe('a program that is none', () => {
  test('twenty zeros are refused at once', async () => {
    const error = await refused(withProgram(Array(20).fill('0x0')), BOUND);
    expect(error.kind).toBe('sierra_version');
    expect(error.message).toContain('universal-sierra-compiler');
  });

  test('twenty zeros behind a good version do not compile', async () => {
    const error = await refused(versioned('1.6.0', Array(20).fill('0x0')), BOUND);
    expect(error.kind).toBe('compilation');
  });

  test('the empty program is no class', async () => {
    expect((await refused(withProgram([]))).kind).toBe('class');
  });

  test('version felts alone are refused', async () => {
    expect((await refused(withProgram(program.slice(0, 2)))).kind).toBe('sierra_version');
    expect((await refused(withProgram(program.slice(0, 3)))).kind).toBe('compilation');
    expect((await refused(withProgram(program.slice(0, 6)))).kind).toBe('compilation');
  });

  test('a program that was cut off is refused wherever the cut is', async () => {
    const cuts = [1, 4, 5, 7, 8, 9, 10, 20, 50, 100, 200, 235, 236, 237, 300, 350];
    for (const cut of [...cuts, program.length - 1]) {
      const { kind } = await refused(withProgram(program.slice(0, cut)), BOUND);
      expect(kind, `cut at ${cut}`).toBe(cut < 3 ? 'sierra_version' : 'compilation');
    }
  });

  test('lengths that promise more than there is are refused', async () => {
    for (const length of [2n ** 31n, 2n ** 52n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 250n]) {
      for (const index of [6, 7, 8 + Number(program[6])]) {
        const error = await refused(withProgram(program.with(index, hex(length))), BOUND);
        expect(error.kind, `${length} at ${index}`).toBe('compilation');
      }
      const inner = packed(program, values.with(0, length));
      expect((await refused(withProgram(inner), BOUND)).kind).toBe('compilation');
    }
  });

  test('felts that were changed or swapped at random are refused, or make another good class', async () => {
    const inner = fc.tuple(fc.nat(values.length - 1), fc.nat(values.length - 1), fc.nat(60));
    const outer = fc.tuple(
      fc.integer({ min: 6, max: program.length - 1 }),
      fc.bigInt(0n, 2n ** 251n),
    );
    const change = fc.oneof(
      outer.map(([at, felt]) => program.with(at, hex(felt))),
      inner.map(([at, , value]) => packed(program, values.with(at, BigInt(value)))),
      inner.map(([at, other]) =>
        packed(program, values.with(at, values[other] ?? 0n).with(other, values[at] ?? 0n)),
      ),
    );
    const property = fc.asyncProperty(change, async (felts) => {
      const result = await Class.compile(withProgram(felts), BOUND).catch(
        (error: unknown) => error,
      );
      if (!(result instanceof Class)) expect(REFUSALS).toContain(Object(result).kind);
    });
    await fc.assert(property, { numRuns: 40 });
  });

  test('deep nesting is refused or compiled, never fatal', async () => {
    const lists = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect((await refused(`{"sierra_program":${lists}}`)).kind).toBe('class');
    expect((await refused(`{"program":${lists},"entry_points_by_type":{}}`)).kind).toBe('class');
    const deep = await Class.compile(JSON.stringify({ ...counter, abi: lists }), BOUND);
    expect(deep.figures.abiBytes).toBe(lists.length);
    await Class.compile(fresh(nested(5000)), { compileMillis: 5000 });
  });

  test('entry points that the program does not have are refused', async () => {
    const beyond = {
      EXTERNAL: [{ selector: '0x1', function_idx: 1000 }],
      L1_HANDLER: [],
      CONSTRUCTOR: [],
    };
    const error = await refused(fresh(counter, { entry_points_by_type: beyond }), BOUND);
    expect(error.kind).toBe('compilation');
  });
});

describe('a Sierra version', () => {
  const newest = versions().sierra;
  const [major = 0, minor = 0] = newest.split('.').map(Number);

  test.each(['1.4.0', '1.6.0', `${major}.${minor}.0`, newest, `${major}.${minor}.99`])(
    '%s is read',
    async (version) => {
      const compiled = await Class.compile(versioned(version), BOUND);
      expect(compiled.figures.sierraVersion).toBe(version);
    },
  );

  test.each([`${major}.${minor + 1}.0`, `${major + 1}.0.0`, '5.6.0'])(
    '%s is too new, and the message names the newest that is read',
    async (version) => {
      const error = await refused(versioned(version), BOUND);
      expect(error.kind).toBe('sierra_version');
      expect(error.message).toContain(version);
      expect(error.message).toContain(newest);
    },
  );

  test.each([
    ['0.1.0 in three felts', versioned('0.1.0')],
    ['0.1.0 in one felt of text', withProgram([shortString('0.1.0'), ...program.slice(3)])],
    ['1.0.0 that does not compile', versioned('1.0.0', program.slice(3, 100))],
    ['1.3.0 that does not compile', versioned('1.3.0', program.slice(3, 100))],
  ])('%s is too old, and the message names a converter', async (_, text) => {
    const error = await refused(text, BOUND);
    expect(error.kind).toBe('sierra_version');
    expect(error.message).toContain('universal-sierra-compiler');
  });

  test('beyond any number is refused', async () => {
    const error = await refused(withProgram([hex(2n ** 250n), ...program.slice(1)]));
    expect(error.kind).toBe('sierra_version');
  });
});

describe('a class that hurts the compiler', () => {
  test('is stopped when its time is over', async () => {
    const error = await refused(fresh(endless), { compileMillis: 300 });
    expect(error.kind).toBe('compilation');
    expect(error.message).toContain('longer than 0.3 s');
  });

  test('is stopped when its memory is used up', async () => {
    const file = new URL('../../../argent-classes/classes/argent.json', import.meta.url);
    const large: SierraClass = JSON.parse(await readFile(file, 'utf8'));
    for (const sierra of [large, swelling(50)]) {
      const error = await refused(fresh(sierra), { compilerMemory: 8 << 20 });
      expect(error.kind).toBe('compilation');
      expect(error.message).toContain('more than 8 MiB');
    }
  });

  test('is too large if little Sierra becomes much bytecode', async () => {
    const text = fresh(swelling(10));
    expect((await refused(text, { bytecodeFelts: 81_920 })).kind).toBe('class_too_large');
    expect((await refused(text, { compiledBytes: 500_000 })).kind).toBe('class_too_large');
  });

  test('stops neither the event loop nor other compilations', async () => {
    const hostile = [
      fresh(endless),
      withProgram(program.slice(0, 50)),
      fresh(endless),
      fresh(swelling(20)),
      withProgram(Array(20).fill('0x0')),
      fresh(endless),
    ];
    const limits = { compileMillis: 500, bytecodeFelts: 81_920 };
    const [errors, ...good] = await Promise.all([
      Promise.all(hostile.map((text) => refused(text, limits))),
      compiles(),
      compiles(),
    ]);
    for (const { kind } of errors) expect(REFUSALS).toContain(kind);
    expect(new Set(good.map((compiled) => compiled.figures.bytecodeFelts))).toEqual(new Set([598]));
    expect((await compiles()).figures.bytecodeFelts).toBe(598);
  });

  /** A compiler that writes down its process id first. */
  async function tellingCompiler(): Promise<() => Promise<number>> {
    const [script, note] = [join(folder, 'compiler'), join(folder, 'pid')];
    await writeFile(script, `#!/bin/sh\necho $$ > "${note}"\nexec "${COMPILER}" "$@"\n`);
    await chmod(script, 0o755);
    configure({ compiler: script, cacheDir: null });
    return async () => Number.parseInt(await readFile(note, 'utf8').catch(() => ''), 10);
  }

  function runs(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }

  describe.skipIf(process.platform === 'win32')('leaves no compiler behind', () => {
    test('when it was stopped', async () => {
      const pid = await tellingCompiler();
      await refused(fresh(endless), { compileMillis: 300 });
      expect(runs(await pid())).toBe(false);
    });

    test('when the process that wanted it is killed', async () => {
      const pid = await tellingCompiler();
      const compiler = join(folder, 'compiler');
      const child = compileElsewhere(
        fresh(endless),
        { compiler, cacheDir: null },
        { compileMillis: 20_000 },
      );
      let compiling = Number.NaN;
      while (Number.isNaN(compiling)) {
        await pause(20);
        compiling = await pid();
      }
      child.kill();
      await child.answer;
      for (let i = 0; i < 100 && runs(compiling); i++) await pause(20);
      const orphaned = runs(compiling);
      if (orphaned) process.kill(compiling, 'SIGKILL');
      expect(orphaned).toBe(false);
    });
  });
});

test.skipIf(process.platform === 'win32')(
  'the compiler gets no variables of the environment that may be secret',
  async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('STARKBOX_AUTH_TOKEN', 'secret');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const [script, note] = [join(folder, 'compiler'), join(folder, 'environment')];
    await writeFile(script, `#!/bin/sh\nenv > "${note}"\nexec "${COMPILER}" "$@"\n`);
    await chmod(script, 0o755);
    configure({ compiler: script, cacheDir: null });
    await compiles();
    const names = (await readFile(note, 'utf8')).split('\n').map((line) => line.split('=')[0]);
    // Set by the shell itself.
    const ofShell = new Set(['', '_', 'PWD', 'OLDPWD', 'SHLVL', 'LD_LIBRARY_PATH']);
    expect(names.filter((name) => name !== undefined && !ofShell.has(name))).toEqual([]);
  },
);

test('a compiler that is missing is named in the refusal', async () => {
  configure({ compiler: MISSING, cacheDir: null });
  const error = await refused(fresh(counter));
  expect(error.kind).toBe('compilation');
  expect(error.message).toContain(MISSING);
  expect(error.message).toContain('cannot be started');
});
