// Sizes of the objects in the bucket of a benchmark.
import { AwsClient } from 'aws4fetch';
import { BUCKET, CREDENTIALS } from '../../packages/starkbox/test/support/hosting/minio-server.js';

/** The sum of the objects below a prefix, and their number. */
export async function bytesBelow(
  url: string,
  prefix: string,
): Promise<{ readonly bytes: number; readonly objects: number }> {
  const { accessKeyId, secretAccessKey, region } = CREDENTIALS;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' });
  let [bytes, objects] = [0, 0];
  let token = '';
  do {
    const query = new URLSearchParams({ 'list-type': '2', prefix });
    if (token !== '') query.set('continuation-token', token);
    const page = await (await client.fetch(`${url}/${BUCKET}?${query}`)).text();
    for (const [, size] of page.matchAll(/<Size>(\d+)<\/Size>/g)) {
      bytes += Number(size);
      objects += 1;
    }
    token = /<NextContinuationToken>(.*)<\/NextContinuationToken>/.exec(page)?.[1] ?? '';
  } while (token !== '');
  return { bytes, objects };
}
