// Telemetry of a node: metrics, traces and log lines, each only if it is turned on.
import { areTracesRequested } from '../config/environment.js';
import type { Config } from '../config/options.js';
import type { Log } from '../log.js';
import { type CallReport, joinProbes, type Probe, type Stage } from '../probe.js';
import { milliseconds } from '../scheduling/slices.js';
import type { Figures, Metrics } from './metrics.js';
import type { MetricsPage } from './metrics-page.js';
import type { Traces } from './traces.js';

export interface Telemetry {
  readonly probe: Probe | undefined;
  /** Called after every call. */
  readonly onCall: ((report: CallReport) => void) | undefined;
  /** Called after a step that blocked the event loop for long. */
  readonly onStall: (stage: Stage, method: string, milliseconds: number) => void;
  /** Adds figures that are read at each scrape; to be called once. */
  observe(figures: () => Figures): void;
  /** Opens the metrics page, if there is to be one. */
  openPage(
    hostRefusal: (header: string | undefined) => string | undefined,
  ): Promise<MetricsPage | undefined>;
  /** Sends the traces that are left. */
  close(): Promise<void>;
}

/** @param version of this program */
export async function openTelemetry(
  config: Pick<Config, 'metricsHost' | 'metricsPort' | 'logLevel'>,
  log: Log,
  version: string,
): Promise<Telemetry> {
  const { metricsHost: host, metricsPort: port, logLevel } = config;
  // Loaded only when needed: it takes longer than the rest of a start.
  const metrics = host === undefined ? undefined : new (await import('./metrics.js')).Metrics();
  const isVerbose = logLevel === 'debug' || logLevel === 'trace';
  const traces = areTracesRequested() ? await loadTraces(log, version) : undefined;
  return {
    probe: joinProbes([...(traces ? [traces.probe] : []), ...(metrics ? [metrics] : [])]),
    onCall: metrics || isVerbose ? reporter(metrics, isVerbose ? log : undefined) : undefined,
    onStall: stallReporter(metrics, log),
    observe: (figures) => metrics?.observe(figures),
    async openPage(hostRefusal) {
      if (host === undefined || !metrics) return undefined;
      const { serveMetrics } = await import('./metrics-page.js');
      return serveMetrics({ host, port, text: () => metrics.text(), hostRefusal });
    },
    async close() {
      await traces?.close().catch((err: unknown) => log.warn({ err }, 'Traces were not sent'));
    },
  };
}

/** Not installed by default, because of their size. */
const PACKAGES = ['api', 'exporter-trace-otlp-http@0.223', 'resources@2', 'sdk-trace-node@2']
  .map((name) => `@opentelemetry/${name}`)
  .join(' ');

/** A node without the packages starts without traces. */
async function loadTraces(log: Log, version: string): Promise<Traces | undefined> {
  try {
    return (await import('./traces.js')).openTraces(version);
  } catch (err) {
    log.warn(
      { err },
      `traces are off, because OpenTelemetry is not installed: npm install ${PACKAGES}`,
    );
    return undefined;
  }
}

/** Shortest time between two warnings about stalls. */
const STALL_WARNING_MILLISECONDS = 10_000;

function stallReporter(metrics: Metrics | undefined, log: Log): Telemetry['onStall'] {
  let next = 0;
  let unreported = 0;
  return (stage, method, took) => {
    metrics?.stalled(stage, method, took / 1e3);
    const now = milliseconds();
    if (now < next) {
      unreported += 1;
      return;
    }
    next = now + STALL_WARNING_MILLISECONDS;
    const more = unreported === 0 ? '' : `; ${unreported} more since the last warning`;
    unreported = 0;
    log.warn(`${method} (${stage}) blocked the event loop for ${Math.round(took)} ms${more}`);
  };
}

/** Longer ids are cut in the log. */
const MAX_ID_LENGTH = 64;

function reporter(
  metrics: Metrics | undefined,
  log: Log | undefined,
): (report: CallReport) => void {
  let count = 0;
  return ({ method, id, seconds, errorCode, transport }) => {
    metrics?.called(method, seconds, errorCode !== undefined);
    if (!log) return;
    count += 1;
    log.debug(
      {
        request: count,
        method,
        milliseconds: Math.round(seconds * 1e6) / 1e3,
        outcome: errorCode === undefined ? 'success' : `error ${errorCode}`,
        transport,
        ...(id === undefined ? {} : { id: String(id).slice(0, MAX_ID_LENGTH) }),
      },
      'call',
    );
  };
}
