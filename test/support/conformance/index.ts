// Public API of the package.
export { connectDapp, type Dapp } from './accounts.js';
export { checkedFetch } from './checked-fetch.js';
export { type Client, checkedClient, overHttp, RpcFailure, type Transport } from './client.js';
export {
  loadPublishedSpec,
  OLDER_VERSIONS,
  SPEC_VERSIONS,
  type SpecVersion,
  specOf,
  standardSpec,
} from './published-spec.js';
export { paramsValues, resultValues, schemaValues, valuesOf } from './schema-values.js';
export {
  connectSocket,
  type Notification,
  type Socket,
  type SubscribeMethod,
} from './socket.js';
export {
  documentsIn,
  Spec,
  type SpecError,
  type SpecSource,
} from './spec-documents.js';
export { withoutWider } from './spec-schema.js';
export { type ListeningNode, startNode, type TestNode } from './start-node.js';
