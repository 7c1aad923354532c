// The ready contracts: their sources, and their classes, which are loaded when they are needed.
import { type Members, membersOf } from '@starkbox/abi/basics';
import { STRK_ADDRESS } from '@starkbox/abi/internal';
import counterSource from '../../../contracts/src/counter.cairo?raw';
import tokenSource from '../../../contracts/src/token.cairo?raw';
import vaultSource from '../../create-starkbox/template/base/src/lib.cairo?raw';
import { gunzip, isGzip } from './bytes.js';

export interface ReadyContract {
  readonly id: string;
  readonly title: string;
  /** What to try, in one sentence. */
  readonly suggestion: string;
  /** The source file as the debug information of the class names it. */
  readonly file: string;
  readonly source: string;
  /** Texts that the form for deployment begins with. */
  readonly arguments: readonly string[];
}

/** The source without the reason for which the repository has the contract; its lines keep their numbers. */
function withoutLicense(source: string): string {
  return source.replace(
    /^\/\/ For [^:\n]*: (\w)/,
    (_, letter: string) => `// ${letter.toUpperCase()}`,
  );
}

const COUNTER: ReadyContract = {
  id: 'counter',
  title: 'Counter',
  suggestion: 'Send increase with 5, then with 0: the second one fails at its line.',
  file: 'contracts/src/counter.cairo',
  source: withoutLicense(counterSource),
  arguments: ['0'],
};

export const CONTRACTS: readonly ReadyContract[] = [
  COUNTER,
  {
    id: 'token',
    title: 'Token',
    suggestion: 'Account 0 has the whole supply: send a transfer as account 0, then as account 1.',
    file: 'contracts/src/token.cairo',
    source: withoutLicense(tokenSource),
    arguments: ["'Play'", "'PLAY'", '1000e18', 'account 0'],
  },
  {
    id: 'vault',
    title: 'Vault',
    suggestion:
      'Send deposit without an approval of the STRK token: the failure leads through two contracts.',
    file: 'src/lib.cairo',
    source: vaultSource,
    arguments: [STRK_ADDRESS, '60'],
  },
];

/** The ready contract with this id, or the first one. */
export function contractWith(id: string | undefined): ReadyContract {
  return CONTRACTS.find((contract) => contract.id === id) ?? COUNTER;
}

const artifacts = new Map<string, Promise<Members>>();

/** The class as the compiler wrote it, with its debug information. */
export function artifactOf({ id }: ReadyContract): Promise<Members> {
  const loading = artifacts.get(id);
  if (loading) return loading;
  const artifact = loadArtifact(id);
  artifacts.set(id, artifact);
  // A failed load is tried again.
  artifact.catch(() => artifacts.delete(id));
  return artifact;
}

async function loadArtifact(id: string): Promise<Members> {
  const response = await fetch(new URL(`classes/${id}.json.gz`, document.baseURI));
  if (!response.ok) {
    throw new Error(
      `The class of ${id} cannot be loaded: the server responded with status ${response.status}. Try again.`,
    );
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  // Some servers state the compression, and the browser has undone it.
  const plain = isGzip(bytes) ? await gunzip(bytes) : bytes;
  const artifact: unknown = JSON.parse(new TextDecoder().decode(plain));
  return membersOf(artifact);
}
