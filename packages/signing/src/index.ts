// Public API: signatures of transactions and typed data, hashes of classes, addresses of contracts, sending.

export { classHash, compiledClassHash } from './class-hash.js';
export { contractAddress, saltOf } from './contract-address.js';
export { type Estimate, estimateCalls, type NodeCalls, Sender, type Signer } from './sender.js';
export { publicKeyOf } from './signature.js';
export {
  type Declare,
  declareHash,
  invokeHash,
  signedDeclare,
  signInvoke,
} from './transaction-hash.js';
export {
  InvalidTypedData,
  messageHash,
  readTypedData,
  signedMessage,
  type TypedData,
  type TypedMember,
} from './typed-data.js';
