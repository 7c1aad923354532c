// The text format of Prometheus, and the series that a query asks for.

export interface Scrape {
  /** By series: the name with its labels, as written. */
  readonly values: ReadonlyMap<string, number>;
  /** Of metrics. */
  readonly types: ReadonlyMap<string, string>;
  /** The names of labels that a series' name has. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Throws for a line that is none of the format. */
export function parse(text: string): Scrape {
  const values = new Map<string, number>();
  const types = new Map<string, string>();
  const labels = new Map<string, Set<string>>();
  for (const line of text.split('\n')) {
    const type = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line);
    if (type?.[1] && type[2]) {
      if (types.has(type[1])) throw new Error(`${type[1]} is there twice`);
      types.set(type[1], type[2]);
    } else if (line !== '' && !line.startsWith('# HELP ')) {
      const sample = /^([a-z_:]\w*)(\{.*\})? (\S+)$/i.exec(line);
      if (!sample?.[1]) throw new Error(`no line of a scrape: ${line}`);
      values.set(`${sample[1]}${sample[2] ?? ''}`, Number(sample[3]?.replace('Inf', 'Infinity')));
      const names = labels.get(sample[1]) ?? new Set();
      for (const [, name] of (sample[2] ?? '').matchAll(/(\w+)="/g)) if (name) names.add(name);
      labels.set(sample[1], names);
    }
  }
  return { values, types, labels };
}

export interface QueriedSeries {
  readonly name: string;
  /** Without the ending of a histogram's series. */
  readonly metric: string;
  readonly labels: readonly string[];
}

/** The series that a query reads, with the labels that it filters and groups by. */
export function seriesOf(query: string): readonly QueriedSeries[] {
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((name) => name.trim()),
  );
  const plain = query.replace(/\bby \([^)]*\)/g, '');
  return [...plain.matchAll(/\b([a-z]+_\w+)(?:\{([^}]*)\})?(?!\w*\()/g)].flatMap(
    ([, name = '', filter = '']) =>
      name === 'histogram_quantile'
        ? []
        : [
            {
              name,
              metric: name.replace(/_(bucket|sum|count)$/, (ending) =>
                /(seconds)_(bucket|sum|count)$/.test(name) ? '' : ending,
              ),
              labels: [
                ...grouped,
                ...[...filter.matchAll(/(\w+)=/g)].map(([, label = '']) => label),
              ],
            },
          ],
  );
}
