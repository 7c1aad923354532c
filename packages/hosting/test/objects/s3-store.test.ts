// Objects behind the API of S3, in a real MinIO: conditions, lists, lost answers, and errors that say what to do.
import { AwsClient, AwsV4Signer } from 'aws4fetch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkConditionalWrites } from '../../src/objects/check-store.js';
import { type ObjectStore, UncertainError } from '../../src/objects/object-store.js';
import { openObjectStore } from '../../src/objects/open.js';
import { S3Signer } from '../../src/objects/s3-signature.js';
import type { S3Store } from '../../src/objects/s3-store.js';
import { CREDENTIALS, MinioServer } from '../support/minio-server.js';
import { minioBinary, storeAt } from '../support/minio-store.js';
import { StoreProxy } from '../support/store-proxy.js';

const binary = minioBinary('the object store with the API of S3');
const bytes = (text: string): Buffer => Buffer.from(text);

describe.skipIf(binary === undefined)('in MinIO', () => {
  let minio: MinioServer;
  let proxy: StoreProxy;
  let count = 0;

  beforeAll(async () => {
    minio = await MinioServer.start(binary ?? '');
    proxy = await StoreProxy.start(minio.url);
  });
  afterAll(async () => {
    await proxy?.close();
    await minio?.close();
  });

  /** Without the objects of other tests; behind the proxy. */
  function newStore(seconds?: number): S3Store {
    count += 1;
    return storeAt(proxy.url, `test-${count}`, seconds);
  }

  test('an object is read as it was written', async () => {
    const store = newStore();
    expect(await store.get('a/b')).toBeUndefined();
    const tag = await store.put('a/b', bytes('one'));
    expect(await store.get('a/b')).toEqual({ bytes: bytes('one'), tag, age: expect.any(Number) });
    const large = Buffer.alloc(3_000_000, 'text');
    expect(await store.put('a/b', large)).not.toBe(tag);
    expect((await store.get('a/b'))?.bytes.equals(large)).toBe(true);
    await store.delete('a/b');
    await store.delete('a/b');
    expect(await store.get('a/b')).toBeUndefined();
    expect(store.requests).toBe(8);
  });

  test('of writers with one condition exactly one wins', async () => {
    const store = newStore();
    await checkConditionalWrites(store);
    expect(await store.list('', undefined, 10)).toEqual([]);
  });

  test('a store without conditional writes is refused', async () => {
    const store = newStore();
    const careless: ObjectStore = {
      ...{ displayName: store.displayName, requests: 0, isExclusive: false },
      get: (key) => store.get(key),
      put: (key, content) => store.put(key, content),
      delete: (key) => store.delete(key),
      list: (prefix, after, limit) => store.list(prefix, after, limit),
      close: () => store.close(),
    };
    await expect(checkConditionalWrites(careless)).rejects.toThrow(
      /8 of 8 racing writers won together\. It cannot store leases.*Use S3, R2, MinIO or Ceph/,
    );
    expect(await store.list('', undefined, 10)).toEqual([]);
  });

  test('a write with a condition that does not hold changes nothing', async () => {
    const store = newStore();
    const tag = await store.put('a', bytes('one'), 'absent');
    expect(await store.put('a', bytes('two'), 'absent')).toBeUndefined();
    expect(await store.put('a', bytes('three'), { tag: tag ?? '' })).toEqual(expect.any(String));
    expect(await store.put('a', bytes('four'), { tag: tag ?? '' })).toBeUndefined();
    expect((await store.get('a'))?.bytes.toString()).toBe('three');
    expect(await store.put('none', bytes('five'), { tag: tag ?? '' })).toBeUndefined();
    expect(await store.get('none')).toBeUndefined();
  });

  test('keys are listed in their order, page by page, without objects of other programs', async () => {
    const store = newStore();
    const keys = ['a', 'b-c', 'b/c/d', 'b/c-e', 'b/f', 'c/a'];
    await Promise.all(keys.map((key) => store.put(key, bytes(key))));
    const { accessKeyId, secretAccessKey } = CREDENTIALS;
    const client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      service: 's3',
      region: 'us-east-1',
    });
    const foreign = `${minio.url}/starkbox/test-${count}/b%20%26%20%3Cc%3E`;
    expect((await client.fetch(foreign, { method: 'PUT', body: 'x' })).status).toBe(200);
    expect(await store.list('', undefined, 100)).toEqual(keys.toSorted());
    expect(await store.list('b', undefined, 2)).toEqual(['b-c', 'b/c-e']);
    expect(await store.list('b', 'b/c-e', 2)).toEqual(['b/c/d', 'b/f']);
    expect(await store.list('none', undefined, 2)).toEqual([]);
  });

  test.each(['lose-answer', 'hold-answer'] as const)(
    'a write is uncertain with the fault %s, and was done',
    async (fault) => {
      const store = newStore(1);
      proxy.once('PUT', fault);
      await expect(store.put('a', bytes('one'), 'absent')).rejects.toThrow(UncertainError);
      expect((await store.get('a'))?.bytes.toString()).toBe('one');
    },
  );

  test.each(['lose-request', { status: 503 }] as const)(
    'a write is uncertain with the fault %o, and was not done',
    async (fault) => {
      const store = newStore();
      proxy.once('PUT', fault);
      await expect(store.put('a', bytes('one'), 'absent')).rejects.toThrow(UncertainError);
      expect(await store.get('a')).toBeUndefined();
    },
  );

  test('an uncertain write may be done late, but not against its condition', async () => {
    const store = newStore();
    proxy.once('PUT', { late: 1_000 });
    await expect(store.put('a', bytes('one'), 'absent')).rejects.toThrow(UncertainError);
    expect(await store.get('a')).toBeUndefined();
    await proxy.settled();
    const stored = await store.get('a');
    expect(stored?.bytes.toString()).toBe('one');
    proxy.once('PUT', { late: 1_000 });
    await expect(store.put('a', bytes('two'), { tag: stored?.tag ?? '' })).rejects.toThrow(
      UncertainError,
    );
    await store.put('a', bytes('three'), { tag: stored?.tag ?? '' });
    await proxy.settled();
    expect((await store.get('a'))?.bytes.toString()).toBe('three');
  });

  test('reads, lists and deletes are repeated', async () => {
    const store = newStore();
    await store.put('a', bytes('one'));
    proxy.once('GET', 'lose-answer');
    expect((await store.get('a'))?.bytes.toString()).toBe('one');
    proxy.once('GET', { status: 500 });
    expect(await store.list('', undefined, 10)).toEqual(['a']);
    proxy.once('DELETE', { status: 429 });
    await store.delete('a');
    expect(await store.get('a')).toBeUndefined();
  });

  test('a store that does not answer is uncertain', async () => {
    const store = newStore();
    proxy.fault = () => ({ status: 503 });
    try {
      await expect(store.get('a')).rejects.toThrow(/could not read a: HTTP 503/);
      await expect(store.get('a')).rejects.toThrow(UncertainError);
      await expect(checkConditionalWrites(store)).rejects.toThrow(UncertainError);
    } finally {
      proxy.fault = () => undefined;
    }
    const gone = await StoreProxy.start(minio.url);
    const nowhere = storeAt(gone.url, 'test');
    await gone.close();
    await expect(nowhere.put('a', bytes('one'))).rejects.toThrow(
      /could not write a: .*ECONNREFUSED/,
    );
  });

  test('an address opens a store', async () => {
    const store = await openObjectStore(minio.place('deep/prefix'), CREDENTIALS);
    await store.put('a', bytes('one'));
    expect((await storeAt(minio.url, 'deep/prefix').get('a'))?.bytes.toString()).toBe('one');
    expect(store.displayName).toBe(`s3://starkbox/deep/prefix/ at ${minio.url}`);
  });

  test('wrong credentials and a missing bucket are named, with what to do', async () => {
    const wrong = { ...CREDENTIALS, secretAccessKey: 'something-else' };
    const store = await openObjectStore(minio.place('test'), wrong);
    await expect(store.get('a')).rejects.toThrow(
      /could not read a: HTTP 403, SignatureDoesNotMatch.*Check AWS_ACCESS_KEY_ID/,
    );
    const elsewhere = minio.place('test').replace('//starkbox', '//no-such-bucket');
    const other = await openObjectStore(elsewhere, CREDENTIALS);
    for (const attempt of [
      () => other.get('a'),
      () => other.put('a', bytes('one'), { tag: '"x"' }),
      () => other.list('', undefined, 1),
      () => other.delete('a'),
    ]) {
      await expect(attempt()).rejects.toThrow(
        /HTTP 404, NoSuchBucket.*Create the bucket no-such-bucket/,
      );
    }
  });
});

test.each([
  ['s3://', 'it does not name a bucket'],
  ['s3://B', 'it does not name a bucket'],
  ['s3://bucket/a//b', '"a//b" is not a key prefix'],
  ['s3://bucket?place=x', 'unknown parameter "place"'],
  ['s3://bucket?endpoint=x', 'its endpoint is not a URL'],
  [
    's3://key:secret@bucket',
    '"s3://…@bucket" is not the address of an object store: credentials come from',
  ],
  ['gs://bucket', 'it is neither a folder path nor of this form'],
])('the address %s is refused', async (address, reason) => {
  await expect(openObjectStore(address, CREDENTIALS)).rejects.toThrow(reason);
});

test('a service without credentials is refused', async () => {
  const none = { ...CREDENTIALS, secretAccessKey: undefined };
  await expect(openObjectStore('s3://bucket/prefix', none)).rejects.toThrow(
    'The object store s3://bucket/prefix needs credentials: set AWS_ACCESS_KEY_ID',
  );
});

test('a signature is that of another library', async () => {
  const key = { ...CREDENTIALS, sessionToken: 'token', region: 'eu-central-1' };
  const signed = {
    method: 'PUT',
    url: new URL(
      'http://localhost:9000/deep%20path/a!b*c/key?prefix=a/b%20c&list-type=2&max-keys=',
    ),
    headers: { 'if-match': '"tag"' },
    body: bytes('content'),
  };
  const headers = new S3Signer(key).headers(signed, Date.UTC(2026, 0, 2, 3, 4, 5));
  const { accessKeyId, secretAccessKey, sessionToken, region } = key;
  const other = new AwsV4Signer({
    ...{ accessKeyId, secretAccessKey, sessionToken, region, service: 's3' },
    ...{ method: signed.method, url: signed.url.href, body: new Uint8Array(signed.body) },
    headers: { ...signed.headers, 'x-amz-content-sha256': headers['x-amz-content-sha256'] ?? '' },
    datetime: '20260102T030405Z',
  });
  expect(headers['authorization']).toBe((await other.sign()).headers.get('authorization'));
});
