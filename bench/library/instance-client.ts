// Client of the benchmark of instances: creates some, and prints the microseconds of each as JSON.
import { Agent, request as httpRequest } from 'node:http';

const [url = '', count = '0'] = process.argv.slice(2);

/** One connection that is kept open, as clients have it. */
function poster(url: string): (method: string, params?: object) => Promise<unknown> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return (method, params = {}) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const headers = { 'content-type': 'application/json' };
      const sent = httpRequest(url, { method: 'POST', agent, headers }, (response) => {
        let text = '';
        response.on('data', (piece) => {
          text += piece;
        });
        response.on('end', () => {
          const answer: { readonly result?: unknown } = JSON.parse(text);
          if (answer.result === undefined) reject(new Error(text));
          else resolve(answer.result);
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
}

const post = poster(url);
const samples: number[] = [];
// Code is warm after as many as are measured.
for (let index = 0; index < 2 * Number(count); index += 1) {
  const begin = performance.now();
  await post('devnet_createInstance', { ttl: 0 });
  samples.push((performance.now() - begin) * 1000);
}
console.log(JSON.stringify(samples.slice(Number(count))));
process.exit(0);
