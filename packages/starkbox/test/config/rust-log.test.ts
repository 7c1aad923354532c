// RUST_LOG as a source of log options.
import { describe, expect, test } from 'vitest';
import { read, useConfigFolder, write } from './config-folder.js';

useConfigFolder();

describe('RUST_LOG', () => {
  test.each([
    ['error', 'error'],
    ['WARN', 'warn'],
    ['info', 'info'],
    ['debug', 'debug'],
    ['trace', 'trace'],
    ['off', 'silent'],
    ['debug,hyper=off', 'debug'],
    ['warn,starknet_devnet=debug', 'debug'],
    ['debug, starknet_devnet_core=warn , starknet_devnet_server=info', 'info'],
    ['starkbox=off', 'silent'],
    ['starknet_devnet', 'trace'],
    ['error,request,response', 'error'],
    ['debug,starknet_devnet=loud', 'debug'],
    // What is meant for other programs changes nothing here.
    ['my_program=trace', 'info'],
    ['my_program', 'info'],
    ['', 'info'],
    [',=,', 'info'],
  ])('additions.8c %j sets the level %s', async (RUST_LOG, logLevel) => {
    expect(await read('', { RUST_LOG })).toMatchObject({ logLevel });
  });

  test.each([
    ['request', 'request'],
    ['RESPONSE,debug', 'response'],
    ['request,info,response', 'both'],
    ['request_handler=trace,starknet_devnet::request=trace', 'none'],
    ['request=trace', 'none'],
    ['info', 'none'],
  ])('%j asks for the bodies %s', async (RUST_LOG, logBodies) => {
    expect(await read('', { RUST_LOG })).toMatchObject({ logBodies });
  });

  test('counts after our own variables and before the file', async () => {
    write('starkbox.config.json', '{ "logLevel": "error", "logBodies": "response" }');
    const env = { RUST_LOG: 'debug,request' };
    expect(await read('', env)).toMatchObject({ logLevel: 'debug', logBodies: 'request' });
    expect(await read('', { ...env, STARKBOX_LOG_LEVEL: 'warn' })).toMatchObject({
      logLevel: 'warn',
      logBodies: 'request',
    });
    expect(await read('--log-level trace --log-bodies none', env)).toMatchObject({
      logLevel: 'trace',
      logBodies: 'none',
    });
    expect(await read('', { RUST_LOG: 'hyper=off' })).toMatchObject({
      logLevel: 'error',
      logBodies: 'response',
    });
  });
});
