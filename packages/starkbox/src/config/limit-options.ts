// Limits of requests, answers and connections.
import { inGroup, wholeNumber } from './option.js';

export const LIMIT_OPTIONS = inGroup('limits', {
  /** Bytes. */
  requestBodySizeLimit: {
    flag: '--request-body-size-limit <BYTES>',
    field: 'server_config.request_body_size_limit',
    default: 16 * 1024 * 1024,
    parse: wholeNumber(1),
    help: 'Maximum size of an HTTP request body and of a WebSocket message.',
  },
  /** Bytes. */
  maximumResponseSize: {
    flag: '--maximum-response-size <BYTES>',
    default: 64 * 1024 * 1024,
    parse: wholeNumber(1024, 2 ** 29 - 2 ** 16),
    help: 'Maximum size of a response, even of a batch. Calls beyond it get an error.',
  },
  maximumContractClassSize: {
    flag: '--maximum-contract-class-size <BYTES>',
    hasShortVariable: true,
    field: 'class_size_config.maximum_contract_class_size',
    default: 4_089_446,
    parse: wholeNumber(0),
    help: 'Maximum size of a declared class.',
  },
  maximumContractBytecodeSize: {
    flag: '--maximum-contract-bytecode-size <FELTS>',
    hasShortVariable: true,
    field: 'class_size_config.maximum_contract_bytecode_size',
    default: 81_920,
    parse: wholeNumber(0),
    help: 'Maximum length of the compiled code of a declared class.',
  },
  maximumSierraLength: {
    flag: '--maximum-sierra-length <FELTS>',
    hasShortVariable: true,
    field: 'class_size_config.maximum_sierra_length',
    default: 81_920,
    parse: wholeNumber(0),
    help: 'Maximum length of the Sierra program of a declared class.',
  },
  /** As many as the machine takes, where it is not given. */
  maximumExecutions: {
    flag: '--maximum-executions <NUMBER>',
    default: undefined,
    defaultText:
      'one less than the number of cores, or 4 to 64 on a fork; fewer if memory is short',
    parse: wholeNumber(1),
    help: 'Maximum number of calls, estimates and simulations that run at the same time. Others wait. Each may take half a GB.',
  },
  maximumInstances: {
    flag: '--maximum-instances <COUNT>',
    default: 10_000,
    parse: wholeNumber(0),
    help: 'Maximum number of instances that devnet_createInstance creates.',
  },
  /** Zero keeps them. */
  instanceIdleSeconds: {
    flag: '--instance-idle-seconds <SECONDS>',
    default: 3600,
    parse: wholeNumber(0, 2 ** 31),
    help: 'Delete an instance after this many seconds without a request; 0 keeps all instances.',
  },
});
