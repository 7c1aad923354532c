// Knows how a class is compiled in another process, by the built package.

import { spawn } from 'node:child_process';
import type { ClassLimits, EngineOptions } from '@starkbox/engine';

const SCRIPT = `
  import { text } from 'node:stream/consumers';
  const [engine, options, limits] = process.argv.slice(1);
  const { Class, configure } = await import(engine);
  configure(JSON.parse(options));
  const made = await Class.compile(await text(process.stdin), JSON.parse(limits)).catch(String);
  console.log(made.compiledClassHash ?? made);`;

export interface OtherProcess {
  /** The compiled class hash, or the refusal; empty if it was killed. */
  readonly answer: Promise<string>;
  kill(): void;
}

export function compileElsewhere(
  text: string,
  options: EngineOptions,
  limits: ClassLimits = {},
): OtherProcess {
  const engine = new URL('../dist/index.js', import.meta.url).href;
  const args = [engine, JSON.stringify(options), JSON.stringify(limits)];
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answer = new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      said += piece;
    });
    child.on('close', () => resolve(said.trim())).on('error', reject);
  });
  child.stdin.end(text);
  return { answer, kill: () => child.kill('SIGKILL') };
}
