// Hashes of classes and addresses that the explorer computes, compared with starknet.js.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Class } from '@starkbox/engine';
import { classHash, compiledClassHash, contractAddress } from '@starkbox/signing';
import { hash } from 'starknet';
import { expect, test } from 'vitest';
import { readClassFile } from '../../src/parts/send/class-file.js';

const sierraFile = (name: string): string =>
  fileURLToPath(new URL(`../../../../contracts/cairo/${name}.sierra.json`, import.meta.url));

test('classes and addresses are hashed as by starknet.js', async () => {
  for (const name of ['counter', 'reverter']) {
    const text = readFileSync(sierraFile(name), 'utf8');
    const sierra = await readClassFile(new Blob([text]));
    expect(sierra.kind === 'sierra' && (await classHash(sierra.sierra))).toBe(
      hash.computeContractClassHash(text),
    );
    const casm = await (await Class.compile(text)).casm();
    const compiled = await readClassFile(new Blob([casm]));
    expect(compiled.kind === 'casm' && compiledClassHash(compiled.casm)).toBe(
      hash.computeCompiledClassHash(JSON.parse(casm)),
    );
  }
  expect(
    contractAddress({ deployer: '0x0', salt: '0x5', classHash: '0xc1a55', calldata: ['0x1'] }),
  ).toBe(hash.calculateContractAddressFromHash('0x5', '0xc1a55', ['0x1'], '0x0'));
});
