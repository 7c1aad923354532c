// Metrics whose values are read at each scrape.
import {
  Counter,
  Gauge,
  type OpenMetricsContentType,
  type PrometheusContentType,
  type Registry,
} from 'prom-client';

export type Contents = PrometheusContentType | OpenMetricsContentType;

export function gauge(
  registry: Registry<Contents>,
  name: string,
  help: string,
  value: () => number,
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
}

export function labelled(
  registry: Registry<Contents>,
  name: string,
  help: string,
  label: string,
  values: () => Readonly<Record<string, number>>,
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      for (const [key, value] of Object.entries(values())) this.set({ [label]: key }, value);
    },
  });
}

/** A counter of what is counted elsewhere. */
export function counter(
  registry: Registry<Contents>,
  name: string,
  help: string,
  value: () => number,
): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(value());
    },
  });
}

export function labelledCounter(
  registry: Registry<Contents>,
  name: string,
  help: string,
  label: string,
  values: () => Readonly<Record<string, number>>,
): void {
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [key, value] of Object.entries(values())) this.inc({ [label]: key }, value);
    },
  });
}
