// Markdown of docs/reference/errors.md, from the OpenRPC documents.

/** @typedef {import('./documents.mjs').Document} Document */

/** Codes of the specification that only other nodes use. */
const ELSEWHERE = 'Not answered by this node itself; on a fork it can come from the network.';

/** What to do about each error of the documents. @type {Readonly<Record<string, string>>} */
const ADVICE = {
  FAILED_TO_RECEIVE_TXN: ELSEWHERE,
  NO_TRACE_AVAILABLE: 'The transaction waits in the mempool. Ask again when it is executed.',
  CONTRACT_NOT_FOUND:
    'Nothing is deployed at the address in that block. `devnet_listContracts` lists what is.',
  ENTRYPOINT_NOT_FOUND:
    'The contract has no function with this selector. `data.explained` names one that is meant.',
  BLOCK_NOT_FOUND:
    'The number or hash is none of this chain. It may have been aborted, or be of a chain before a restart.',
  INVALID_TXN_INDEX: 'The block has fewer transactions.',
  CLASS_HASH_NOT_FOUND: 'Declare the class first. `devnet_listClasses` lists those that are.',
  TXN_HASH_NOT_FOUND:
    'There is no such transaction. It may have been refused: `devnet_explainTransaction` says why.',
  PAGE_SIZE_TOO_BIG: ELSEWHERE,
  NO_BLOCKS: ELSEWHERE,
  INVALID_CONTINUATION_TOKEN: 'Begin again without a token.',
  TOO_MANY_KEYS_IN_FILTER: 'Give fewer keys; `--maximum-filter-keys` sets the most.',
  CONTRACT_ERROR: 'The call failed. `data.explained` says where and why.',
  TRANSACTION_EXECUTION_ERROR:
    'The estimate or simulation failed at the transaction `data.transaction_index`. `data.explained` says where and why.',
  STORAGE_PROOF_NOT_SUPPORTED:
    'There are no storage proofs here; on a fork, blocks of the network have those of the network.',
  COMPILATION_ERROR: ELSEWHERE,
  INVALID_CONTRACT_CLASS: 'The class is malformed, or was changed after it was compiled.',
  CLASS_ALREADY_DECLARED: 'Nothing to do: use its hash.',
  INVALID_TRANSACTION_NONCE:
    'Read the nonce again, at `pre_confirmed`. The data names the one that is due.',
  INSUFFICIENT_RESOURCES_FOR_VALIDATE: 'Raise the resource bounds; an estimate has the right ones.',
  INSUFFICIENT_ACCOUNT_BALANCE:
    '`devnet_mint` to the account, lower the bounds, or start with `--no-fee`.',
  VALIDATION_FAILURE:
    'The account refused the transaction, most often for its signature; or a [network rule](network-rules.md) did. The data says which.',
  COMPILATION_FAILED:
    'The Sierra program cannot be compiled, or a [network rule](network-rules.md) refuses a libfunc of it.',
  CONTRACT_CLASS_SIZE_IS_TOO_LARGE:
    'Make the class smaller, or raise `--maximum-contract-class-size`, `--maximum-contract-bytecode-size` or `--maximum-sierra-length`.',
  NON_ACCOUNT: ELSEWHERE,
  DUPLICATE_TX: 'The same transaction is already there. Nothing to do, or use the next nonce.',
  COMPILED_CLASS_HASH_MISMATCH:
    'Give the hash that the data names; old tools compute it as Starknet did before 0.14.1.',
  UNSUPPORTED_TX_VERSION: ELSEWHERE,
  UNSUPPORTED_CONTRACT_CLASS_VERSION:
    'Compile with a release that the [network rules](network-rules.md) allow.',
  UNEXPECTED_ERROR:
    'In [version 0.8](versions.md) it stands for 64 and 65, with the message as data.',
  REPLACEMENT_TRANSACTION_UNDERPRICED:
    'Raise tip and price further to [replace](mempool.md) a waiting transaction.',
  FEE_BELOW_MINIMUM: 'Offer at least the price of the block; `devnet_setGasPrice` sets it.',
  INVALID_PROOF:
    'The proof is not one of `starknet_proveTransaction` of this node, or `--proof-mode` is `none`.',
  INVALID_SUBSCRIPTION_ID:
    'The subscription has ended, for example by `devnet_restart`. Subscribe again.',
  TOO_MANY_ADDRESSES_IN_FILTER: 'Give fewer addresses; `--maximum-filter-addresses` sets the most.',
  TOO_MANY_BLOCKS_BACK: 'Subscribe from a newer block, and read older ones by calls.',
  INVALID_TRANSACTION_INPUT: ELSEWHERE,
  UNSUPPORTED_TX_TYPE: ELSEWHERE,
  TRANSACTION_BLOCKED: ELSEWHERE,
  SERVICE_BUSY:
    'Ask again, or for less. `--memory-budget`, `--maximum-response-size` and `--maximum-executions` set the limits.',
  DUMP_ERROR:
    'The file cannot be written, read or loaded; the message says why. The chain is as it was.',
  PARSE_ERROR: 'The request is not JSON, or is nested too deeply.',
  INVALID_REQUEST: 'The request is no JSON-RPC call, or is larger than a limit allows.',
  METHOD_NOT_FOUND:
    'The message names methods that may be meant. Older [versions](versions.md) have fewer.',
  INVALID_PARAMS: 'The message names the parameter and what is expected.',
  INTERNAL_ERROR:
    'A fault of the node, with its cause in the log; or a network or L1 that did not answer, with `data.kind`.',
  INSTANCE_ELSEWHERE:
    'Send the request to `data.owner_url`, or through the proxy again later; see [hosting](../operate/hosting.md).',
  LEASE_NOT_HELD:
    'Send the request again. The node cannot reach the store of `--instance-store` in time; see [hosting](../operate/hosting.md).',
  METHOD_FORBIDDEN:
    'The method is [restricted](options.md#restricted-methods), or the page or host is [not allowed](../../SECURITY.md).',
};

/** Errors without a name in the documents. */
const OTHERS = /** @type {const} */ ([
  [
    -1,
    'refused',
    'Something that the sandbox cannot do as asked. The message is a sentence with the reason.',
  ],
  [-32001, 'unauthorized', 'Send the token of `--auth-token` as `Authorization: Bearer TOKEN`.'],
  [-32002, 'timeout', 'The request took longer than `--timeout`. Calls that had begun go on.'],
]);

/**
 * @param {ReadonlyMap<string, Document>} documents by the names of their files, without `.json`
 * @returns {string}
 */
export function errorsPage(documents) {
  const errors = [...documents.values()].flatMap(({ components }) =>
    Object.entries(components.errors),
  );
  const documented = errors.map(([name, { code, message }]) => {
    const advice = ADVICE[name];
    if (advice === undefined) throw new Error(`errors-page.mjs has no advice for ${name}`);
    return { code, name: `\`${name}\``, message, advice };
  });
  const others = OTHERS.map(([code, name, advice]) => ({ code, name, message: '', advice }));
  const rows = [...documented, ...others]
    .toSorted((a, b) => a.code - b.code)
    .map(({ code, name, message, advice }) => `| ${code} | ${name} | ${message} | ${advice} |`);
  return `# Errors

Every error code that the node answers, what it means, and what to do. [Methods](methods.md) lists for each method the
errors that are its own. \`data\` of errors about a transaction or a call has
[an explanation](../features/failures.md). Errors of the specification have its codes and messages.

| code | name | message | what to do |
| ---: | --- | --- | --- |
${rows.join('\n')}

## HTTP statuses

A JSON-RPC error has the status 200. Other statuses are about the request itself:

| status | when |
| --- | --- |
| 400 | the path takes WebSocket connections only, or the request is no HTTP |
| 401 | the token of \`--auth-token\` is missing or wrong |
| 403 | the host or the site of the page is not allowed |
| 404 | there is nothing at this path; the answer names the paths of [versions](versions.md) |
| 405 | the path takes other HTTP methods |
| 408 | the request took longer than \`--timeout\` |
| 413 | the body is larger than \`--request-body-size-limit\` |
| 500 | the node has failed; the log has the cause |
| 503 | [the memory](../contributing/reliability.md) for requests is used up, or there are too many WebSockets |

## Exit codes

| code | when |
| ---: | --- |
| 0 | the node ended after a signal, or a command succeeded |
| 1 | the node cannot do what it is asked, or cannot listen; a command failed, or found a difference |
| 2 | the options cannot be understood |
`;
}
