// Workflows, the setup action and issue forms: YAML that parses, and names that exist.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SETUP = 'setup-starkbox/action.yml';
const COMMAND = join(ROOT, 'packages/starkbox/bin/starkbox.js');

const text = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const fields = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' ? { ...value } : {};
const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const inFolder = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);

const inWorkflows = inFolder('.github/workflows');
const WORKFLOWS = inWorkflows.filter((file) => file.endsWith('.yml'));
const SHELL_SCRIPTS = inWorkflows.filter((file) => file.endsWith('.sh'));
const FORMS = inFolder('.github/ISSUE_TEMPLATE').filter((file) => !file.endsWith('/config.yml'));
const ACTIONS = inFolder('.github/actions').map((folder) => `${folder}/action.yml`);
const SCRIPTS = Object.keys(fields(fields(JSON.parse(text('package.json')))['scripts']));

/** Every text in a document, with the key that it stands under. */
function texts(value: unknown, key = ''): readonly (readonly [key: string, text: string])[] {
  if (typeof value === 'string') return [[key, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) =>
    texts(child, Array.isArray(value) ? key : name),
  );
}

/** Scripts of npm and files of the repository that are run, but do not exist. */
function missing(lines: string): readonly string[] {
  const scripts = [...lines.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
  const paths = [
    ...lines.matchAll(/(?<![\w.*/])(?:node|bash|sh) (?!\.\.\/)([\w.][\w./-]*\/[\w./-]+)/g),
  ];
  return [
    ...scripts.filter((name) => !SCRIPTS.includes(name)),
    ...paths.flatMap(([, path = '']) => (existsSync(join(ROOT, path)) ? [] : [path])),
  ];
}

test.each([...WORKFLOWS, ...ACTIONS])('%s runs only scripts and files that exist', (file) => {
  const all = texts(load(text(file)));
  const commands = all.filter(([key]) => key === 'run').map(([, command]) => command);
  // `npm run ${{ matrix.engine }}`: its values are in the matrix.
  const chosen = all.filter(([key]) => key === 'engine').map(([, target]) => `npm run ${target}`);
  expect(missing([...commands, ...chosen].join('\n'))).toEqual([]);
});

describe('the built files that jobs of CI and contributors without Rust share', () => {
  const pack = texts(load(text('.github/workflows/ci.yml'))).find(([, command]) =>
    command.startsWith('tar -czf built.tgz '),
  )?.[1];
  const packed = pack?.split(' ').slice(3) ?? [];
  /** Made for the build of pages, whose result is packed, or for cargo. */
  const NOT_NEEDED = [
    'packages/engine-wasm/*.new',
    'packages/engine/*.new',
    'packages/engine/patched/*/',
    'packages/engine/starkbox-compiler.exe',
    'packages/explorer/src/styles/fonts/',
    'packages/playground/public/classes/',
  ];

  test('are all that git ignores below packages', () => {
    const ignored = text('.gitignore')
      .split('\n')
      .filter((line) => line.startsWith('/packages/'))
      .map((line) => line.slice(1));
    expect(ignored.length).toBeGreaterThan(NOT_NEEDED.length);
    const needed = ignored.filter((line) => !NOT_NEEDED.includes(line));
    expect(packed).toEqual(expect.arrayContaining(needed.map((line) => line.replace(/\/$/, ''))));
    expect(packed).toEqual(expect.arrayContaining(['packages/*/dist', 'packages/engine/*.node']));
  });

  test('are all that is built here', () => {
    const options = [
      '--others',
      '--ignored',
      '--exclude-standard',
      '--directory',
      '--',
      'packages',
    ];
    const { stdout } = spawnSync('git', ['ls-files', ...options], { cwd: ROOT, encoding: 'utf8' });
    const built = stdout.split('\n').filter((path) => path !== '' && !/node_modules/.test(path));
    const expected = [...packed, ...NOT_NEEDED].map(
      (pattern) =>
        new RegExp(
          `^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*').replace(/\/?$/, '/?$')}`,
        ),
    );
    expect(built.filter((path) => !expected.some((pattern) => pattern.test(path)))).toEqual([]);
  });
});

test('the release publishes what has passed CI', () => {
  const jobs = fields(fields(load(text('.github/workflows/release.yml')))['jobs']);
  const checked = Object.keys(jobs).find(
    (name) => fields(jobs[name])['uses'] === './.github/workflows/ci.yml',
  );
  const needed = (name: string): readonly string[] =>
    [fields(jobs[name])['needs'] ?? []]
      .flat()
      .map(String)
      .flatMap((job) => [job, ...needed(job)]);
  for (const job of ['publish', 'release', 'image']) expect(needed(job)).toContain(checked);
});

test('one job packs what is the same on every platform, the others an engine', () => {
  const jobs = fields(fields(load(text('.github/workflows/packages.yml')))['jobs']);
  const packs = Object.values(jobs).flatMap((job) =>
    items(fields(job)['steps']).flatMap((step) => {
      const command = String(fields(step)['run']);
      const options = /^npm run pack -- (?:tarballs|engine) (--\w+)/.exec(command)?.[1];
      return options === undefined ? [] : [options];
    }),
  );
  expect(packs).toEqual(['--portable', '--engines', '--engines']);
});

test('the sums that a release compares are of every platform', () => {
  const { jobs, ...workflow } = fields(load(text('.github/workflows/packages.yml')));
  const compared = JSON.stringify(workflow);
  const expected = Object.entries(fields(jobs)).flatMap(([job, value]) => {
    const { outputs, strategy } = fields(value);
    if (outputs === undefined) return [];
    const rows = items(fields(fields(strategy)['matrix'])['include']).map(fields);
    const names = rows.map(({ platform, cpu }) => String(platform ?? cpu));
    const packed = names.length > 0 ? names : Object.keys(fields(outputs));
    expect(Object.keys(fields(outputs))).toEqual(packed);
    return packed.map((name) => `jobs.${job}.outputs.${name} }}`);
  });
  expect(expected).toHaveLength(8);
  expect(expected.filter((output) => !compared.includes(output))).toEqual([]);
});

test.each(['release.yml', 'weekly.yml'])('%s builds the packages of every platform', (file) => {
  const jobs = fields(fields(load(text(`.github/workflows/${file}`)))['jobs']);
  const called = Object.values(jobs).map((job) => fields(job)['uses']);
  expect(called).toContain('./.github/workflows/packages.yml');
});

test('jobs on Windows run their commands by bash', () => {
  for (const file of WORKFLOWS) {
    const jobs = fields(fields(load(text(file)))['jobs']);
    for (const [name, job] of Object.entries(jobs)) {
      if (!JSON.stringify(job).includes('windows')) continue;
      const shell = fields(fields(fields(job)['defaults'])['run'])['shell'];
      expect(shell, `${file} ${name}`).toBe('bash');
    }
  }
});

describe('.ci/run', () => {
  const script = text('.ci/run');
  const defined = [...script.matchAll(/^part_(\w+)\(\)/gm)].map(([, part = '']) => part);
  const parts = /^PARTS=\((.*)\)$/m.exec(script)?.[1]?.split(' ') ?? [];
  const partsOf = (workflow: string): string[] => {
    const commands = texts(load(text(workflow))).filter(([key]) => key === 'run');
    return commands.flatMap(([, command]) => {
      const options = /^bash \.ci\/run (.*)$/m.exec(command)?.[1] ?? '';
      return options.split(' ').filter((option) => /^\w/.test(option));
    });
  };

  test('runs only scripts and files that exist', () => {
    expect(missing(script)).toEqual([]);
    expect(missing(`${script}\nnpm run no-script\nnode no/file.mjs`)).toHaveLength(2);
  });

  test('has the parts that it and the workflows name', () => {
    expect(parts.length).toBeGreaterThan(0);
    const expected = [...parts, ...WORKFLOWS.flatMap(partsOf)];
    expect(expected.filter((part) => !defined.includes(part))).toEqual([]);
  });

  test('is run by the workflow of changes as a whole', () => {
    const inWorkflow = partsOf('.github/workflows/ci.yml');
    expect(parts.filter((part) => !inWorkflow.includes(part))).toEqual([]);
  });
});

test.each(SHELL_SCRIPTS)('%s runs only scripts and files that exist', (file) => {
  expect(missing(text(file))).toEqual([]);
});

test.each([...WORKFLOWS, ...ACTIONS, SETUP])(
  '%s uses only actions and workflows of this repository that exist',
  (file) => {
    const uses = texts(load(text(file))).filter(([key]) => key === 'uses');
    const local = uses.map(([, action]) => action).filter((action) => action.startsWith('./'));
    const files = local.map((path) => (path.endsWith('.yml') ? path : join(path, 'action.yml')));
    expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  },
);

test.each(WORKFLOWS)('jobs of %s need jobs that it has', (file) => {
  const jobs = fields(fields(load(text(file)))['jobs']);
  for (const job of Object.values(jobs)) {
    const needs = [fields(job)['needs'] ?? []].flat();
    expect(needs.filter((name) => !Object.hasOwn(jobs, String(name)))).toEqual([]);
    // Without a limit, a job that hangs runs for six hours. A called workflow has its own.
    if (fields(job)['uses'] === undefined)
      expect(fields(job)['timeout-minutes']).toBeTypeOf('number');
  }
});

test.each([...ACTIONS, SETUP])('%s gets only inputs that it has', (action) => {
  const inputs = Object.keys(fields(fields(load(text(action)))['inputs']));
  const steps = WORKFLOWS.flatMap((file) =>
    Object.values(fields(fields(load(text(file)))['jobs'])).flatMap((job) =>
      items(fields(job)['steps']),
    ),
  );
  const uses = steps.filter((step) => fields(step)['uses'] === `./${dirname(action)}`);
  expect(uses.length).toBeGreaterThan(0);
  for (const step of uses) {
    const passed = Object.keys(fields(fields(step)['with']));
    expect(inputs).toEqual(expect.arrayContaining(passed));
  }
});

test.each(FORMS)('%s is an issue form', (file) => {
  const form = fields(load(text(file)));
  expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
  const questions = items(form['body']).map(fields);
  expect(questions.length).toBeGreaterThan(0);
  const ids = questions.flatMap(({ type, id }) => (type === 'markdown' ? [] : [id]));
  expect(new Set(ids).size).toBe(ids.length);
  for (const { type, attributes } of questions) {
    expect(['markdown', 'input', 'textarea', 'dropdown', 'checkboxes']).toContain(type);
    expect(fields(attributes)).toHaveProperty(type === 'markdown' ? 'value' : 'label');
  }
});

describe('the start of the setup action', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'starkbox-action-'));
    const command = join(folder, 'starkbox');
    writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${COMMAND}" "$@"\n`);
    chmodSync(command, 0o755);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const start = (options: string) =>
    spawnSync('bash', [join(ROOT, dirname(SETUP), 'start.sh')], {
      encoding: 'utf8',
      cwd: folder,
      env: {
        PATH: `${folder}:${process.env['PATH']}`,
        RUNNER_TEMP: folder,
        GITHUB_OUTPUT: join(folder, 'outputs'),
        STARKBOX_ACTION_PORT: '0',
        STARKBOX_ACTION_OPTIONS: options,
      },
    });

  test('ends when the node answers, and says where', async () => {
    const { status, stdout } = start('--seed 0 --accounts 1');
    expect(status).toBe(0);
    const outputs = Object.fromEntries(
      readFileSync(join(folder, 'outputs'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    );
    try {
      expect(await (await fetch(`${outputs['url']}/is_alive`)).text()).toBe('Alive!!!');
      expect(stdout).toContain(outputs['url']);
    } finally {
      process.kill(Number(outputs['pid']));
    }
  });

  test('fails with the output of a node that does not start', () => {
    const { status, stdout } = start('--accounts many');
    expect(status).toBe(1);
    expect(stdout).toContain("error: invalid value 'many' for '--accounts <NUMBER>'");
    expect(existsSync(join(folder, 'outputs'))).toBe(false);
  });
});
