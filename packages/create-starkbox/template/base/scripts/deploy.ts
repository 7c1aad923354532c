// Declares and deploys the vault on a running node: npm run deploy [URL of the node]
import { readFile } from 'node:fs/promises';
import { connect } from 'starkbox/client';

const DAY = 24 * 60 * 60;
const [url = 'http://127.0.0.1:5050'] = process.argv.slice(2);

const chain = await connect(url);
const artifact: object = JSON.parse(
  await readFile('target/dev/vault_Vault.contract_class.json', 'utf8'),
);
const { classHash } = await chain.declare(artifact);
const token = chain.tokens.strk.address;
const { address } = await chain.deploy({ classHash, calldata: [token, DAY] });
console.log(`The vault is deployed at ${address}`);
await chain.close();
