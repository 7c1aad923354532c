// Metrics whose values are read at each scrape.
import {
  Counter,
  Gauge,
  type LabelValues,
  type OpenMetricsContentType,
  type PrometheusContentType,
  type Registry,
} from 'prom-client';

export type Contents = PrometheusContentType | OpenMetricsContentType;

/** A counter is one of what is counted elsewhere. */
export type ScrapedMetric = { readonly name: string; readonly help: string } & (
  | { readonly kind: 'gauge' | 'counter'; readonly read: () => number }
  | {
      readonly kind: 'labelled gauge' | 'labelled counter';
      readonly label: string;
      /** By the values of the label. */
      readonly read: () => Readonly<Record<string, number>>;
    }
);

/** Adds a metric to a registry. */
export function scraped(registry: Registry<Contents>, metric: ScrapedMetric): void {
  const { name, help, kind } = metric;
  const labelNames = 'label' in metric ? [metric.label] : [];
  const settings = { name, help, labelNames, registers: [registry] };
  if (kind === 'gauge' || kind === 'labelled gauge') {
    new Gauge({
      ...settings,
      collect() {
        for (const [labels, value] of valuesOf(metric)) this.set(labels, value);
      },
    });
  } else {
    new Counter({
      ...settings,
      collect() {
        this.reset();
        for (const [labels, value] of valuesOf(metric)) this.inc(labels, value);
      },
    });
  }
}

function valuesOf(
  metric: ScrapedMetric,
): readonly (readonly [labels: LabelValues<string>, value: number])[] {
  if (!('label' in metric)) return [[{}, metric.read()]];
  const { label, read } = metric;
  return Object.entries(read()).map(([key, value]) => [{ [label]: key }, value]);
}
