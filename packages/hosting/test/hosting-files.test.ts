// Files for a fleet: YAML that parses, names that exist, and a configuration that HAProxy takes.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load, loadAll } from 'js-yaml';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDER = join(ROOT, 'packages/hosting/deploy');
const OPTIONS = readFileSync(join(ROOT, 'docs/reference/options.md'), 'utf8');
const AWS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

const text = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
const fields = (value: unknown): Record<string, unknown> => Object(value);
const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce((inner, name) => fields(inner)[name], value);

/** Variables of nodes that no option has. */
const unknown = (names: readonly string[]): readonly string[] =>
  names.filter((name) => !AWS.includes(name) && !OPTIONS.includes(`\`${name}`));
/** Variables that the configuration of the proxy reads. */
const PROXY = [...text('haproxy.cfg').matchAll(/\$\{(STARKBOX_\w+)\}/g)].map(([, name]) => name);

describe('haproxy.cfg', () => {
  const haproxy = spawnSync('haproxy', ['-v']).error === undefined;
  const byName = { STARKBOX_NODES: 'nodes', STARKBOX_RESOLVER: '127.0.0.1:53' };
  const byAddress = { STARKBOX_NODE_1: '127.0.0.1:1', STARKBOX_NODE_2: '127.0.0.1:2' };

  test.skipIf(!haproxy).each([byName, byAddress])('is taken with %o', (nodes) => {
    const env = { PATH: process.env['PATH'], STARKBOX_BIND: ':5050', ...nodes };
    const file = join(FOLDER, 'haproxy.cfg');
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', file], { env });
    expect(`${stderr}`).not.toContain('[WARNING]');
    expect(status).toBe(0);
  });

  test('sends an instance to the node that its id gives', () => {
    expect(text('haproxy.cfg')).toMatch(/hash-type consistent/);
    expect(text('haproxy.cfg')).toContain('x-starkbox-instance %[path,field(3,/)]');
  });
});

test('envoy.yaml routes to clusters that it has', () => {
  const all = JSON.stringify(load(text('envoy.yaml')));
  const clusters = items(at(load(text('envoy.yaml')), 'static_resources', 'clusters'));
  const names = clusters.map((cluster) => fields(cluster)['name']);
  const routed = [...all.matchAll(/"cluster":"(\w+)"/g)].map(([, name]) => name);
  expect(names.toSorted()).toEqual([...new Set(routed)].toSorted());
  const [instance] = /(?<="regex":")\^\/instances[^"]*(?=")/.exec(all) ?? [''];
  const pattern = new RegExp(instance);
  for (const path of ['/instances/0a1b', '/instances/0a1b/rpc', '/instances/0a1b?x=/y']) {
    expect(path.replace(pattern, '$1')).toBe('0a1b');
  }
});

test('compose.yaml names services, volumes, files and options that exist', () => {
  const { services, volumes } = fields(load(text('compose.yaml')));
  for (const [name, service] of Object.entries(fields(services))) {
    const needed = at(service, 'depends_on');
    const others = Array.isArray(needed) ? needed : Object.keys(fields(needed));
    expect(Object.keys(fields(services))).toEqual(expect.arrayContaining(others));
    for (const volume of items(at(service, 'volumes'))) {
      const [source = ''] = String(volume).split(':');
      const isThere = source.startsWith('.')
        ? existsSync(join(FOLDER, source))
        : source in fields(volumes);
      expect(isThere, source).toBe(true);
    }
    const variables = Object.keys(fields(at(service, 'environment')));
    if (name === 'node') expect(unknown(variables)).toEqual([]);
    if (name === 'proxy') expect(PROXY).toEqual(expect.arrayContaining(variables));
  }
});

describe('the manifests of Kubernetes', () => {
  const folder = 'kubernetes';
  const kustomization = load(text(`${folder}/kustomization.yaml`));
  const files = items(at(kustomization, 'resources')).map(String);
  const objects = files.flatMap((file) => loadAll(text(`${folder}/${file}`)));
  const namesOf = (kind: string) =>
    objects
      .filter((object) => fields(object)['kind'] === kind)
      .map((object) => at(object, 'metadata', 'name'));
  const deployments = objects.filter((object) => fields(object)['kind'] === 'Deployment');
  const podLabels = deployments.map((deployment) =>
    at(deployment, 'spec', 'template', 'metadata', 'labels'),
  );
  const generated = items(at(kustomization, 'configMapGenerator'));

  test('are all in the kustomization', () => {
    const all = readdirSync(join(FOLDER, folder)).filter((name) => name !== 'kustomization.yaml');
    expect(files.toSorted()).toEqual(all.toSorted());
    for (const file of generated.flatMap((generator) => items(fields(generator)['files']))) {
      expect(existsSync(join(FOLDER, folder, String(file)))).toBe(true);
    }
  });

  test('select pods that there are', () => {
    const selectors = objects.flatMap((object) => {
      const selector = at(object, 'spec', 'selector');
      return selector === undefined ? [] : [at(selector, 'matchLabels') ?? selector];
    });
    expect(selectors.length).toBeGreaterThan(5);
    for (const selector of selectors) expect(podLabels).toContainEqual(selector);
    const scaled = objects.map((object) => at(object, 'spec', 'scaleTargetRef', 'name'));
    expect(namesOf('Deployment')).toEqual(expect.arrayContaining(scaled.filter(Boolean)));
  });

  test('take variables, ports and volumes that there are', () => {
    const maps = [
      ...namesOf('ConfigMap'),
      ...generated.map((generator) => fields(generator)['name']),
    ];
    for (const deployment of deployments) {
      const pod = at(deployment, 'spec', 'template', 'spec');
      const volumes = items(at(pod, 'volumes'));
      for (const volume of volumes) expect(maps).toContain(at(volume, 'configMap', 'name'));
      for (const container of items(at(pod, 'containers'))) {
        const ports = items(at(container, 'ports')).map((port) => fields(port)['name']);
        expect(ports).toContain(at(container, 'readinessProbe', 'httpGet', 'port'));
        for (const from of items(at(container, 'envFrom'))) {
          const [map, secret] = [at(from, 'configMapRef', 'name'), at(from, 'secretRef', 'name')];
          expect(map === undefined ? namesOf('Secret') : maps).toContain(map ?? secret);
        }
        for (const mount of items(at(container, 'volumeMounts'))) {
          expect(volumes).toContainEqual(expect.objectContaining({ name: at(mount, 'name') }));
        }
      }
    }
    const variables = objects.flatMap((object) => [
      ...Object.keys(fields(at(object, 'data'))),
      ...Object.keys(fields(at(object, 'stringData'))),
    ]);
    expect(variables.length).toBeGreaterThan(5);
    expect(unknown(variables)).toEqual([]);
  });

  test('let the proxy find the nodes', () => {
    const all = files.map((file) => text(`${folder}/${file}`)).join('\n');
    const [, host] = /STARKBOX_NODES, value: ([\w-]+)\./.exec(all) ?? [];
    expect(namesOf('Service')).toContain(host);
    const variables = [...all.matchAll(/name: (STARKBOX_\w+), value/g)].map(([, name]) => name);
    expect(PROXY).toEqual(expect.arrayContaining(variables));
  });
});

test('the dashboard of a fleet has a query in each panel', () => {
  const dashboard: unknown = JSON.parse(text('grafana-fleet.json'));
  const panels = items(at(dashboard, 'panels'));
  expect(panels.length).toBeGreaterThan(5);
  for (const panel of panels) {
    expect(items(at(panel, 'targets')).map((target) => typeof at(target, 'expr'))).toContain(
      'string',
    );
  }
});
