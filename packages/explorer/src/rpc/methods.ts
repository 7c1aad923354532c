// Types of the RPC methods, from the node's specification.
import type { MethodName, Methods } from '@starkbox/spec';

export type Params<M extends MethodName> = Methods[M]['params'];
export type Result<M extends MethodName> = Methods[M]['result'];
export type Trace = Result<'starknet_traceTransaction'>;
export type Transaction = Result<'starknet_getTransactionByHash'>;
export type Receipt = Result<'starknet_getTransactionReceipt'>;
