// Markdown of docs/reference/methods.md, from the OpenRPC documents and examples.
import { answerText, requestText } from './example-text.mjs';

/**
 * @typedef {import('./documents.mjs').Schema} Schema
 * @typedef {import('./documents.mjs').Method} Method
 * @typedef {import('./documents.mjs').Document} Document
 */

/** Methods of the sandbox by theme, without the prefix `devnet_`, in the order of the page. */
const THEMES = /** @type {const} */ ({
  'Accounts and tokens':
    'getPredeployedAccounts getAccountBalance mint deal impersonateAccount stopImpersonateAccount autoImpersonate stopAutoImpersonate',
  'Blocks, time and prices':
    'createBlock abortBlocks reorg acceptOnL1 setTime increaseTime setGasPrice setBlockSettings getBlockSettings',
  'Snapshots, dumps and restarts': 'snapshot revert listSnapshots dump load restart',
  'State and classes': 'applyStateDiff replaceClass getStorage nameStorage addArtifact',
  Mempool: 'mempoolList mempoolSelect mempoolPreConfirm mempoolSeal mempoolRemove mempoolClear',
  'Messages between L1 and L2':
    'postmanLoad postmanFlush postmanSendMessageToL2 postmanConsumeMessageFromL2 listMessages',
  'Failures, gas and coverage':
    'explainTransaction replayTransaction gasReport coverage executedLines machineTrace listRuleFindings',
  'Lists, search and labels':
    'listBlocks listTransactions listContracts listClasses search setLabel getLabels',
  Instances: 'createInstance listInstances deleteInstance',
  'The node and its requests':
    'getConfig getStatus rpc.discover recordRequests getRequests getRequest getRecording subscribeSandbox subscribeRequests',
});

/** The documents of the specification in the order of the page, with their headings. */
const SECTIONS = /** @type {const} */ ([
  ['read', 'Reading the chain'],
  ['trace', 'Traces, simulations and proofs'],
  ['write', 'Sending transactions'],
  ['ws', 'Subscriptions'],
]);

const INTRO = `# Methods

All methods of the node. Pass parameters by name, or by position in the order of the tables.

- \`starknet_\` methods implement the Starknet JSON-RPC specification, with its types.
- \`devnet_\` methods control the sandbox. [Their types](#types) are at the end of this page.
- Every method has an alias: \`chain_\` for \`starknet_\`, and \`sandbox_\` for \`devnet_\`.
- [Subscriptions](subscriptions.md) need a WebSocket.

Call \`rpc.discover\` to get this page as one OpenRPC document.

The examples come from a node with \`--seed 0\` that received them one after another. Requests omit \`jsonrpc\` and \`id\`. Responses
show the \`result\`, or the \`error\` of a rejected call. Long values end with \`…\`.

In addition to the listed errors, every method can return -32602 for a wrong parameter, -32603 for a failure of the node,
and -32604 if the method is forbidden. Sandbox methods return -1 with a reason if they cannot do what you ask.
See [errors](errors.md).
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
  const { methods: devnetMethods } = documentOf('devnet');
  const sections = [
    ...Object.entries(THEMES).map(([heading, names]) => ({
      file: 'devnet',
      heading,
      methods: inTheme(devnetMethods, names.split(' ')),
    })),
    ...SECTIONS.map(([file, heading]) => ({ file, heading, methods: documentOf(file).methods })),
  ].map(({ file, heading, methods }) => ({
    file,
    heading,
    calls: methods.filter(({ result }) => result),
    notifications: methods.filter(({ result }) => !result),
  }));
  const shown = new Set(sections.flatMap(({ calls }) => calls));
  const missing = devnetMethods.filter((method) => method.result && !shown.has(method));
  if (missing.length > 0) {
    throw new Error(`THEMES lacks ${missing.map(({ name }) => name).join(', ')}`);
  }
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
      : [`### Notifications: ${heading.toLowerCase()}`, notificationTable(notifications)]),
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

/**
 * The methods of a theme in its order, and after a subscription its notification.
 *
 * @param {readonly Method[]} methods
 * @param {readonly string[]} names without their prefix
 */
function inTheme(methods, names) {
  return names.flatMap((name) => {
    const notification = name.replace(/^subscribe/, 'subscription');
    const members = methods.filter((method) =>
      [name, `devnet_${name}`, `devnet_${notification}`].includes(method.name),
    );
    if (members.length === 0) throw new Error(`THEMES has ${name}, which is no method`);
    return members;
  });
}

/**
 * @param {Method} method
 * @param {string} file
 * @param {ReadonlyMap<string, Document>} documents
 */
function callText(method, file, documents) {
  const { name, summary, description, params, result, errors = [] } = method;
  const facts = [
    ...(method['x-writes'] ? ['Changes the chain or the node.'] : []),
    ...(/_(un)?subscribe/.test(name) ? ['Needs a WebSocket.'] : []),
  ];
  const refusals = errors.map(({ $ref }) => {
    const [path = '', pointer = ''] = $ref.split('#');
    const home = documents.get(
      path === '' ? file : path.replace(/^\.\//, '').replace(/\.json$/, ''),
    );
    const error = home?.components.errors[pointer.split('/').at(-1) ?? ''];
    if (!error) throw new Error(`${name} refers to ${$ref}, which does not exist`);
    return `${error.code} (${error.message})`;
  });
  return [
    `### ${name}`,
    [sentence(summary), ...(description === undefined ? [] : [sentence(description)])].join(' '),
    ...(facts.length === 0 ? [] : [facts.join(' ')]),
    ...(params.length === 0 ? ['No parameters.'] : [parameterTable(params)]),
    `Returns ${typeText(result?.schema ?? {})}: ${lowerFirst(sentence(result?.description ?? ''))}`,
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
  if (needs !== undefined) return [`Request (needs ${needs}):`, request].join('\n\n');
  return [
    'Request:',
    request,
    'Response:',
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
      return 'a boolean';
    case undefined:
      return 'anything';
    default:
      return `a ${schema.type}`;
  }
}
