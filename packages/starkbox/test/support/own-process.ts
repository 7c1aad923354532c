// A part of the node in a process of its own, where nothing else takes memory or time.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));
const SETTINGS = '--module nodenext --target es2023 --types node --skipLibCheck --noCheck';

async function run(args: readonly string[], input = ''): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('close', resolve).on('error', reject);
  });
  const said = await text(child.stdout);
  const code = await ended;
  if (code !== 0) throw new Error(`a process ended with ${code}: ${said}`);
  return said;
}

/**
 * Compiles a file of this package with what it imports, and runs a script that may import it.
 *
 * @param script is given the address of the compiled file as its first argument
 */
export async function runElsewhere(
  file: string,
  script: string,
  { input = '', flags = [] }: { readonly input?: string; readonly flags?: readonly string[] } = {},
): Promise<string> {
  // Inside the repository, because packages are looked for from there.
  const folder = await mkdtemp(join(ROOT, 'node_modules', '.compiled-'));
  try {
    const compiler = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..');
    await run([
      join(compiler, 'bin', 'tsc'),
      ...['--ignoreConfig', '--rootDir', PACKAGE, '--outDir', folder, ...SETTINGS.split(' ')],
      join(PACKAGE, file),
    ]);
    const compiled = pathToFileURL(join(folder, file.replace(/\.ts$/, '.js'))).href;
    const node = ['--expose-gc', ...flags, '--input-type=module'];
    return await run([...node, '-e', script, compiled], input);
  } finally {
    await rm(folder, { recursive: true });
  }
}
