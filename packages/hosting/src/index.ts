// Instances in an object store, which nodes share: what `starkbox --instance-store` and `starkbox gc` load.
export { RpcError } from 'starkbox/registry';
export { collect } from './collect.js';
export { openInstanceStore } from './open.js';
