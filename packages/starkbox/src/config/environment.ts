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

/** Whether the standard variables of OpenTelemetry ask for traces; its SDK reads the rest of them. */
export function wantsTraces(env: Environment = process.env): boolean {
  const isOff =
    env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  const place = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  return !isOff && place !== undefined && place !== '';
}

/** What the standard variables of AWS say about requests to an object store. */
export interface AwsSettings {
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  /** Of temporary credentials. */
  readonly sessionToken: string | undefined;
  readonly region: string | undefined;
}

export function awsSettings(env: Environment = process.env): AwsSettings {
  return {
    accessKeyId: env['AWS_ACCESS_KEY_ID'] || undefined,
    secretAccessKey: env['AWS_SECRET_ACCESS_KEY'] || undefined,
    sessionToken: env['AWS_SESSION_TOKEN'] || undefined,
    region: env['AWS_REGION'] || undefined,
  };
}
