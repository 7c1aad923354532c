// Markdown of docs/reference/methods.md, from the OpenRPC documents and examples.
import { answerText, requestText } from './example-text.mjs';

/**
 * @typedef {import('./documents.mjs').Schema} Schema
 * @typedef {import('./documents.mjs').Method} Method
 * @typedef {import('./documents.mjs').Document} Document
 */

/** The documents in the order of the page, with their headings. */
const SECTIONS = /** @type {const} */ ([
  ['devnet', 'Controlling the sandbox'],
  ['read', 'Reading the chain'],
  ['trace', 'Traces, simulations and proofs'],
  ['write', 'Sending transactions'],
  ['ws', 'Subscriptions'],
]);

const ALIASES = /** @type {const} */ ([
  ['starknet_', 'chain_'],
  ['devnet_', 'sandbox_'],
]);

const INTRO = `# Methods

Every method that the node answers. Parameters go by name or by position, in the order of the tables. A
method has two names: \`starknet_\` and \`chain_\` are the same, and so are \`devnet_\` and \`sandbox_\`.

Methods that begin with \`starknet_\` are those of the Starknet JSON-RPC specification, with its types; those
that begin with \`devnet_\` are the sandbox's own, and [their types](#types) are at the end of this page.
\`rpc.discover\` answers with all of this as one OpenRPC document. [Subscriptions](subscriptions.md) need a
WebSocket.

The examples are from a node with \`--seed 0\`, to which they were sent one after another. \`jsonrpc\` and \`id\` of the
requests are left out, answers are the \`result\`, or \`error\` where the call was refused, and long values are cut (\`…\`).

Besides the errors that are listed, every method may answer -32602 if a parameter is wrong, -32603 if the
node fails, and -32604 if the method is forbidden; methods of the sandbox
answer -1 with a sentence where something cannot be done.
`;

/** @typedef {import('./examples.mjs').Example} Example */

/**
 * @param {ReadonlyMap<string, Document>} documents by the names of their files, without `.json`
 * @param {ReadonlyMap<string, Example>} examples by the names of the methods
 * @returns {string}
 */
export function methodsPage(documents, examples) {
  /** @param {string} file */
  const documentOf = (file) => {
    const document = documents.get(file);
    if (!document) throw new Error(`there is no document ${file}`);
    return document;
  };
  const sections = SECTIONS.map(([file, heading]) => {
    const { methods } = documentOf(file);
    const calls = methods.filter(({ result }) => result);
    return { file, heading, calls, notifications: methods.filter(({ result }) => !result) };
  });
  const contents = sections.map(({ heading, calls }) =>
    [`**${heading}**: `, calls.map(({ name }) => link(name)).join(', '), '.'].join(''),
  );
  const bodies = sections.flatMap(({ file, heading, calls, notifications }) => [
    `## ${heading}`,
    ...calls.map(
      (method) => `${callText(method, file, documents)}\n\n${exampleText(method.name, examples)}`,
    ),
    ...(notifications.length === 0
      ? []
      : [`### Notifications of ${heading.toLowerCase()}`, notificationTable(notifications)]),
  ]);
  const devnet = documentOf('devnet');
  const page = [INTRO.trimEnd(), ...contents, ...bodies, '## Types', ...types(devnet)].join('\n\n');
  const linked = page.replace(/`([A-Z0-9_]+)`/g, (code, name) =>
    Object.hasOwn(devnet.components.schemas, name) ? `[${code}](#${name.toLowerCase()})` : code,
  );
  return `${linked}\n`;
}

/** @param {string} name */
const link = (name) => `[\`${name}\`](#${name.toLowerCase().replaceAll('.', '')})`;

/** @param {string} text */
const sentence = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);

/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** @param {string} name */
function aliasOf(name) {
  const [prefix, alias] = ALIASES.find(([prefix]) => name.startsWith(prefix)) ?? ['', ''];
  return prefix === '' ? undefined : `${alias}${name.slice(prefix.length)}`;
}

/**
 * @param {Method} method
 * @param {string} file
 * @param {ReadonlyMap<string, Document>} documents
 */
function callText(method, file, documents) {
  const { name, summary, description, params, result, errors = [] } = method;
  const alias = aliasOf(name);
  const facts = [
    ...(alias === undefined ? [] : [`Also \`${alias}\`.`]),
    ...(method['x-writes'] ? ['Changes the chain or the node.'] : []),
    ...(/_(un)?subscribe/.test(name) ? ['Over a WebSocket only.'] : []),
  ];
  const refusals = errors.map(({ $ref }) => {
    const [path = '', pointer = ''] = $ref.split('#');
    const home = documents.get(
      path === '' ? file : path.replace(/^\.\//, '').replace(/\.json$/, ''),
    );
    const error = home?.components.errors[pointer.split('/').at(-1) ?? ''];
    if (!error) throw new Error(`${name} refers to ${$ref}, which is not there`);
    return `${error.code} (${error.message})`;
  });
  return [
    `### ${name}`,
    [sentence(summary), ...(description === undefined ? [] : [sentence(description)])].join(' '),
    ...(facts.length === 0 ? [] : [facts.join(' ')]),
    ...(params.length === 0 ? ['No parameters.'] : [parameterTable(params)]),
    `Answers ${typeText(result?.schema ?? {})}: ${lowerFirst(sentence(result?.description ?? ''))}`,
    ...(refusals.length === 0 ? [] : [`Errors: ${refusals.join(', ')}.`]),
  ].join('\n\n');
}

/**
 * @param {string} name
 * @param {ReadonlyMap<string, Example>} examples
 */
function exampleText(name, examples) {
  const example = examples.get(name);
  if (!example) throw new Error(`examples.mjs has no example of ${name}`);
  const { params, answer, needs } = example;
  const request = ['```json', requestText(name, params), '```'].join('\n');
  if (needs !== undefined) return [`An example, which needs ${needs}:`, request].join('\n\n');
  return [
    'For example',
    request,
    'is answered with',
    `\`\`\`json\n${answerText(answer ?? null)}\n\`\`\``,
  ].join('\n\n');
}

/** @param {string} text */
const lowerFirst = (text) =>
  /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

/** @param {Method['params']} params */
function parameterTable(params) {
  return [
    '| parameter | type | meaning |',
    '| --- | --- | --- |',
    ...params.map(({ name, required, schema, description = '' }) => {
      const presence = required ? '' : ' (optional)';
      return `| \`${name}\`${presence} | ${cell(typeText(schema))} | ${cell(description)} |`;
    }),
  ].join('\n');
}

/** @param {readonly Method[]} notifications */
function notificationTable(notifications) {
  return [
    '| notification | when | result |',
    '| --- | --- | --- |',
    ...notifications.map(({ name, summary, description, params }) => {
      const result = params.find((param) => param.name === 'result');
      const when = [
        sentence(summary),
        ...(description === undefined ? [] : [sentence(description)]),
      ];
      return `| \`${name}\` | ${cell(when.join(' '))} | ${cell(typeText(result?.schema ?? {}))} |`;
    }),
  ].join('\n');
}

/**
 * The objects of the sandbox's own methods.
 * @param {Document} document
 */
function types({ components }) {
  return Object.entries(components.schemas).map(([name, schema]) => {
    const { description = '', properties, required = [] } = schema;
    if (!properties || Object.keys(properties).length === 0) {
      return `### ${name}\n\n${description} In JSON, ${typeText(schema)}.`;
    }
    const rows = Object.entries(properties).map(([member, schema]) => {
      const presence = required.includes(member) ? '' : ' (optional)';
      return `| \`${member}\`${presence} | ${cell(typeText(schema))} | ${cell(schema.description ?? '')} |`;
    });
    const table = ['| member | type | meaning |', '| --- | --- | --- |', ...rows].join('\n');
    return [`### ${name}`, ...(description === '' ? [] : [description]), table].join('\n\n');
  });
}

/**
 * A schema in a few words.
 * @param {Schema} schema
 * @returns {string}
 */
function typeText(schema) {
  if (schema.$ref !== undefined) return `\`${schema.$ref.replace(/^.*\//, '')}\``;
  const values = schema.enum?.map((value) => `\`${JSON.stringify(value)}\``);
  if (values) return values.join(' or ');
  const union = schema.oneOf ?? schema.anyOf;
  if (union) return [...new Set(union.map(typeText))].join(' or ');
  if (schema.allOf) return schema.allOf.map(typeText).join(' with ');
  switch (schema.type) {
    case 'array':
      return schema.items ? `a list of ${typeText(schema.items)}` : 'a list';
    case 'object': {
      const members = Object.keys(schema.properties ?? {}).map((name) => `\`${name}\``);
      return members.length === 0 ? 'an object' : `an object with ${members.join(', ')}`;
    }
    case 'integer':
      return 'an integer';
    case 'boolean':
      return 'true or false';
    case undefined:
      return 'anything';
    default:
      return `a ${schema.type}`;
  }
}
