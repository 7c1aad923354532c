// Knows who is told how a node works: metrics, traces and the log, each only where it was asked for.
import type { Config } from './config.js';
import type { Log } from './log.js';
import type { Figures, Metrics } from './metrics.js';
import { type CallReport, joined, type Probe } from './probe.js';
import type { MetricsPage } from './server/metrics-page.js';

export interface Telemetry {
  readonly probe: Probe | undefined;
  /** Hears of every call. */
  readonly onCall: ((report: CallReport) => void) | undefined;
  /** Opens the page of the metrics; its address. */
  listen(admitsHost: (header: string | undefined) => boolean): Promise<string | undefined>;
  close(): Promise<void>;
}

/** @param look what a scrape finds */
export async function openTelemetry(
  config: Pick<Config, 'metricsHost' | 'metricsPort' | 'logLevel'>,
  log: Log,
  look: () => Figures,
): Promise<Telemetry> {
  const { metricsHost: host, metricsPort: port, logLevel } = config;
  // Loaded only when needed: it takes longer than the rest of a start.
  const metrics = host === undefined ? undefined : new (await import('./metrics.js')).Metrics(look);
  const isVerbose = logLevel === 'debug' || logLevel === 'trace';
  let page: MetricsPage | undefined;
  return {
    probe: joined([...(metrics ? [metrics] : [])]),
    onCall: metrics || isVerbose ? reporter(metrics, isVerbose ? log : undefined) : undefined,
    async listen(admitsHost) {
      if (host === undefined || !metrics) return undefined;
      const { serveMetrics } = await import('./server/metrics-page.js');
      page ??= await serveMetrics({ host, port, text: () => metrics.text(), admitsHost });
      return page.url;
    },
    async close() {
      await page?.close();
    },
  };
}

/** Longer ids are cut: a log line is to be read. */
const LONGEST_ID = 64;

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
        ...(id === undefined ? {} : { id: String(id).slice(0, LONGEST_ID) }),
      },
      'call',
    );
  };
}
