// Rights of workflows: pinned actions, least permissions, and no foreign code beside a right to write.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';

const ROOT = new URL('../', import.meta.url);
const FOLDER = '.github/workflows/';

const text = (file: string): string => readFileSync(fileURLToPath(new URL(file, ROOT)), 'utf8');
const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' ? { ...value } : {};
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const FILES = readdirSync(new URL(FOLDER, ROOT)).map((name) => `${FOLDER}${name}`);
const WORKFLOWS = FILES.filter((file) => file.endsWith('.yml'));
/** Actions of this repository, whose steps run with the rights of the job. */
const ACTIONS = [
  'setup-starkbox/action.yml',
  ...readdirSync(new URL('.github/actions/', ROOT)).map(
    (name) => `.github/actions/${name}/action.yml`,
  ),
];
/** Everything in which a job may install packages. */
const INSTALLING = [...FILES, ...ACTIONS, 'setup-starkbox/install.sh', 'deploy/docker/Dockerfile'];

/** Owners of actions that may run beside a right to write. */
const TRUSTED_OWNERS = ['actions', 'docker'];
/** Runs scripts of the repository, or of packages from a registry. */
const RUNS_CODE = /\bnpm (ci|install|run|test|exec)\b|\bnpx\b|\b(node|bash|sh) [\w.][\w./-]*\//;
/** What is tried: it may run code of any package or image. */
const TRIES = /\bnpm run test|\bnode examples\/|\bdocker run\b|"uses":"\.\/setup-starkbox"/;
const COMPARES = 'Compare with what was packed';

interface Job {
  readonly name: string;
  readonly job: Readonly<Record<string, unknown>>;
  readonly steps: readonly Readonly<Record<string, unknown>>[];
  readonly permissions: Readonly<Record<string, unknown>>;
  /** Whether it may change anything outside of its runner. */
  readonly isPrivileged: boolean;
}

function jobsIn(file: string): readonly Job[] {
  return Object.entries(fields(fields(load(text(file)))['jobs'])).map(([name, value]) => {
    const job = fields(value);
    const permissions = fields(job['permissions']);
    const isPrivileged =
      Object.values(permissions).includes('write') || JSON.stringify(job).includes('secrets.');
    return { name, job, permissions, isPrivileged, steps: list(job['steps']).map(fields) };
  });
}

const usesOf = ({ steps }: Job): readonly string[] =>
  steps.flatMap(({ uses }) => (typeof uses === 'string' ? [uses] : []));
const commandsOf = ({ steps }: Job): readonly string[] =>
  steps.flatMap(({ run }) => (typeof run === 'string' ? [run] : []));

/** The actions of a file, as they are written there, with the comment. */
const usesIn = (file: string): readonly string[] =>
  [...text(file).matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(([, action = '']) => action);

test.each([...WORKFLOWS, ...ACTIONS])(
  '%s names the actions of others by a commit, with its release as a comment',
  (file) => {
    const others = usesIn(file).filter((action) => !action.startsWith('./'));
    const unpinned = others.filter(
      (action) => !/^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action),
    );
    expect(unpinned).toEqual([]);
  },
);

describe.each(WORKFLOWS)('%s', (file) => {
  const jobs = jobsIn(file);

  test('has every action on a line of its own', () => {
    const called = jobs.filter(({ job }) => typeof job['uses'] === 'string');
    expect(usesIn(file)).toHaveLength(jobs.flatMap(usesOf).length + called.length);
  });

  test('gives no permission to all jobs, and each job the ones it lists', () => {
    expect(fields(load(text(file)))['permissions']).toEqual({});
    expect(jobs.length).toBeGreaterThan(0);
    for (const { name, job } of jobs) expect(job['permissions'], name).toBeTypeOf('object');
  });

  test('keeps no credentials in the work tree', () => {
    for (const { name, steps } of jobs) {
      const checkouts = steps.filter(({ uses }) => String(uses).startsWith('actions/checkout@'));
      for (const step of checkouts) {
        expect(fields(step['with'])['persist-credentials'], name).toBe(false);
      }
    }
  });

  test('runs no code of the repository or of packages where it may write', () => {
    for (const job of jobs.filter(({ isPrivileged }) => isPrivileged)) {
      expect(
        commandsOf(job).filter((command) => RUNS_CODE.test(command)),
        job.name,
      ).toEqual([]);
      const owners = usesOf(job).map((action) => action.split('/')[0] ?? '');
      expect(
        owners.filter((owner) => !TRUSTED_OWNERS.includes(owner)),
        job.name,
      ).toEqual([]);
    }
  });

  test('uses only the token of the run, and gives it to single steps', () => {
    const secrets = [...text(file).matchAll(/secrets\.(\w+)/g)].map(([, secret]) => secret);
    expect(secrets.filter((secret) => secret !== 'GITHUB_TOKEN')).toEqual([]);
    expect(JSON.stringify(fields(load(text(file)))['env'] ?? {})).not.toContain('secrets.');
    for (const { name, job } of jobs) {
      expect(JSON.stringify({ ...job, steps: [] }), name).not.toContain('secrets.');
    }
  });

  test('compares packages with their sums where it may write, as soon as it has them', () => {
    for (const { name, steps } of jobs.filter(({ isPrivileged }) => isPrivileged)) {
      const downloads = steps.map((step) => fields(step['with'])['path'] === 'tarballs');
      const last = downloads.lastIndexOf(true);
      if (last !== -1) expect(steps[last + 1]?.['name'], name).toBe(COMPARES);
    }
  });

  test('tries what a job packs only after the upload, with no cache before it', () => {
    for (const { name, steps } of jobs) {
      const uploads = steps.map(
        (step) =>
          /packages-|image/.test(String(fields(step['with'])['name'])) &&
          String(step['uses']).startsWith('actions/upload-artifact@'),
      );
      const before = steps.slice(0, uploads.lastIndexOf(true) + 1);
      const early = before.filter((step) => TRIES.test(JSON.stringify(step)));
      expect(early, name).toEqual([]);
      const caches = before.filter((step) =>
        /\bcache\b|actions\/crates/.test(JSON.stringify(step)),
      );
      expect(caches, name).toEqual([]);
    }
  });

  test('writes only values of its own matrix into commands', () => {
    const expressions = jobs
      .flatMap(commandsOf)
      .flatMap((command) => [...command.matchAll(/\$\{\{\s*(.*?)\s*\}\}/g)])
      .map(([, expression = '']) => expression);
    expect(expressions.filter((expression) => !expression.startsWith('matrix.'))).toEqual([]);
  });

  test('does not run with rights of the repository for a pull request of another', () => {
    expect(Object.keys(fields(fields(load(text(file)))['on']))).not.toContain(
      'pull_request_target',
    );
  });
});

test.each(INSTALLING)('%s installs packages without their scripts', (file) => {
  const installs = text(file)
    .split('\n')
    .filter((line) => !/^\s*#/.test(line) && /\bnpm (ci|install)\b/.test(line));
  expect(installs.filter((line) => !line.includes('--ignore-scripts'))).toEqual([]);
});

test.each(FILES)('%s installs packages of Python with their hashes', (file) => {
  const installs = text(file)
    .split('\n')
    .filter((line) => /\bpip"? install\b/.test(line));
  expect(installs.filter((line) => !line.includes('--require-hashes'))).toEqual([]);
});

test('one job publishes, from an environment and without a work tree', () => {
  const publishing = jobsIn(`${FOLDER}release.yml`).filter((job) =>
    commandsOf(job).some((run) => run.includes('npm publish')),
  );
  expect(
    publishing.map(({ name, permissions, job }) => [name, permissions, job['environment']]),
  ).toEqual([['publish', { 'id-token': 'write' }, 'npm']]);
  const actions = publishing.flatMap(usesOf).map((action) => action.split('@')[0]);
  expect(actions).toEqual(['actions/setup-node', 'actions/download-artifact']);
});

describe('the comparison with what was packed', () => {
  const SUMS = `
5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5  b.tgz

ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a.tgz
`;
  const steps = jobsIn(`${FOLDER}release.yml`).flatMap((job) => job.steps);
  const scripts = new Set(
    steps.flatMap(({ name, run }) => (name === COMPARES ? [String(run)] : [])),
  );

  test.each([
    ['the same files', { 'a.tgz': 'a', 'b.tgz': '12345' }, 0],
    ['a changed file', { 'a.tgz': 'a', 'b.tgz': '12346' }, 1],
    ['another file', { 'a.tgz': 'a', 'b.tgz': '12345', 'c.tgz': '' }, 1],
    ['a missing file', { 'a.tgz': 'a' }, 1],
  ])('of %s', (_, files, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'starkbox-sums-'));
    try {
      for (const [name, content] of Object.entries(files))
        writeFileSync(join(folder, name), content);
      const [script = '', ...others] = scripts;
      expect(others).toEqual([]);
      const options = { cwd: folder, env: { ...process.env, SUMS } };
      expect(spawnSync('bash', ['-e', '-c', script], options).status).toBe(expected);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
