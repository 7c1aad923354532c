// Cycles in a graph of imports.

/** One closed walk for each set of nodes that reach each other. */
export function findCycles(graph: ReadonlyMap<string, Iterable<string>>): string[][] {
  const cycles: string[][] = [];
  const visited = new Set<string>();
  const walk = (node: string, path: readonly string[]): void => {
    const start = path.indexOf(node);
    if (start >= 0) {
      cycles.push([...path.slice(start), node]);
      return;
    }
    if (visited.has(node)) return;
    for (const next of graph.get(node) ?? []) walk(next, [...path, node]);
    visited.add(node);
  };
  for (const node of [...graph.keys()].sort()) walk(node, []);
  return cycles;
}
