// Help on a method: parameters, result, types and errors, from the specification.
import { aliasOf } from '@starkbox/spec';
import { stringify } from '../../json/json.js';
import { type HelpStyle, section, termLines, wrapText } from './help-text.js';
import {
  alternatives,
  itemsOf,
  type Method,
  methodOf,
  propertiesOf,
  resolveSchema,
  type Schema,
  sampleOf,
  typeName,
} from './method-documents.js';
import { fullName } from './method-names.js';

/** The text for a terminal. @throws UsageError for a method that does not exist */
export function methodHelp(word: string, style: HelpStyle): string {
  const name = fullName(word);
  const method = methodOf(name);
  if (method === undefined) throw new Error(`the specification has no method ${name}`);
  const { summary, description, params, result, errors } = method;
  const alias = aliasOf(method.name);
  const usage = params.map((param) => (param.isRequired ? param.name : `[${param.name}]`));
  const types = new Map<string, Schema>();
  for (const { schema } of params) collectTypes(schema, types);
  collectTypes(result.schema, types);
  const lines = [
    ...usageLines([method.name, ...usage], style),
    '',
    ...wrapText(`${sentence(summary)} ${sentence(description)}`.trim(), style.width),
    ...(alias === undefined ? [] : wrapText(`Another name of it is ${alias}.`, style.width)),
    ...section('Parameters', parameterLines(method, style), style),
    ...section('Result', resultLines(method, style), style),
    ...(types.size === 0 ? [] : section('Types', typeLines(types, style), style)),
    ...(errors.length === 0
      ? []
      : section(
          'Errors',
          termLines(
            errors.map(({ code, message }) => [String(code), message]),
            style,
          ),
          style,
        )),
    ...section('Example', exampleLines(method, style), style),
  ];
  return `${lines.join('\n')}\n`;
}

function usageLines(words: readonly string[], { width, paint }: HelpStyle): readonly string[] {
  const indent = ' '.repeat('Usage: '.length);
  const [first = '', ...rest] = wrapText(`starkbox rpc ${words.join(' ')}`, width, indent);
  return [`${paint('bold', 'Usage:')} ${first.trimStart()}`, ...rest];
}

/** Parameters in the examples of methods that need one of several optional ones. */
const ONE_OF_SEVERAL: Readonly<Record<string, string>> = { devnet_load: 'path=chain.json' };

/** Words of a command line with every required parameter, which a node accepts. */
export function exampleOf({ name, params }: Method): readonly string[] {
  const words = params
    .filter(({ isRequired }) => isRequired)
    .map((param) => `${param.name}=${shellWord(sampleOf(param.schema))}`);
  const further = ONE_OF_SEVERAL[name];
  return [`starkbox rpc ${name}`, ...words, ...(further === undefined ? [] : [further])];
}

/** A long command line has a line for each word, so that it can still be copied. */
function exampleLines(method: Method, { width }: HelpStyle): readonly string[] {
  const words = exampleOf(method);
  const line = `  ${words.join(' ')}`;
  return line.length <= width ? [line] : [`  ${words.join(' \\\n    ')}`];
}

function shellWord(value: unknown): string {
  const text = typeof value === 'string' ? value : stringify(value);
  return /^[\w.-]+$/.test(text) ? text : `'${text}'`;
}

function parameterLines({ params }: Method, style: HelpStyle): readonly string[] {
  if (params.length === 0) return ['  none'];
  const rows = params.map(({ name, isRequired, schema, description }): [string, string] => [
    name,
    `${typeText(schema)}${isRequired ? '' : ', optional'}. ${sentence(description)}`,
  ]);
  return termLines(rows, style);
}

function resultLines({ result }: Method, { width }: HelpStyle): readonly string[] {
  return [
    ...wrapText(typeText(result.schema), width, '  '),
    ...wrapText(sentence(result.description), width, '  '),
  ];
}

function typeLines(types: ReadonlyMap<string, Schema>, style: HelpStyle): readonly string[] {
  const rows = [...types].map(([name, schema]): [string, string] => {
    const { members } = resolveSchema(schema);
    const text = typeof members['description'] === 'string' ? sentence(members['description']) : '';
    const content = typeText({ ...resolveSchema(schema) });
    return [name, `${content}. ${text}`.trim()];
  });
  return termLines(rows, style);
}

/** Types that a schema names, and those of the members that it lists itself. */
function collectTypes(schema: Schema, types: Map<string, Schema>): void {
  const name = typeName(schema);
  if (name !== undefined) {
    types.set(name, schema);
    return;
  }
  const parts = alternatives(schema).filter((part) => part !== schema);
  for (const part of parts) collectTypes(part, types);
  if (resolveSchema(schema).members['type'] === 'array') collectTypes(itemsOf(schema), types);
  for (const property of propertiesOf(schema)) collectTypes(property.schema, types);
}

/** A schema as a type: `FELT`, `"latest" | "pre_confirmed"`, `{ amount, unit? }`. */
function typeText(schema: Schema): string {
  const name = typeName(schema);
  if (name !== undefined) return name;
  const parts = alternatives(schema);
  if (parts.length > 1) return [...new Set(parts.map(typeText))].join(' | ');
  const { members } = resolveSchema(schema);
  const { enum: values, type, allOf } = members;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array') {
    const item = typeText(itemsOf(schema));
    return item.includes(' ') ? `(${item})[]` : `${item}[]`;
  }
  if (type === 'object' || Array.isArray(allOf)) return objectText(schema);
  return typeof type === 'string' ? type : 'any';
}

function objectText(schema: Schema): string {
  const properties = propertiesOf(schema);
  if (properties.length === 0) return 'object';
  const members = properties.map(
    ({ name, isRequired, schema: member }) =>
      `${name}${isRequired ? '' : '?'}: ${typeText(member)}`,
  );
  return `{ ${members.join(', ')} }`;
}

function sentence(text: string): string {
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}
