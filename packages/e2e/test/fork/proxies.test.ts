// Forks through a forward proxy that the environment names. Only the proxy resolves the origin's host.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { type ListeningNode, startNode } from '@starkbox/test-support';
import { ForwardProxy } from '@starkbox/test-support/fork/forward-proxy';
import { mint } from '@starkbox/test-support/fork/pair';
import { listen } from '@starkbox/test-support/listen';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';

const HOST = 'origin.invalid';
const ADDRESS = '0xabc';

let origin: ListeningNode;

beforeAll(async () => {
  origin = await startNode({ listen: true, allowedHosts: [HOST] });
  await mint(origin, ADDRESS, 1000);
});
afterAll(() => origin.close());

/** A fork in a process of its own, without variables of the machine. */
async function fork(
  url: string,
  variables: Readonly<Record<string, string>>,
  use: (command: RunningCommand) => Promise<void> = async () => {},
): Promise<void> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [
    '-u',
    name,
    '-u',
    name.toLowerCase(),
  ]);
  const values = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const options = [
    '--fork-network',
    url,
    '--fork-upstream-caching',
    'false',
    '--fork-timeout',
    '20',
  ];
  const command = await RunningCommand.start(options, { shell: ['env', ...names, ...values] });
  try {
    await use(command);
  } finally {
    await command.stop();
  }
}

async function readBalance(command: RunningCommand): Promise<void> {
  const params = { address: ADDRESS, unit: 'FRI' };
  const balance = await origin.client.call('devnet_getAccountBalance', params);
  expect(await command.call('devnet_getAccountBalance', params)).toEqual(balance);
}

test.each(['HTTP_PROXY', 'http_proxy'])('%s forwards the requests of a fork', async (variable) => {
  await using proxy = await ForwardProxy.start({ [HOST]: Number(new URL(origin.url).port) });
  const url = `http://${HOST}/rpc`;
  await fork(url, { [variable]: `user:p%40ss@${proxy.address}` }, readBalance);
  expect(proxy.requests.length).toBeGreaterThan(3);
  expect(new Set(proxy.requests)).toEqual(new Set([`POST ${url}`]));
  const basic = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  expect(proxy.authorizations).toEqual(new Set([basic]));
  // Connections stay open.
  expect(proxy.connections).toBeLessThan(proxy.requests.length);
});

test('HTTPS_PROXY tunnels to an origin of https, over connections that stay open', async () => {
  const folder = temporaryFolderOfFile();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
  const self = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  execFileSync('openssl', [...self, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
  let passed = 0;
  const { port } = new URL(origin.url);
  const secure = createServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (incoming, response) => {
      passed += 1;
      const { headers, url: path } = incoming;
      const plain = request(
        { host: '127.0.0.1', port, method: 'POST', path, headers },
        (answer) => {
          answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers));
        },
      );
      incoming.pipe(plain);
    },
  );
  await using proxy = await ForwardProxy.start({ [HOST]: await listen(secure) });
  try {
    const variables = { HTTPS_PROXY: `http://${proxy.address}`, NODE_EXTRA_CA_CERTS: cert };
    await fork(`https://${HOST}/rpc`, variables, readBalance);
    expect(passed).toBeGreaterThan(3);
    expect(new Set(proxy.requests)).toEqual(new Set([`CONNECT ${HOST}:443`]));
    expect(proxy.requests.length).toBeLessThan(passed);
  } finally {
    secure.closeAllConnections();
    secure.close();
  }
});

test('NO_PROXY excludes hosts; without it, this computer is no exception', async () => {
  await using proxy = await ForwardProxy.start({ '127.0.0.1': Number(new URL(origin.url).port) });
  const variables = { HTTP_PROXY: `http://${proxy.address}` };
  await fork(origin.url, { ...variables, NO_PROXY: 'example.com,127.0.0.1' }, readBalance);
  expect(proxy.requests).toEqual([]);
  await fork(origin.url, variables, readBalance);
  expect(proxy.requests.length).toBeGreaterThan(0);
});

test('an error names the variable of a proxy that rejects, is absent or malformed', async () => {
  await using proxy = await ForwardProxy.start({});
  proxy.refusal = 403;
  const address = `http://${proxy.address}`;
  const suffix = (variable: string): string =>
    `through the proxy ${address} of ${variable}; NO_PROXY lists exceptions`;
  await expect(fork(`http://${HOST}`, { HTTP_PROXY: address })).rejects.toThrow(
    `it returned status 403, ${suffix('HTTP_PROXY')}`,
  );
  await expect(fork(`https://${HOST}`, { https_proxy: address })).rejects.toThrow(
    `the proxy returned status 403 for CONNECT ${HOST}:443), ${suffix('https_proxy')}`,
  );
  await proxy[Symbol.asyncDispose]();
  await expect(fork(`http://${HOST}`, { HTTP_PROXY: address })).rejects.toThrow(
    `Connection refused (ECONNREFUSED), ${suffix('HTTP_PROXY')}`,
  );
  await expect(fork(`http://${HOST}`, { HTTP_PROXY: 'socks5://me:secret@host' })).rejects.toThrow(
    'HTTP_PROXY: expected an address such as http://proxy:3128, got one of socks5',
  );
});
