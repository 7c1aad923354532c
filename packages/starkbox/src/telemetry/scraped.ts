// Metrics whose values are read at each scrape.
import {
  Gauge,
  type LabelValues,
  type OpenMetricsContentType,
  type PrometheusContentType,
  type Registry,
} from 'prom-client';

export type Contents = PrometheusContentType | OpenMetricsContentType;

type ScrapedGauge = { readonly name: string; readonly help: string } & (
  | { readonly read: () => number }
  | {
      readonly label: string;
      /** By the values of the label. */
      readonly read: () => Readonly<Record<string, number>>;
    }
);

/** Adds a gauge to a registry. */
export function readAtScrape(registry: Registry<Contents>, metric: ScrapedGauge): void {
  const { name, help } = metric;
  const labelNames = 'label' in metric ? [metric.label] : [];
  const settings = { name, help, labelNames, registers: [registry] };
  new Gauge({
    ...settings,
    collect() {
      for (const [labels, value] of valuesOf(metric)) this.set(labels, value);
    },
  });
}

function valuesOf(
  metric: ScrapedGauge,
): readonly (readonly [labels: LabelValues<string>, value: number])[] {
  if (!('label' in metric)) return [[{}, metric.read()]];
  const { label, read } = metric;
  return Object.entries(read()).map(([key, value]) => [{ [label]: key }, value]);
}
