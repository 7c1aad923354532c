// Markdown of docs/reference/methods.md and the pages of its groups, from the OpenRPC documents and examples.
import { answerText, requestText } from './example-text.mjs';

/**
 * @typedef {import('./documents.mjs').Schema} Schema
 * @typedef {import('./documents.mjs').Method} Method
 * @typedef {import('./documents.mjs').Document} Document
 */

/**
 * The pages in their order: the files, the titles, and the methods, or the document whose methods they all hold.
 *
 * @type {readonly { page: string, title: string, document: string, methods?: string }[]}
 */
const PAGES = [
  {
    page: 'accounts',
    title: 'Accounts and balances',
    document: 'devnet',
    methods:
      'getPredeployedAccounts getAccountBalance mint deal impersonateAccount stopImpersonateAccount autoImpersonate stopAutoImpersonate',
  },
  {
    page: 'blocks',
    title: 'Blocks, time and prices',
    document: 'devnet',
    methods:
      'createBlock abortBlocks reorg acceptOnL1 setTime increaseTime setGasPrice setBlockSettings getBlockSettings setNetworkConditions getNetworkConditions setCongestion',
  },
  {
    page: 'state',
    title: 'State, snapshots and dumps',
    document: 'devnet',
    methods:
      'snapshot revert deleteSnapshot listSnapshots restart dump load replayTransaction getStorage nameStorage applyStateDiff replaceClass declare deploy',
  },
  {
    page: 'what-if',
    title: 'What if',
    document: 'devnet',
    methods: 'call estimateFee simulateTransactions callSequence',
  },
  {
    page: 'mempool',
    title: 'Mempool',
    document: 'devnet',
    methods: 'mempoolList mempoolSelect mempoolPreConfirm mempoolSeal mempoolRemove mempoolClear',
  },
  {
    page: 'messages',
    title: 'L1 messages',
    document: 'devnet',
    methods:
      'postmanLoad postmanFlush postmanSendMessageToL2 postmanConsumeMessageFromL2 listMessages',
  },
  {
    page: 'debugging',
    title: 'Failures, gas, coverage and debugging',
    document: 'devnet',
    methods:
      'explainTransaction gasReport coverage executedLines addArtifact listRuleFindings ' +
      'openDebugTrace readDebugSteps readDebugMemory closeDebugTrace getDebugClass getDebugSource getBundle',
  },
  {
    page: 'lists',
    title: 'Lists, names, search and labels',
    document: 'devnet',
    methods:
      'listBlocks listTransactions listContracts listClasses nameContracts getAbis search setLabel getLabels',
  },
  {
    page: 'node',
    title: 'Node, requests and instances',
    document: 'devnet',
    methods:
      'getConfig getStatus rpc.discover createInstance listInstances deleteInstance setPaymaster getPaymaster recordRequests getRequests getRequest subscribeSandbox subscribeRequests',
  },
  { page: 'reading', title: 'Reading the chain', document: 'read' },
  { page: 'transactions', title: 'Sending transactions', document: 'write' },
  { page: 'traces', title: 'Traces, simulations and proofs', document: 'trace' },
  { page: 'subscriptions', title: 'Subscriptions', document: 'ws' },
  { page: 'paymaster', title: 'Paymaster', document: 'paymaster' },
];

const INTRO = `# Methods

Every method of the node, by group. Pass parameters by name or by position, in the order of the tables.

Methods that begin with \`starknet_\` belong to the Starknet JSON-RPC specification and have its types. Methods that
begin with \`devnet_\` control the node; [Types](methods/types.md) describes their objects. Every \`starknet_\` method also
has a name with \`chain_\`, and every \`devnet_\` method one with \`sandbox_\`. Methods that begin with \`paymaster_\` need
[a node with a paymaster](../features/paymaster.md). \`rpc.discover\` returns all of this as one OpenRPC document.
[Subscriptions](subscriptions.md) need a WebSocket.

The examples come from a node with \`--seed 0\`. They leave out \`jsonrpc\` and \`id\`, show the \`result\` or the
\`error\`, and cut long values (\`…\`).

Any method can also return -32602 for a wrong parameter, -32603 if the node fails, and -32604 if the method is
forbidden. A \`devnet_\` method returns -1 with a sentence if the node cannot do what you ask.
`;

/** @typedef {import('./examples.mjs').Example} Example */

/**
 * @param {ReadonlyMap<string, Document>} documents by the names of their files, without `.json`
 * @param {ReadonlyMap<string, Example>} examples by the names of the methods
 * @returns {ReadonlyMap<string, string>} the pages by their paths in `docs/reference`
 */
export function methodsPages(documents, examples) {
  const groups = groupsOf(documents);
  const typed = ['devnet', 'paymaster'].map((file) => documentOf(documents, file));
  /** @param {string} text */
  const linked = (text) =>
    text.replace(/`([A-Z0-9_]+)`/g, (code, name) =>
      typed.some(({ components }) => Object.hasOwn(components.schemas, name))
        ? `[${code}](types.md#${name.toLowerCase()})`
        : code,
    );
  const index = groups.flatMap(({ page, title, calls }) => [
    `## ${title}`,
    [
      '| method | description |',
      '| --- | --- |',
      ...calls.map(({ name, summary }) => `| ${link(name, page)} | ${cell(sentence(summary))} |`),
    ].join('\n'),
  ]);
  const pages = groups.map(({ page, title, document, calls, notifications }) => {
    const sections = calls.map(
      (method) =>
        `${callText(method, document, documents)}\n\n${exampleText(method.name, examples)}`,
    );
    const table =
      notifications.length === 0 ? [] : ['## Notifications', notificationTable(notifications)];
    const text = [`# ${title}`, '[All methods](../methods.md)', ...sections, ...table].join('\n\n');
    return /** @type {const} */ ([`methods/${page}.md`, `${linked(text)}\n`]);
  });
  const typesPage = [
    '# Types',
    'The objects of `devnet_` and `paymaster_` methods.',
    ...typed.flatMap(types),
  ].join('\n\n');
  return new Map([
    ['methods.md', `${[INTRO.trimEnd(), ...index].join('\n\n')}\n`],
    ...pages,
    ['methods/types.md', `${linked(typesPage)}\n`],
  ]);
}

/**
 * @param {ReadonlyMap<string, Document>} documents
 * @param {string} file
 */
function documentOf(documents, file) {
  const document = documents.get(file);
  if (!document) throw new Error(`there is no document ${file}`);
  return document;
}

/**
 * The pages with their methods, each method on one page.
 * @param {ReadonlyMap<string, Document>} documents
 */
function groupsOf(documents) {
  const names = new Set(PAGES.flatMap(({ methods }) => methods?.split(' ') ?? []).map(fullName));
  const groups = PAGES.map(({ page, title, document, methods }, at) => {
    const all = documentOf(documents, document).methods;
    const order = methods?.split(' ').map(fullName);
    const isLast = PAGES.findLastIndex((other) => other.document === document) === at;
    const calls = all.filter(({ name, result }) => result && (order?.includes(name) ?? true));
    const missing = all.filter(({ name, result }) => result && order && !names.has(name));
    if (missing.length > 0) {
      throw new Error(
        `methods-page.mjs has no page for ${missing.map(({ name }) => name).join(', ')}`,
      );
    }
    return {
      ...{ page, title, document },
      calls: order
        ? calls.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
        : calls,
      notifications: isLast ? all.filter(({ result }) => !result) : [],
    };
  });
  const calls = groups.flatMap((group) => group.calls.map(({ name }) => name));
  const unknown = [...names].filter((name) => !calls.includes(name));
  if (unknown.length > 0)
    throw new Error(`methods-page.mjs names missing methods: ${unknown.join(', ')}`);
  return groups;
}

/** @param {string} name */
const fullName = (name) => (name.includes('.') ? name : `devnet_${name}`);

/**
 * @param {string} name
 * @param {string} page
 */
const link = (name, page) =>
  `[\`${name}\`](methods/${page}.md#${name.toLowerCase().replaceAll('.', '')})`;

/** @param {string} text */
const sentence = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);

/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

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
    `## ${name}`,
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
      return `## ${name}\n\n${description} In JSON, ${typeText(schema)}.`;
    }
    const rows = Object.entries(properties).map(([member, schema]) => {
      const presence = required.includes(member) ? '' : ' (optional)';
      return `| \`${member}\`${presence} | ${cell(typeText(schema))} | ${cell(schema.description ?? '')} |`;
    });
    const table = ['| member | type | meaning |', '| --- | --- | --- |', ...rows].join('\n');
    return [`## ${name}`, ...(description === '' ? [] : [description]), table].join('\n\n');
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
