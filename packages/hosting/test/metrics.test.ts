// Metrics of a node with an object store: the pages and dashboards name them.
import { readFileSync } from 'node:fs';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { parse } from '@starkbox/test-support/scrape';
import { createChain } from 'starkbox';
import { expect, test } from 'vitest';
import { StoreFolder } from './support/folder-node.js';

const REFERENCE = new URL('../../../docs/reference/', import.meta.url);

test('each metric is on the page about metrics and in the dashboard, and no other', async () => {
  const node = await createChain({
    seed: 0,
    accounts: 1,
    instanceStore: new StoreFolder().path,
    metricsHost: '127.0.0.1',
    metricsPort: 0,
  });
  closeAfterTest(() => node.close());
  const { metricsUrl = '' } = await node.listen({ port: 0 });
  const { types } = parse(await (await fetch(metricsUrl)).text());
  const names = [...types.keys()].filter((name) => name.startsWith('starkbox_hosting_'));
  expect(names).toHaveLength(5);
  for (const file of ['metrics.md', 'grafana-dashboard.json']) {
    const text = readFileSync(new URL(file, REFERENCE), 'utf8');
    const mentioned = new Set([...text.matchAll(/starkbox_hosting_\w+/g)].map(([name]) => name));
    expect([...mentioned].toSorted()).toEqual(names.toSorted());
  }
});
