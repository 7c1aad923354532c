// Environment of this process. Nothing else reads it.
import { homedir } from 'node:os';
import { join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The default of --fork-cache-dir. */
export function defaultForkCache(): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'starkbox', 'fork');
}

/** The environment variables, for `readConfig`. */
export function environment(): Environment {
  return process.env;
}

/** Variables that other programs need: where they find files, and how they speak. */
const OF_OTHER_PROGRAMS: ReadonlySet<string> = new Set(
  'PATH HOME USER SHELL LANG LC_ALL TERM TMPDIR TMP TEMP XDG_CACHE_HOME XDG_CONFIG_HOME LD_LIBRARY_PATH DYLD_LIBRARY_PATH RUST_LOG RUST_BACKTRACE SYSTEMROOT PATHEXT APPDATA LOCALAPPDATA USERPROFILE'.split(
    ' ',
  ),
);

/** The environment of other programs that the node starts: without keys and tokens. */
export function childEnvironment(env: Environment = process.env): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    // Windows has some of them in small letters.
    if (value !== undefined && OF_OTHER_PROGRAMS.has(name.toUpperCase())) variables[name] = value;
  }
  return variables;
}

/** Whether the standard variables of OpenTelemetry ask for traces; its SDK reads the rest of them. */
export function areTracesRequested(env: Environment = process.env): boolean {
  const isOff =
    env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  return !isOff && endpoint !== undefined && endpoint !== '';
}
