import type { IncomingHttpHeaders } from 'node:http';
import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { type AccessOptions, AccessRules } from '../../src/server/access.js';

const TOKEN = 'correct-horse-battery-staple';

const access = (options: Partial<AccessOptions> = {}): AccessRules =>
  new AccessRules({
    host: '127.0.0.1',
    allowedHosts: undefined,
    allowedOrigins: undefined,
    token: undefined,
    ...options,
  });

describe('the name we are called by', () => {
  test.each([
    'localhost',
    'localhost:5050',
    'LOCALHOST:5050',
    'localhost.:5050',
    'app.localhost:5050',
    '127.0.0.1:5050',
    '127.8.9.10',
    '[::1]:5050',
    '[::1]',
    '192.168.1.20:5050',
    undefined,
  ])('%s may be used', (name) => {
    expect(access().admitsHost(name)).toBe(true);
  });

  test.each([
    'evil.example',
    'evil.example:5050',
    'localhost.evil.example',
    '127.0.0.1.evil.example:5050',
    '127.0.0.1.nip.io',
    'notlocalhost',
    'evil.example#localhost',
    'localhost@evil.example',
    'localhost, evil.example',
    'localhost:5050:5050',
    '[::1',
    '[evil]',
    '',
    ' ',
    'x:',
  ])('%j may not', (name) => {
    expect(access().admitsHost(name)).toBe(false);
  });

  test('more can be named', () => {
    const withNames = access({ allowedHosts: ['Box.Example'] });
    expect(withNames.admitsHost('box.example:5050')).toBe(true);
    expect(withNames.admitsHost('other.example')).toBe(false);
    expect(withNames.admitsHost('localhost')).toBe(true);
    expect(access({ allowedHosts: ['*'] }).admitsHost('evil.example')).toBe(true);
  });

  describe('of a node on the network', () => {
    const open = access({ host: '0.0.0.0' });

    test.each([
      'starkbox',
      'starkbox:5050',
      'project_devnet_1:5050',
      'host.docker.internal:5050',
      'starkbox.team.svc.cluster.local:5050',
      'box.home.arpa',
      hostname(),
      '192.168.1.20:5050',
      'localhost:5050',
      undefined,
    ])('%s may be used, because no site can have it', (name) => {
      expect(open.admitsHost(name)).toBe(true);
    });

    test.each([
      'rebound.example',
      'rebound.example:5050',
      'rebound.example.:5050',
      'starkbox.:5050',
      'local.example',
      'internal.example:5050',
      '127.0.0.1.nip.io:5050',
      'home.arpa.example',
      '',
    ])('%j may not: a page of that site could read the seed', (name) => {
      expect(open.admitsHost(name)).toBe(false);
    });

    test('any name may be used with the token, which no page of a site has', () => {
      expect(access({ host: '0.0.0.0', token: TOKEN }).admitsHost('box.example')).toBe(true);
      expect(access({ host: '127.0.0.1', token: TOKEN }).admitsHost('box.example')).toBe(false);
    });

    test('names that are given count alone', () => {
      const withNames = access({ host: '0.0.0.0', allowedHosts: ['a'] });
      expect(withNames.admitsHost('a:5050')).toBe(true);
      expect(withNames.admitsHost('starkbox')).toBe(false);
      expect(access({ host: '0.0.0.0', allowedHosts: ['*'] }).admitsHost('a.example')).toBe(true);
    });

    test('the names in its own addresses may be used', () => {
      const withNames = access({
        host: '0.0.0.0',
        nodeUrl: 'http://one.example:5050',
        publicUrl: 'https://Chains.Example/team',
      });
      expect(withNames.admitsHost('one.example:5050')).toBe(true);
      expect(withNames.admitsHost('chains.example')).toBe(true);
      expect(withNames.admitsHost('two.example')).toBe(false);
      expect(access({ host: 'box.example' }).admitsHost('box.example:5050')).toBe(true);
      expect(access({ host: 'box.example' }).admitsHost('other.example')).toBe(false);
    });

    test('a page of the node under such a name may steer the chain', () => {
      const page = { origin: 'http://starkbox:5050', host: 'starkbox:5050' };
      expect(open.isForeign(page)).toBe(false);
      expect(open.isForeign({ ...page, host: 'other:5050' })).toBe(true);
      expect(access().isForeign(page)).toBe(true);
    });
  });

  test('a refusal names the host that was sent and the option that allows it', () => {
    const refusal = access().hostRefusal('Box.Example:5050');
    expect(refusal).toContain('"Box.Example:5050"');
    expect(refusal).toContain('--allowed-hosts box.example');
    expect(access().hostRefusal('\u001b[31m evil')).not.toContain('\u001b');
    expect(access().hostRefusal('x'.repeat(10_000))?.length).toBeLessThan(400);
    expect(access().hostRefusal('localhost')).toBeUndefined();
  });
});

const foreign = (headers: IncomingHttpHeaders, options?: Partial<AccessOptions>): boolean =>
  access(options).isForeign({ host: 'localhost:5050', ...headers });

describe('the site that calls', () => {
  test('requests without an origin may do everything', () => {
    expect(foreign({})).toBe(false);
    expect(foreign({ 'sec-fetch-site': 'none' })).toBe(false);
  });

  test.each([
    'http://localhost',
    'http://localhost:3000',
    'https://localhost:3000',
    'http://app.localhost:3000',
    'http://127.0.0.1:8080',
    'http://[::1]:3000',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    'moz-extension://3c1a5f0e-1111-2222-3333-444455556666',
    'safari-web-extension://3C1A5F0E-1111-2222-3333-444455556666',
  ])('%s may do everything', (origin) => {
    expect(foreign({ origin })).toBe(false);
  });

  test.each([
    'https://evil.example',
    'http://localhost.evil.example',
    'http://evil-localhost',
    'http://127.0.0.1.evil.example',
    'http://localhost@evil.example',
    'http://evil.example:localhost',
    'http://localhost:3000, https://evil.example',
    'http://localhost/',
    'HTTP://LOCALHOST',
    'null',
    '',
    ' ',
    'file://',
    'ftp://localhost',
    'data:text/html,x',
    'chrome-extension://abc/../..',
    'evil-extension://abc',
    'http://192.168.1.20:3000',
    'http://0.0.0.0:5050',
    'http://2130706433',
  ])('%j may not steer the chain', (origin) => {
    expect(foreign({ origin })).toBe(true);
  });

  test('a page of the node itself may, if its host is an address or an allowed name', () => {
    const isForeign = (host: string, allowedHosts?: string[]) =>
      foreign({ origin: `http://${host}`, host }, { host: '0.0.0.0', allowedHosts });
    expect(isForeign('192.168.1.20:5050')).toBe(false);
    expect(isForeign('box.example:5050')).toBe(true);
    expect(isForeign('box.example:5050', ['box.example'])).toBe(false);
    const other = { origin: 'http://192.168.1.20:3000', host: '192.168.1.20:5050' };
    expect(foreign(other, { host: '0.0.0.0' })).toBe(true);
  });

  test('without an origin, a browser says whether the page is ours', () => {
    expect(foreign({ 'sec-fetch-site': 'cross-site' })).toBe(true);
    expect(foreign({ 'sec-fetch-site': 'same-site' })).toBe(true);
    expect(foreign({ 'sec-fetch-site': 'same-origin' })).toBe(false);
    expect(foreign({ 'sec-fetch-site': 'same-origin', host: 'evil.example' })).toBe(true);
  });

  test('more can be named', () => {
    const allowedOrigins = ['https://app.example', 'null'];
    expect(foreign({ origin: 'https://app.example' }, { allowedOrigins })).toBe(false);
    expect(foreign({ origin: 'null' }, { allowedOrigins })).toBe(false);
    expect(foreign({ origin: 'http://app.example' }, { allowedOrigins })).toBe(true);
    expect(foreign({ origin: 'https://any.example' }, { allowedOrigins: ['*'] })).toBe(false);
  });
});

describe('the token', () => {
  const admits = (headers: IncomingHttpHeaders) => access({ token: TOKEN }).admitsToken(headers);
  const protocol = `starkbox.bearer.${Buffer.from(TOKEN).toString('base64url')}`;

  test('comes in a header, or among the protocols of a WebSocket', () => {
    expect(admits({ authorization: `Bearer ${TOKEN}` })).toBe(true);
    expect(admits({ authorization: `bearer  ${TOKEN}` })).toBe(true);
    expect(admits({ 'sec-websocket-protocol': `starkbox, ${protocol}` })).toBe(true);
    expect(access().admitsToken({})).toBe(true);
  });

  test.each([
    {},
    { authorization: '' },
    { authorization: 'Bearer' },
    { authorization: 'Bearer ' },
    { authorization: TOKEN },
    { authorization: `Basic ${TOKEN}` },
    { authorization: `Bearer ${TOKEN}x` },
    { authorization: `Bearer ${TOKEN.slice(1)}` },
    { authorization: `Bearer ${TOKEN.toUpperCase()}` },
    { authorization: `Bearer ${TOKEN} ${TOKEN}` },
    { 'sec-websocket-protocol': TOKEN },
    { 'sec-websocket-protocol': 'starkbox.bearer.' },
  ])('%j is none', (headers) => {
    expect(admits(headers)).toBe(false);
  });
});
