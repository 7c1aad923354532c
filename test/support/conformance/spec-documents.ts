// OpenRPC documents as a set: resolution of names and references, and validation of values.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019, type SchemaObject, type ValidateFunction } from 'ajv/dist/2019.js';
import {
  arrayAt,
  isArray,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from './json.js';
import { EXACT, type Openness, type Resolve, translate } from './spec-schema.js';
import { describeViolations } from './violations.js';

export interface CheckOptions {
  /** Whether properties that the schema does not name are violations. Default: `report`. */
  readonly unknown?: 'report' | 'ignore';
}

export interface SpecParam {
  readonly name: string;
  readonly required: boolean;
}

export interface SpecError {
  readonly name: string;
  readonly code: number;
  readonly message: string;
}

export interface SpecMethod {
  readonly name: string;
  /** The document that has it. */
  readonly file: string;
  /** True for notifications, of which only the params can be checked. */
  readonly notification: boolean;
  readonly params: readonly SpecParam[];
  readonly errors: readonly SpecError[];
}

/** A schema as it is written, and the document that its references start from. */
export interface LocatedSchema {
  readonly file: string;
  readonly schema: JsonObject;
}

export interface SpecSource {
  /** The name in messages. */
  readonly name: string;
  /** Names of documents. If two documents define the same name, the first one applies. */
  readonly files: readonly string[];
  readonly read: (file: string) => JsonObject;
  /** Corrects a whole document. */
  readonly prepare?: (document: JsonObject, file: string) => JsonObject;
  /** Corrects a component, named `file#NAME`. */
  readonly repair?: (component: string, schema: JsonObject) => JsonObject;
}

interface SourceError extends SpecError {
  readonly file: string;
  readonly data: unknown;
}

interface SourceMethod {
  readonly method: SpecMethod;
  readonly params: ReadonlyMap<string, unknown>;
  readonly result: unknown;
  readonly errors: readonly SourceError[];
}

/**
 * A set of documents that refer to each other, as a validator. Every check returns one line per violation, beginning with
 * the JSON path. An unknown name throws.
 */
export class Spec {
  readonly methods: ReadonlyMap<string, SpecMethod>;
  /** Every component schema, as `file#NAME`. */
  readonly schemas: readonly string[];
  readonly #source: SpecSource;
  readonly #components: ReadonlyMap<string, JsonObject>;
  readonly #sources: ReadonlyMap<string, SourceMethod>;
  readonly #ajv: Ajv2019 = new Ajv2019({
    allErrors: true,
    strict: false,
    validateSchema: false,
    verbose: true,
    // A document is compiled in each process that runs tests, and checks a few hundred answers there.
    code: { optimize: false },
  });
  readonly #registered: Set<string> = new Set();
  readonly #validators: Map<string, ValidateFunction> = new Map();

  constructor(source: SpecSource) {
    this.#source = source;
    this.#ajv.addKeyword(EXACT);
    const documents = source.files.map((file): [string, JsonObject] => {
      const document = source.read(file);
      return [file, source.prepare?.(document, file) ?? document];
    });
    this.#components = new Map(
      documents.map(([file, document]) => [file, objectAt(document['components'], file)]),
    );
    this.schemas = documents.flatMap(([file]) =>
      Object.keys(this.#group(file, 'schemas')).map((name) => `${file}#${name}`),
    );
    const sources = new Map<string, SourceMethod>();
    for (const [file, document] of documents) {
      for (const value of arrayAt(document['methods'], file)) {
        const method = this.#readMethod(file, value);
        if (!sources.has(method.method.name)) sources.set(method.method.name, method);
      }
    }
    this.#sources = sources;
    this.methods = new Map([...this.#sources].map(([name, { method }]) => [name, method]));
  }

  /** @param name `TXN_RECEIPT`, or `starknet_metadata.json#EVENT` where a name is used twice */
  checkSchema(name: string, value: unknown, options: CheckOptions = {}): readonly string[] {
    const key = this.#qualify(name);
    return this.#check(value, key, options, (openness) => ({
      $ref: this.#register(key, openness),
    }));
  }

  checkResult(method: string, value: unknown, options: CheckOptions = {}): readonly string[] {
    const source = this.#find(method);
    if (source.method.notification)
      throw new Error(`${method} is a notification: it has no result`);
    return this.#check(value, `${method} result`, options, (openness) =>
      this.#translate(source.method.file, source.result, openness, `${method}/result`),
    );
  }

  /** @param params by position or by name; absent is the same as none */
  checkParams(method: string, params: unknown, options: CheckOptions = {}): readonly string[] {
    const source = this.#find(method);
    const declared = source.method.params;
    const paramsByName = toNamed(params, declared);
    if (typeof paramsByName === 'string') return [paramsByName];
    const violations: string[] = [];
    for (const { name, required } of declared) {
      if (!paramsByName.has(name)) {
        if (required) violations.push(`$: missing param '${name}'`);
        continue;
      }
      const path = `${method}/params/${name}`;
      const schema = source.params.get(name);
      violations.push(
        ...this.#check(
          paramsByName.get(name),
          path,
          options,
          (openness) => this.#translate(source.method.file, schema, openness, path),
          `$.${name}`,
        ),
      );
    }
    for (const name of paramsByName.keys()) {
      if (!source.params.has(name)) violations.push(`$: unknown param '${name}'`);
    }
    return violations;
  }

  /** @param error the `error` member of an answer: its code must be the method's, and its data fit */
  checkError(method: string, error: unknown, options: CheckOptions = {}): readonly string[] {
    const { errors } = this.#find(method);
    if (!isObject(error)) return ['$: must be an object'];
    const { code, message, data, ...rest } = error;
    const violations = Object.keys(rest).map((name) => `$: unknown property '${name}'`);
    if (typeof message !== 'string') violations.push('$.message: must be a string');
    if (typeof code !== 'number' || !Number.isInteger(code)) {
      return [...violations, '$.code: must be an integer'];
    }
    // Codes that JSON-RPC reserves are allowed for every method.
    if (code >= -32768 && code <= -32000) return violations;
    const declaredError = errors.find((candidate) => candidate.code === code);
    if (declaredError === undefined) {
      const codes = errors.map((candidate) => candidate.code).join(', ');
      return [...violations, `$.code: must be one of ${codes || '(none)'}, not ${code}`];
    }
    if (declaredError.data === undefined) return violations;
    if (data === undefined) return [...violations, "$: missing property 'data'"];
    const path = `${declaredError.file}#/errors/${declaredError.name}`;
    return violations.concat(
      this.#check(
        data,
        path,
        options,
        (openness) => this.#translate(declaredError.file, declaredError.data, openness, path),
        '$.data',
      ),
    );
  }

  #check(
    value: unknown,
    key: string,
    { unknown = 'report' }: CheckOptions,
    build: (openness: Openness) => SchemaObject,
    root = '$',
  ): readonly string[] {
    const openness = unknown === 'report' ? 'closed' : 'loose';
    const id = `${openness} ${key}`;
    const validate = this.#validators.get(id) ?? this.#ajv.compile(build(openness));
    this.#validators.set(id, validate);
    if (validate(value)) return [];
    return describeViolations(validate.errors ?? [], (schema) => this.#ajv.compile(schema), root);
  }

  /** @param name as for {@link Spec.checkSchema} */
  schema(name: string): LocatedSchema {
    const key = this.#qualify(name);
    const [file = '', component = ''] = key.split('#');
    const schema = objectAt(this.#group(file, 'schemas')[component], key);
    return { file, schema: this.#source.repair?.(key, schema) ?? schema };
  }

  result(method: string): LocatedSchema {
    const {
      method: { file },
      result,
    } = this.#find(method);
    return { file, schema: objectAt(result, `${method}/result`) };
  }

  params(method: string): ReadonlyMap<string, LocatedSchema> {
    const {
      method: { file },
      params,
    } = this.#find(method);
    return new Map(
      [...params].map(([name, schema]) => [
        name,
        { file, schema: objectAt(schema, `${method}/params/${name}`) },
      ]),
    );
  }

  /** The schema of the data of an error; undefined if there is none. */
  errorData(method: string, code: number): LocatedSchema | undefined {
    const error = this.#find(method).errors.find((candidate) => candidate.code === code);
    if (!isObject(error?.data)) return undefined;
    return { file: error.file, schema: error.data };
  }

  /** The target of a reference, as `file#NAME` for {@link Spec.schema}. */
  follow(ref: string, file: string): string {
    const target = this.#locate(ref, file);
    return `${target.file}#${target.name}`;
  }

  #qualify(name: string): string {
    if (name.includes('#')) return name;
    const files = [...this.#components.keys()];
    const file = files.find((candidate) => Object.hasOwn(this.#group(candidate, 'schemas'), name));
    if (file === undefined) throw new Error(`${this.#source.name} has no schema '${name}'`);
    return `${file}#${name}`;
  }

  #find(method: string): SourceMethod {
    const source = this.#sources.get(method);
    if (source === undefined) throw new Error(`${this.#source.name} has no method '${method}'`);
    return source;
  }

  #group(file: string, group: string): JsonObject {
    const groups = this.#components.get(file);
    if (groups === undefined) throw new Error(`${this.#source.name} has no document '${file}'`);
    return objectAt(groups[group] ?? {}, `${file}#/components/${group}`);
  }

  /** The target of a reference, by file name only, since some begin with a wrong `./api/`. */
  #locate(ref: string, from: string): { file: string; group: string; name: string } {
    const match = /^(?:.*?([^/]+\.json))?#\/components\/(\w+)\/(\w+)$/.exec(ref);
    if (!match) throw new Error(`${from} has a reference of unknown form: '${ref}'`);
    const [, file = from, group = '', name = ''] = match;
    return { file, group, name };
  }

  #translate(file: string, schema: unknown, openness: Openness, path: string): SchemaObject {
    const resolve: Resolve = (ref, how) => this.#register(this.follow(ref, file), how);
    return translate(schema, openness, resolve, path);
  }

  /** Registers a component and its references with ajv, once; it is compiled on first use. */
  #register(component: string, openness: Openness): string {
    const id = `spec:/${openness}/${component.replace('#', '/')}`;
    if (!this.#registered.has(id)) {
      this.#registered.add(id);
      const { file, schema } = this.schema(component);
      this.#ajv.addSchema(this.#translate(file, schema, openness, component), id);
    }
    return id;
  }

  #readMethod(file: string, value: unknown): SourceMethod {
    const source = objectAt(value, `${file}#/methods`);
    const name = stringAt(source['name'], `${file}#/methods/name`);
    const notification = source['result'] === undefined;
    const params = arrayAt(source['params'], name).map((param) => objectAt(param, name));
    const errors = arrayAt(source['errors'] ?? [], name).map((error) => {
      const ref = stringAt(objectAt(error, name)['$ref'], `${name}/errors`);
      return this.#readError(this.#locate(ref, file));
    });
    return {
      method: {
        name,
        file,
        notification,
        params: params.map((param) => ({
          name: stringAt(param['name'], name),
          // Notifications omit the flag, although their params are required.
          required: notification || param['required'] === true,
        })),
        errors: errors.map(({ name, code, message }) => ({ name, code, message })),
      },
      params: new Map(params.map((param) => [stringAt(param['name'], name), param['schema']])),
      result: isObject(source['result']) ? source['result']['schema'] : undefined,
      errors,
    };
  }

  #readError({ file, group, name }: { file: string; group: string; name: string }): SourceError {
    const path = `${file}#/${group}/${name}`;
    const source = objectAt(this.#group(file, group)[name], path);
    const data = source['data'];
    return {
      file,
      name,
      code: numberAt(source['code'], path),
      message: stringAt(source['message'], path),
      // Some errors have the name of a type in place of a schema.
      data: typeof data === 'string' ? { type: data } : data,
    };
  }
}

/** Reads the documents of a folder. */
export function documentsIn(directory: string): SpecSource['read'] {
  return (file) => objectAt(JSON.parse(readFileSync(join(directory, file), 'utf8')), file);
}

/** Params by name, or the violation of their form. */
function toNamed(
  params: unknown,
  declared: readonly SpecParam[],
): ReadonlyMap<string, unknown> | string {
  if (params === undefined) return new Map();
  if (isObject(params)) return new Map(Object.entries(params));
  if (!isArray(params)) return '$: must be an array or an object';
  if (params.length > declared.length) {
    return `$: must have at most ${declared.length} params, not ${params.length}`;
  }
  return new Map(params.map((value, i) => [declared[i]?.name ?? '', value]));
}
