// Rights of workflows: pinned actions, least permissions, and no foreign code beside a right to write.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';

const ROOT = new URL('../', import.meta.url);
const FOLDER = '.github/workflows/';

const text = (file: string): string => readFileSync(fileURLToPath(new URL(file, ROOT)), 'utf8');
const fields = (value: unknown): Readonly<Record<string, unknown>> => Object(value);
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

/** The command that publishes, which runs beside the right to do so, at the version that raises the versions. */
const PUBLISHES = 'npx --yes @changesets/cli@2.29.7 publish --no-git-tag';

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
        commandsOf(job).filter((command) => RUNS_CODE.test(command) && command !== PUBLISHES),
        job.name,
      ).toEqual([]);
      const owners = usesOf(job).map((action) => action.split('/')[0] ?? '');
      expect(
        owners.filter((owner) => !TRUSTED_OWNERS.includes(owner)),
        job.name,
      ).toEqual([]);
    }
  });

  test('gives secrets to single steps, and those of npm to a job with an environment', () => {
    expect(JSON.stringify(fields(load(text(file)))['env'] ?? {})).not.toContain('secrets.');
    for (const { name, job, steps } of jobs) {
      expect(JSON.stringify({ ...job, steps: [] }), name).not.toContain('secrets.');
      if (JSON.stringify(steps).includes('secrets.NPM_TOKEN')) {
        expect(job['environment'], name).toBe('npm');
      }
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

test('the job that publishes takes packages from the jobs that built them', () => {
  const publishing = jobsIn(`${FOLDER}release.yml`).filter((job) =>
    commandsOf(job).some((run) => /npm publish|@changesets/.test(run)),
  );
  expect(publishing.map(({ name, permissions }) => [name, permissions])).toEqual([
    ['publish', { contents: 'read', 'id-token': 'write' }],
  ]);
  const [publish] = publishing;
  const actions = publish ? usesOf(publish).map((action) => action.split('@')[0]) : [];
  expect(actions).toEqual(['actions/checkout', 'actions/setup-node', 'actions/download-artifact']);
  expect(publish && commandsOf(publish).at(-1)).toBe(PUBLISHES);
  const checkout = publish?.steps.find(({ uses }) => String(uses).startsWith('actions/checkout@'));
  expect(String(fields(checkout?.['with'])['sparse-checkout']).trim().split('\n')).toEqual([
    '/package.json',
    '/.changeset/config.json',
  ]);
});

test('one version of Changesets raises the versions and publishes', () => {
  const version = /@changesets\/cli@[\d.]+/.exec(PUBLISHES)?.[0];
  expect(fields(fields(JSON.parse(text('package.json')))['scripts'])['version-packages']).toContain(
    `npx --yes ${version} `,
  );
});
