// Texts from outside on a terminal and in the log: no control characters, and no unbounded lengths.
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { listen } from '@starkbox/test-support/listen';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../src/cli/cli.js';
import { createChain, type LocalChain } from '../../src/index.js';
import { createLog, type LogOptions } from '../../src/log.js';
import { painter, shortenText, visible, visiblePainted } from '../../src/terminal.js';

const ESCAPE = '\u001b';
/** Clears the screen, moves the cursor, sets the title, deletes, reverses: all that a terminal could act on. */
const HOSTILE = `a${ESCAPE}[2J${ESCAPE}]0;title\u0007b\rc\u009b31md\u007fe\u202ef`;
const SHOWN = 'a\\u001b[2J\\u001b]0;title\\u0007b\\u000dc\\u009b31md\\u007fe\\u202ef';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/;

describe('a text', () => {
  test('shows its control characters as escapes', () => {
    expect(visible(HOSTILE)).toBe(SHOWN);
    expect(visible('two\n\tlines: äöü 🦀 中文')).toBe('two\n\tlines: äöü 🦀 中文');
  });

  test('that is JSON stays equal', () => {
    const text = JSON.stringify({ [HOSTILE]: HOSTILE }, null, 2);
    expect(JSON.parse(visible(text))).toEqual({ [HOSTILE]: HOSTILE });
    expect(visible(text)).not.toMatch(CONTROL);
  });

  test('keeps the colours that were painted, if colours are on', () => {
    const painted = `${painter(true)('red', 'error')} ${HOSTILE}`;
    expect(visiblePainted(painted, true)).toBe(`${ESCAPE}[31merror${ESCAPE}[0m ${SHOWN}`);
    expect(visiblePainted(painted, false)).not.toMatch(CONTROL);
  });

  test('is cut, and says how long it was', () => {
    expect(shortenText('x'.repeat(100), 10)).toBe('xxxxxxxxxx… (100 characters)');
    expect(shortenText('short', 10)).toBe('short');
  });
});

function recordingLog(format: LogOptions['format']) {
  const lines: string[] = [];
  const output = { write: (text: string) => lines.push(text) };
  return { log: createLog({ level: 'debug', format }, output), lines };
}

describe.each(['pretty', 'json'] as const)('the log as %s', (format) => {
  test('has no control characters, in messages, fields and errors', () => {
    const { log, lines } = recordingLog(format);
    log.warn(HOSTILE);
    log.warn({ file: HOSTILE, list: [HOSTILE], err: new Error(HOSTILE) }, HOSTILE);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).not.toMatch(CONTROL);
  });

  test('cuts long messages', () => {
    const { log, lines } = recordingLog(format);
    log.warn('x'.repeat(1_000_000));
    expect(lines[0]?.length).toBeLessThan(100_000);
    expect(lines[0]).toContain('(1000000 characters)');
  });
});

test('a line break in a text does not begin a line of the log', () => {
  const { log, lines } = recordingLog('pretty');
  log.info('first\n    0.001s INFO  forged');
  expect(lines[0]?.split('\n').slice(1)).toEqual(['        0.001s INFO  forged', '']);
});

const JSON_TYPE = { 'content-type': 'application/json' };

describe('an origin or an artifact with such texts', () => {
  let folder: string;
  let origin: LocalChain;
  let server: Server;
  let url: string;
  let isFailing = false;
  const open: LocalChain[] = [];

  beforeAll(async () => {
    folder = temporaryFolderOfFile();
    origin = await createChain({ seed: 0, port: 0 });
    const target = (await origin.listen()).url;
    const message = `rate limit: ${HOSTILE.repeat(5000)}`;
    server = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request.setEncoding('utf8')) body += piece;
      const questions: readonly { readonly id: number }[] = [JSON.parse(body)].flat();
      if (isFailing) {
        const answers = questions.map(({ id }) => ({
          jsonrpc: '2.0',
          id,
          error: { code: -32000, message },
        }));
        response.end(JSON.stringify(body.startsWith('[') ? answers : answers[0]));
        return;
      }
      const answer = await fetch(target, { method: 'POST', headers: JSON_TYPE, body });
      response.end(await answer.text());
    });
    url = `http://127.0.0.1:${await listen(server)}`;
  });
  afterEach(() => {
    isFailing = false;
  });
  afterAll(async () => {
    await Promise.all(open.map((node) => node.close()));
    server.closeAllConnections();
    server.close();
    await origin.close();
  });

  test('is logged in one short line', async () => {
    const { log, lines } = recordingLog('pretty');
    const fork = await createChain(
      { seed: 1, forkNetwork: url, forkUpstreamCaching: false },
      { log },
    );
    open.push(fork);
    isFailing = true;
    const params = { block_id: 'latest', contract_address: '0x99' } as const;
    await expect(fork.request('starknet_getNonce', params)).rejects.toThrow();
    const logged = lines.filter((line) => line.includes('origin'));
    expect(logged.length).toBeGreaterThan(0);
    for (const line of logged) {
      expect(line).not.toMatch(CONTROL);
      expect(line.length).toBeLessThan(10_000);
    }
  });

  test('ends a start with a short reason', async () => {
    isFailing = true;
    const out: string[] = [];
    const output = { write: (text: string) => out.push(text) };
    const argv = ['--port', '0', '--fork-network', url, '--fork-upstream-caching', 'false'];
    const outcome = await run({ argv, env: {}, directory: folder, stdout: output, stderr: output });
    expect(outcome).toEqual({ exitCode: 1 });
    const printed = out.join('');
    expect(printed).toContain('a\\u001b[2J');
    expect(printed).not.toMatch(CONTROL);
    expect(printed.length).toBeLessThan(20_000);
  });

  test('is named in the log without them', async () => {
    const { log, lines } = recordingLog('pretty');
    writeFileSync(join(folder, `${ESCAPE}[2Jevil.contract_class.json`), '{ broken');
    open.push(await createChain({ seed: 1, artifacts: folder }, { log }));
    const logged = lines.filter((line) => line.includes('evil'));
    expect(logged.length).toBeGreaterThan(0);
    for (const line of logged) expect(line).not.toMatch(CONTROL);
  });
});
