// Variables of the protocol, and the references by which an editor reads their children.
import type { Value, Variable } from '@starkbox/debugger';
import type { DebugProtocol } from '@vscode/debugprotocol';

/** Reads a range of children. */
type ReadChildren = (
  first: number,
  count: number | undefined,
) => Promise<readonly DebugProtocol.Variable[]>;

interface Container {
  readonly isIndexed: boolean;
  readonly read: ReadChildren;
}

const INDEXED = /^@?(core::array::(Array|Span)\b|\[)/;

/** References are valid until the position changes. */
export class References {
  readonly #containers: Container[] = [];

  clear(): void {
    this.#containers.length = 0;
  }

  add(read: ReadChildren, isIndexed: boolean = false): number {
    return this.#containers.push({ isIndexed, read });
  }

  async read({
    variablesReference,
    filter,
    start = 0,
    count,
  }: DebugProtocol.VariablesArguments): Promise<readonly DebugProtocol.Variable[]> {
    const container = this.#containers[variablesReference - 1];
    if (!container) {
      throw new Error('These variables belong to an earlier position. Read the scopes again.');
    }
    const { isIndexed, read } = container;
    if (filter !== undefined && (filter === 'indexed') !== isIndexed) return [];
    // A count of zero asks for all.
    return read(start, count || undefined);
  }

  /** @param path the expression of the value, for watches */
  variable({ name, value }: Variable, path: string = name): DebugProtocol.Variable {
    return { name, ...this.#showValue(value, path), value: value.text, evaluateName: path };
  }

  describeValue(value: Value, path: string): DebugProtocol.EvaluateResponse['body'] {
    return { ...this.#showValue(value, path), result: value.text };
  }

  #showValue(
    value: Value,
    path: string,
  ): Pick<
    DebugProtocol.Variable,
    'type' | 'variablesReference' | 'indexedVariables' | 'namedVariables'
  > {
    const { type, childCount } = value;
    if (childCount === 0) return { type, variablesReference: 0 };
    const isIndexed = INDEXED.test(type);
    const variablesReference = this.add(async (first, count) => {
      const children = await value.children(first, count);
      return children.map((child) => this.variable(child, childPath(path, child.name)));
    }, isIndexed);
    const counts = isIndexed ? { indexedVariables: childCount } : { namedVariables: childCount };
    return { type, variablesReference, ...counts };
  }
}

function childPath(path: string, name: string): string {
  if (/^\[.*\]$/.test(name)) return `${path}${name}`;
  return /^\d+$/.test(name) ? `${path}[${name}]` : `${path}.${name}`;
}

/** A variable that is one line of text. */
export function textVariable(name: string, value: string, type?: string): DebugProtocol.Variable {
  return { name, value, variablesReference: 0, ...(type === undefined ? {} : { type }) };
}
