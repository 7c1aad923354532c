// Which address is requested through which proxy.
import { expect, test } from 'vitest';
import { Proxies } from '../../src/fork/origin/proxies.js';

const PROXY = { HTTP_PROXY: 'http://plain:1', HTTPS_PROXY: 'secure:2' };
const proxyOf = (url: string, env: Readonly<Record<string, string>>): string | undefined => {
  const proxy = new Proxies(env).of(new URL(url));
  return proxy && `${proxy.variable} ${proxy.url.origin}`;
};

test('the variable of the scheme applies, in lower case first', () => {
  expect(proxyOf('http://a.com', PROXY)).toBe('HTTP_PROXY http://plain:1');
  expect(proxyOf('https://a.com', PROXY)).toBe('HTTPS_PROXY http://secure:2');
  const lower = { ...PROXY, http_proxy: 'https://lower:3', https_proxy: '' };
  expect(proxyOf('http://a.com', lower)).toBe('http_proxy https://lower:3');
  expect(proxyOf('https://a.com', lower)).toBe('HTTPS_PROXY http://secure:2');
  expect(proxyOf('https://a.com', { HTTP_PROXY: 'plain:1' })).toBeUndefined();
});

test.each([
  ['a.com', 'http://a.com http://A.COM:81 https://x.a.com', 'http://xa.com http://a.com.org'],
  ['.a.com', 'http://a.com http://x.a.com', 'http://xa.com'],
  ['*.a.com', 'http://x.a.com', 'http://xa.com'],
  ['a.com:8080 , b.com', 'http://a.com:8080 http://b.com', 'http://a.com http://c.com'],
  ['a.com:443', 'https://a.com', 'http://a.com'],
  ['*', 'http://a.com https://[::1]:5050', ''],
  ['127.0.0.1', 'http://127.0.0.1:5050', 'http://localhost:5050 http://127.0.0.2'],
  ['::1,[::2]:90', 'http://[::1]:5050 http://[::2]:90', 'http://[::2]:91 http://[::3]'],
])('NO_PROXY=%s', (NO_PROXY, excluded, others) => {
  const env = { ...PROXY, NO_PROXY };
  for (const url of excluded.split(' ')) expect(proxyOf(url, env), url).toBeUndefined();
  for (const url of others.split(' ').filter(Boolean)) {
    expect(proxyOf(url, env), url).toMatch(/_PROXY/);
  }
});

test('other values are errors that keep passwords', () => {
  const rejects = (value: string): unknown => {
    try {
      return proxyOf('http://a.com', { HTTP_PROXY: value });
    } catch (error) {
      return error;
    }
  };
  for (const value of ['ftp://me:secret@host', 'http://me:secret@:1:2', 'me:secret@ho st']) {
    expect(String(rejects(value))).toMatch(/^Error: HTTP_PROXY: expected an address such as/);
    expect(String(rejects(value))).not.toContain('secret');
  }
});

test('the password of a proxy is a header, and no part of its address', () => {
  const proxy = (value: string) => new Proxies({ HTTP_PROXY: value }).of(new URL('http://a.com'));
  const basic = (words: string) => `Basic ${btoa(words)}`;
  expect(proxy('http://me:se%20cret@b:1')).toMatchObject({ authorization: basic('me:se cret') });
  expect(proxy('http://me:secret@b:1')?.url.href).toBe('http://b:1/');
  expect(proxy('http://me@b:1')?.authorization).toBe(basic('me:'));
  expect(proxy('http://:secret@b:1')?.authorization).toBe(basic(':secret'));
  expect(proxy('http://b:1')?.authorization).toBeUndefined();
});
