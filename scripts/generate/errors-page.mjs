// Markdown of docs/reference/errors.md, from the OpenRPC documents.

/** @typedef {import('./documents.mjs').Document} Document */

/** Codes of the specification that only other nodes use. */
const ELSEWHERE = 'This node never returns it by itself. On a fork it can come from the network.';

/** What to do about each error of the documents. @type {Readonly<Record<string, string>>} */
const ADVICE = {
  FAILED_TO_RECEIVE_TXN: ELSEWHERE,
  NO_TRACE_AVAILABLE: 'The transaction is still in the mempool. Try again after its execution.',
  CONTRACT_NOT_FOUND:
    'No contract exists at the address in that block. `devnet_listContracts` lists all contracts.',
  ENTRYPOINT_NOT_FOUND:
    'The contract has no function with this selector. `data.explained` suggests one.',
  BLOCK_NOT_FOUND:
    'No such block on this chain. It may have been aborted, or belong to the chain before a restart.',
  INVALID_TXN_INDEX: 'The block has fewer transactions.',
  CLASS_HASH_NOT_FOUND: 'Declare the class first. `devnet_listClasses` lists declared classes.',
  TXN_HASH_NOT_FOUND:
    'No such transaction on this chain. If the node rejected it, `devnet_explainTransaction` gives the reason.',
  PAGE_SIZE_TOO_BIG: ELSEWHERE,
  NO_BLOCKS: ELSEWHERE,
  INVALID_CONTINUATION_TOKEN: 'Start again without a token.',
  TOO_MANY_KEYS_IN_FILTER: 'Use at most 1,024 keys.',
  CONTRACT_ERROR: 'The call failed. See `data.explained` for the location and the reason.',
  TRANSACTION_EXECUTION_ERROR:
    'The estimate or simulation failed at the transaction `data.transaction_index`. See `data.explained` for the location and the reason.',
  STORAGE_PROOF_NOT_SUPPORTED:
    "This node has no storage proofs. On a fork, it returns the network's proofs for the network's blocks.",
  COMPILATION_ERROR: ELSEWHERE,
  INVALID_CONTRACT_CLASS: 'The class is malformed, or was changed after it was compiled.',
  CLASS_ALREADY_DECLARED: 'Use the hash of the declared class.',
  INVALID_TRANSACTION_NONCE:
    'Read the nonce again, at `pre_confirmed`. The data names the expected nonce.',
  INSUFFICIENT_RESOURCES_FOR_VALIDATE:
    'Raise the resource bounds, for example to the result of an estimate.',
  INSUFFICIENT_ACCOUNT_BALANCE:
    'Call `devnet_mint` for the account, lower the bounds, or start with `--no-fee`.',
  VALIDATION_FAILURE:
    'The account or a [network rule](network-rules.md) rejected the transaction; a wrong signature is the most common cause. The data has the reason, and a hint if there is one.',
  COMPILATION_FAILED:
    'The Sierra program does not compile, or a [network rule](network-rules.md) rejects one of its libfuncs.',
  CONTRACT_CLASS_SIZE_IS_TOO_LARGE:
    'Reduce the size of the class, or raise `--maximum-contract-class-size`, `--maximum-contract-bytecode-size` or `--maximum-sierra-length`.',
  NON_ACCOUNT: ELSEWHERE,
  DUPLICATE_TX: 'The node already has this transaction. To send another one, use the next nonce.',
  COMPILED_CLASS_HASH_MISMATCH:
    'Send the hash that the data names. Old tools compute it as Starknet did before 0.14.1.',
  UNSUPPORTED_TX_VERSION: ELSEWHERE,
  UNSUPPORTED_CONTRACT_CLASS_VERSION:
    'Compile with a version that the [network rules](network-rules.md) allow.',
  UNEXPECTED_ERROR:
    '[Version 0.8](versions.md) returns it instead of 64 and 65, with their message as data.',
  REPLACEMENT_TRANSACTION_UNDERPRICED:
    'Raise the tip further to [replace](mempool.md) a waiting transaction.',
  FEE_BELOW_MINIMUM: "Offer at least the block's gas price. `devnet_setGasPrice` changes it.",
  INVALID_PROOF:
    "The proof does not come from this node's `starknet_proveTransaction`, or `--proof-mode` is `none`.",
  INVALID_SUBSCRIPTION_ID:
    'The subscription has ended, for example after `devnet_restart`. Subscribe again.',
  TOO_MANY_ADDRESSES_IN_FILTER: 'Use at most 1,024 addresses.',
  TOO_MANY_BLOCKS_BACK: 'Subscribe from a newer block, and read older blocks with calls.',
  INVALID_TRANSACTION_INPUT: ELSEWHERE,
  UNSUPPORTED_TX_TYPE: ELSEWHERE,
  TRANSACTION_BLOCKED: ELSEWHERE,
  INVALID_ADDRESS:
    'No account is deployed at the address. Deploy it, or send `deployment` with the transaction.',
  TOKEN_NOT_SUPPORTED:
    'Pay in a token of `paymaster_getSupportedTokens`, or add the token with `devnet_setPaymaster`.',
  INVALID_SIGNATURE:
    'Sign the typed data of `paymaster_buildTransaction` unchanged, with the key of the account.',
  MAX_AMOUNT_TOO_LOW:
    'The price has changed, or the typed data offers too little. Build the transaction again.',
  CLASS_HASH_NOT_SUPPORTED:
    'Use an account of a class with outside executions, such as `data.supported_class_hash`.',
  PAYMASTER_EXECUTION_ERROR:
    'The calls of the user fail, or the typed data is not for this paymaster. See `data.execution_error`.',
  INVALID_TIME_BOUNDS:
    'Build the transaction again, or set bounds around the time of the next block. The data names all three times.',
  INVALID_DEPLOYMENT_DATA:
    'Send the class, salt and calldata that give the address; leave them out if the account is deployed.',
  INVALID_CLASS_HASH: 'Declare the class of the account first.',
  INVALID_ID: 'Use a `tracking_id` that this node returned since its start.',
  PAYMASTER_UNKNOWN_ERROR:
    'The paymaster is off, rejects the user or a contract, needs a key, or has spent its budget. The data gives the reason.',
  SERVICE_BUSY:
    'Try again, or request less. `--maximum-response-size` and `--maximum-executions` set the limits.',
  DUMP_ERROR:
    'The node could not write, read or load the file; the message gives the reason. The chain has not changed.',
  PARSE_ERROR: 'The request is not JSON, or is nested too deeply.',
  INVALID_REQUEST: 'The request is not a JSON-RPC call, or exceeds a limit.',
  METHOD_NOT_FOUND:
    'The message suggests methods. Older [versions](versions.md) have fewer methods.',
  INVALID_PARAMS: 'The message names the parameter and the expected value.',
  INTERNAL_ERROR:
    'A fault of the node, whose cause is in the log; or, with `data.kind`, a forked network or L1 without a usable response; or a data directory that cannot be written, such as on a full disk.',
  METHOD_FORBIDDEN:
    'The method is [restricted](options.md#restricted-methods), or the page or host is [not allowed](../../SECURITY.md).',
};

/** Errors without a name in the documents. */
const OTHERS = /** @type {const} */ ([
  [-1, 'rejected', 'The sandbox cannot do what you asked. The message gives the reason.'],
  [-32001, 'unauthorized', 'Send the token of `--auth-token` as `Authorization: Bearer TOKEN`.'],
  [-32002, 'timeout', 'The request took longer than `--timeout`. Calls that had begun continue.'],
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

All error codes of the node, with their meaning and a fix. See [methods](methods.md) for the errors of each method.
Errors about a transaction or a call include [an explanation](../features/failures.md) in \`data\`. Errors of the
specification have the specified codes and messages.

| code | name | message | what to do |
| ---: | --- | --- | --- |
${rows.join('\n')}

## HTTP statuses

JSON-RPC errors have the status 200. Other statuses concern the HTTP request itself:

| status | when |
| --- | --- |
| 400 | the path accepts only WebSocket connections, or the request is not HTTP |
| 401 | the token of \`--auth-token\` is missing or wrong |
| 403 | the host or the site of the page is not allowed |
| 404 | nothing is served at this path; the response lists the paths of [versions](versions.md) |
| 405 | the path accepts other HTTP methods |
| 408 | the request took longer than \`--timeout\` |
| 413 | the body is larger than \`--request-body-size-limit\` |
| 500 | the node failed; see the log for the cause |
| 503 | [the memory](../contributing/reliability.md) for requests is exhausted, or too many WebSockets are open |

## Exit codes

| code | a node | most commands | \`diff\`, \`gas\` |
| ---: | --- | --- | --- |
| 0 | ended after a signal | succeeded | no difference; with \`gas --baseline\`, no median above the tolerance |
| 1 | cannot start or listen, or failed | failed | found a difference; stdout has the report |
| 2 | the options are invalid | the arguments are invalid | trouble: invalid arguments, an unreadable file, no node |
| 130, 143 | a second SIGINT or SIGTERM ended it at once | | |
`;
}
