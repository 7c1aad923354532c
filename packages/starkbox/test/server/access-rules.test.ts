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

    test('the name that it listens on may be used', () => {
      expect(access({ host: 'box.example' }).admitsHost('box.example:5050')).toBe(true);
      expect(access({ host: 'box.example' }).admitsHost('other.example')).toBe(false);
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

describe('the page that calls', () => {
  const OPEN: Partial<AccessOptions> = { host: '0.0.0.0' };
  const NAMED: Partial<AccessOptions> = {
    allowedOrigins: ['https://app.example', 'null', 'http://[2001:db8::1]:3000'],
  };
  const ANY: Partial<AccessOptions> = { allowedOrigins: ['*'] };
  const OWN_NAME: Partial<AccessOptions> = { ...OPEN, allowedHosts: ['box.example'] };

  /** Whether the headers of a request pass, with `Host: localhost:5050` unless they have another. */
  test.each<[string, IncomingHttpHeaders, boolean, Partial<AccessOptions>?]>([
    // Programs.
    ['a program', {}, true],
    ['an address that the user typed', { 'sec-fetch-site': 'none' }, true],
    // Pages of this machine.
    ['localhost', { origin: 'http://localhost' }, true],
    ['a port of localhost', { origin: 'http://localhost:3000' }, true],
    ['localhost with TLS', { origin: 'https://localhost:3000' }, true],
    ['a name below localhost', { origin: 'http://app.localhost:3000' }, true],
    ['127.0.0.1', { origin: 'http://127.0.0.1:8080' }, true],
    ['another address of 127.*', { origin: 'http://127.8.9.10' }, true],
    ['[::1]', { origin: 'http://[::1]:3000' }, true],
    // Browser extensions.
    ['Chrome', { origin: 'chrome-extension://abcdefghijklmnopabcdefghijklmnop' }, true],
    ['Firefox', { origin: 'moz-extension://3c1a5f0e-1111-2222-3333-444455556666' }, true],
    ['Safari', { origin: 'safari-web-extension://3C1A5F0E-1111-2222-3333-444455556666' }, true],
    ['an extension with a path', { origin: 'chrome-extension://abc/../..' }, false],
    ['another scheme', { origin: 'evil-extension://abc' }, false],
    // The explorer: a page of the node itself, by an address or a name of the node.
    ['the node by its address', own('192.168.1.20:5050'), true, OPEN],
    ['the node by a private name', own('starkbox:5050'), true, OPEN],
    ['the node by an allowed name', own('box.example:5050'), true, OWN_NAME],
    ['the node by a public name', own('box.example:5050'), false, OPEN],
    ['a private name on loopback', own('starkbox:5050'), false],
    ['another host', { ...own('starkbox:5050'), host: 'other:5050' }, false, OPEN],
    ['another port', { origin: 'http://10.0.0.2:3000', host: '10.0.0.2:5050' }, false, OPEN],
    ['a request without an origin', { 'sec-fetch-site': 'same-origin' }, true],
    ['a rebound one', { 'sec-fetch-site': 'same-origin', host: 'evil.example' }, false],
    // Allowed sites.
    ['an allowed site', { origin: 'https://app.example' }, true, NAMED],
    ['an allowed address', { origin: 'http://[2001:db8::1]:3000' }, true, NAMED],
    ['an allowed page without an origin', { origin: 'null' }, true, NAMED],
    ['an allowed site by another scheme', { origin: 'http://app.example' }, false, NAMED],
    ['an allowed site at another port', { origin: 'https://app.example:8443' }, false, NAMED],
    ['a name below an allowed site', { origin: 'https://a.app.example' }, false, NAMED],
    ['any site', { origin: 'https://any.example' }, true, ANY],
    ['any request of a page', { 'sec-fetch-site': 'cross-site' }, true, ANY],
    // Other pages.
    ['another site', { origin: 'https://evil.example' }, false],
    ['another site, without an origin', { 'sec-fetch-site': 'cross-site' }, false],
    ['another port, without an origin', { 'sec-fetch-site': 'same-site' }, false],
    ['a name that begins with localhost', { origin: 'http://localhost.evil.example' }, false],
    ['a name that ends with localhost', { origin: 'http://evil-localhost' }, false],
    ['a name that begins with 127', { origin: 'http://127.0.0.1.evil.example' }, false],
    ['a user name', { origin: 'http://localhost@evil.example' }, false],
    ['a word as the port', { origin: 'http://evil.example:localhost' }, false],
    ['two sites', { origin: 'http://localhost:3000, https://evil.example' }, false],
    ['a path', { origin: 'http://localhost/' }, false],
    ['capitals', { origin: 'HTTP://LOCALHOST' }, false],
    ['a sandboxed frame, or a file', { origin: 'null' }, false],
    ['nothing', { origin: '' }, false],
    ['a space', { origin: ' ' }, false],
    ['file:', { origin: 'file://' }, false],
    ['ftp:', { origin: 'ftp://localhost' }, false],
    ['data:', { origin: 'data:text/html,x' }, false],
    ['another machine', { origin: 'http://192.168.1.20:3000' }, false],
    ['0.0.0.0', { origin: 'http://0.0.0.0:5050' }, false],
    ['127.0.0.1 as one number', { origin: 'http://2130706433' }, false],
  ])('%s: %j passes: %s', (_, headers, passes, options) => {
    const refusal = access(options).pageRefusal({ host: 'localhost:5050', ...headers });
    expect(refusal === undefined).toBe(passes);
  });

  test.each([
    ['https://evil.example', '--allowed-origins https://evil.example'],
    ['http://192.168.1.20:3000', '--allowed-origins http://192.168.1.20:3000'],
    ['null', '--allowed-origins null'],
    [undefined, '--allowed-origins https://SITE'],
    ['\u001b[31m', '--allowed-origins https://SITE'],
    [`https://${'x'.repeat(10_000)}`, '--allowed-origins https://SITE'],
  ])('the message for %j has the option to add', (origin, option) => {
    const headers = { 'sec-fetch-site': 'cross-site', ...(origin === undefined ? {} : { origin }) };
    const refusal = access().pageRefusal(headers);
    expect(refusal?.endsWith(option)).toBe(true);
    expect(refusal).not.toContain('\u001b');
  });
});

/** Headers of a page of the node. */
function own(host: string): IncomingHttpHeaders {
  return { origin: `http://${host}`, host };
}

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
