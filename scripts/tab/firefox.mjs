// Runs the tour of `starkbox/browser` in Firefox, which is driven by WebDriver BiDi.
//
//   node scripts/tab/firefox.mjs    after `npm run build`; FIREFOX names another executable than firefox-esr
import { deepStrictEqual, match } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { createChain } from '../../packages/starkbox/dist/index.js';
import { expectedTour } from './expected.mjs';
import { openSite } from './site.mjs';

const EXECUTABLE = process.env['FIREFOX'] ?? 'firefox-esr';
const LISTENING = /WebDriver BiDi listening on (ws:\/\/\S+)/;

/** A session of WebDriver BiDi. */
class Session {
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  #socket;
  #lastId = 0;

  /** @param {WebSocket} socket */
  constructor(socket) {
    this.#socket = socket;
    socket.on('message', (data) => {
      const { id, type, result, error, message } = JSON.parse(String(data));
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (type === 'success') waiting?.resolve(result);
      else waiting?.reject(new Error(`${error}: ${message}`));
    });
  }

  /**
   * @param {string} method
   * @param {object} params
   * @returns {Promise<any>}
   */
  call(method, params) {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /**
   * Calls a function of the page that returns a string.
   *
   * @param {string} context
   * @param {string} body of an async function, with `argument`
   * @param {string} argument
   * @returns {Promise<string>}
   */
  async evaluate(context, body, argument) {
    const { type, result, exceptionDetails } = await this.call('script.callFunction', {
      functionDeclaration: `async (argument) => { ${body} }`,
      arguments: [{ type: 'string', value: argument }],
      target: { context },
      awaitPromise: true,
    });
    if (type === 'exception') throw new Error(exceptionDetails.text);
    return result.value;
  }
}

/**
 * @param {string} profile a folder
 * @returns {Promise<{ readonly process: import('node:child_process').ChildProcess, readonly url: string }>}
 */
async function startFirefox(profile) {
  const options = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile];
  const child = spawn(EXECUTABLE, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await new Promise((resolve, reject) => {
    let output = '';
    child.stderr.on('data', (data) => {
      output += data;
      const [, address] = LISTENING.exec(output) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.on('error', (error) =>
      reject(
        new Error(`${EXECUTABLE} cannot be started: apt-get install firefox-esr`, { cause: error }),
      ),
    );
    child.on('exit', (code) => reject(new Error(`Firefox ended with code ${code}: ${output}`)));
  });
  return { process: child, url };
}

/** @param {string} url @param {string} siteUrl @param {string} nodeUrl */
async function tourIn(url, siteUrl, nodeUrl) {
  const socket = new WebSocket(`${url}/session`);
  await once(socket, 'open');
  const session = new Session(socket);
  const { capabilities } = await session.call('session.new', { capabilities: {} });
  const { context } = await session.call('browsingContext.create', { type: 'tab' });
  await session.call('browsingContext.navigate', { context, url: siteUrl, wait: 'complete' });
  const text = await session.evaluate(
    context,
    'return JSON.stringify(await window.tour(argument))',
    nodeUrl,
  );
  socket.close();
  return { version: capabilities.browserVersion, results: JSON.parse(text) };
}

const profile = mkdtempSync(join(tmpdir(), 'starkbox-firefox-'));
const node = await createChain({ seed: 1, accounts: 1, port: 0 });
const { url: nodeUrl } = await node.listen();
const expected = await expectedTour(createChain, node);
const site = await openSite();
const firefox = await startFirefox(profile);
try {
  const { version, results } = await tourIn(firefox.url, site.url, nodeUrl);
  deepStrictEqual(Object.keys(results), Object.keys(expected));
  for (const [name, value] of Object.entries(expected)) {
    if (value instanceof RegExp) match(results[name], value);
    else deepStrictEqual(results[name], value, name);
  }
  console.log(`Firefox ${version}: ${Object.keys(expected).length} results as expected`);
} finally {
  const ended = once(firefox.process, 'exit');
  firefox.process.kill();
  await ended;
  site.close();
  await node.close();
  rmSync(profile, { recursive: true, force: true });
}
