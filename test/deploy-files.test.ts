// Files of deploy/shards: YAML whose names, variables and addresses agree.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load, loadAll } from 'js-yaml';
import { expect, test } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const textOf = (file: string): string => readFileSync(at(`deploy/shards/${file}`), 'utf8');
const OPTIONS = readFileSync(at('docs/reference/options.md'), 'utf8');
const PROXY = textOf('haproxy.cfg');
const SERVERS = [...PROXY.matchAll(/^\s+server \w+ "\$\{(\w+)\}"$/gm)].map(([, name]) => name);

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** A value inside of YAML. */
function inside(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce((outer, name) => (isFields(outer) ? outer[name] : undefined), value);
}
const keysOf = (value: unknown): readonly string[] => (isFields(value) ? Object.keys(value) : []);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Variables of a node that no option has. */
const unknownVariables = (names: readonly unknown[]): readonly unknown[] =>
  names.filter((name) => !OPTIONS.includes(`\`${name}\``));

test('Compose gives HAProxy its nodes, and each node a volume', () => {
  const compose = load(textOf('compose.yaml'));
  const proxy = inside(compose, 'services', 'proxy');
  const variables = inside(proxy, 'environment');
  expect(keysOf(variables)).toEqual(['STARKBOX_BIND', ...SERVERS]);
  const nodes = keysOf(inside(compose, 'services')).filter((name) => name !== 'proxy');
  const addresses = SERVERS.map((name) => inside(variables, name ?? ''));
  expect(addresses).toEqual(nodes.map((name) => `${name}:5050`));
  expect(keysOf(inside(proxy, 'depends_on'))).toEqual(nodes);
  const volumes = nodes.map((name) => inside(compose, 'services', name, 'volumes', 0));
  expect(volumes).toEqual(keysOf(inside(compose, 'volumes')).map((name) => `${name}:/data`));
  for (const name of nodes) {
    const environment = inside(compose, 'services', name, 'environment');
    expect(unknownVariables(keysOf(environment))).toEqual([]);
  }
});

test('Kubernetes gives HAProxy an address of each pod, and each pod a volume', () => {
  const kustomization = load(textOf('kustomization.yaml'));
  const files = listOf(inside(kustomization, 'resources')).map(String);
  const generator = inside(kustomization, 'configMapGenerator', 0);
  expect(existsSync(at(`deploy/shards/${inside(generator, 'files', 0)}`))).toBe(true);
  const objects = files.flatMap((file) => loadAll(textOf(file)));
  const named = (kind: string, name: string): unknown =>
    objects.find(
      (object) => inside(object, 'kind') === kind && inside(object, 'metadata', 'name') === name,
    );

  const nodes = named('StatefulSet', 'starkbox');
  const pod = inside(nodes, 'spec', 'template', 'spec', 'containers', 0);
  const claims = listOf(inside(nodes, 'spec', 'volumeClaimTemplates'));
  expect(inside(pod, 'volumeMounts', 0, 'name')).toBe(inside(claims[0], 'metadata', 'name'));
  expect(named('Service', String(inside(nodes, 'spec', 'serviceName')))).toBeDefined();
  const secret = named('Secret', String(inside(pod, 'envFrom', 0, 'secretRef', 'name')));
  const variables = listOf(inside(pod, 'env')).map((variable) => inside(variable, 'name'));
  expect(unknownVariables([...variables, ...keysOf(inside(secret, 'stringData'))])).toEqual([]);

  const spec = inside(named('Deployment', 'starkbox-proxy'), 'spec', 'template', 'spec');
  const configMap = inside(spec, 'volumes', 0, 'configMap', 'name');
  expect(configMap).toBe(inside(generator, 'name'));
  const [, ...shards] = listOf(inside(spec, 'containers', 0, 'env'));
  expect(shards.map((shard) => inside(shard, 'name'))).toEqual(SERVERS);
  expect(shards).toHaveLength(Number(inside(nodes, 'spec', 'replicas')));
  for (const [index, shard] of shards.entries()) {
    expect(inside(shard, 'value')).toBe(`starkbox-${index}:5050`);
    expect(named('Service', `starkbox-${index}`)).toMatchObject({
      spec: { selector: { 'statefulset.kubernetes.io/pod-name': `starkbox-${index}` } },
    });
  }
});
