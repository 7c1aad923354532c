// Classes that ran: their code and lines.
import { isObject } from '@starkbox/abi/basics';
import type { DEBUG_CLASS } from '@starkbox/spec';
import type { Caller } from './debugger.js';
import { type ClassCode, CodeTable, LineTable } from './lines.js';
import { DebugClass } from './values/debug-class.js';

/** Settings of Scarb that add locations and variables to artifacts. */
const ADD_DEBUG_INFO =
  'In Scarb.toml, below [cairo], set add-statements-code-locations-debug-info, ' +
  'add-statements-functions-debug-info and add-functions-debug-info to true, build again, ' +
  'and give the node the artifacts.';

export class Classes {
  readonly lines: LineTable = new LineTable();
  readonly #classes: ReadonlyMap<string, DebugClass>;
  readonly #tables = new Map<string, CodeTable>();

  constructor(classes: ReadonlyMap<string, DebugClass>) {
    this.#classes = classes;
    for (const [hash, debugClass] of classes) {
      if (debugClass.code) {
        this.#tables.set(hash, new CodeTable(codeOf(debugClass, debugClass.code), this.lines));
      }
    }
  }

  /** Reads the classes with some hashes; one that the node does not have is left out. */
  static async load(call: Caller, hashes: Iterable<string>): Promise<Classes> {
    const classes = new Map<string, DebugClass>();
    await Promise.all(
      Array.from(hashes, async (hash) => {
        const answer = await call('devnet_getDebugClass', { class_hash: hash }).catch(
          () => undefined,
        );
        if (isDebugClass(answer)) classes.set(hash, new DebugClass(answer));
      }),
    );
    return new Classes(classes);
  }

  get(hash: string): DebugClass | undefined {
    return this.#classes.get(hash);
  }

  table(hash: string): CodeTable | undefined {
    return this.#tables.get(hash);
  }

  get all(): readonly DebugClass[] {
    return [...this.#classes.values()];
  }

  /** Sentences about classes that steps pass by their system calls. */
  get notes(): readonly string[] {
    const ownClasses = this.all.filter(({ isPredeployed }) => !isPredeployed);
    return ownClasses.flatMap(({ classHash, name = classHash, note, hasLocations, hasCode }) => {
      if (!hasCode) return [`${name} steps by its system calls. ${note ?? ''}`.trim()];
      return hasLocations
        ? []
        : [`${name} steps by its system calls, without debug information. ${ADD_DEBUG_INFO}`];
    });
  }
}

function codeOf(debugClass: DebugClass, code: NonNullable<DEBUG_CLASS['code']>): ClassCode {
  const { functions } = debugClass;
  const indexes = new Map(functions.map(({ id }, index) => [id, index]));
  const statementOffsets = new Uint32Array(code.starts.length + 1);
  statementOffsets.set(code.starts);
  statementOffsets[code.starts.length] = code.end;
  return {
    statementOffsets,
    entriesAt: (statement) => debugClass.locationsAt(statement),
    functionAt: (statement) => indexes.get(debugClass.functionAt(statement)?.id ?? -1) ?? -1,
    functionName: (index) => functions[index]?.name,
  };
}

function isDebugClass(value: unknown): value is DEBUG_CLASS {
  if (!isObject(value) || typeof value['class_hash'] !== 'string') return false;
  const { code, source } = value;
  const isCode =
    code === undefined ||
    (isObject(code) && Array.isArray(code['starts']) && Array.isArray(code['functions']));
  return isCode && (source === undefined || isObject(source));
}
