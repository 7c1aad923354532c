// Mock proofs: creation and verification.
import { encodeShortString, PRIME, toFelt } from '@starkbox/abi/basics';
import { blake, messageToL1Hash, pedersen } from '@starkbox/engine';
import { fail, invalidParams, refuse } from '../../errors.js';
import { STRK } from '../../predeployed.js';
import type { MessageToL1 } from '../world/messages.js';

export type ProofMode = 'full' | 'devnet' | 'none';

const FACTS = 9;
const PROGRAM = '0x53f6c9fcfd31d27279ff7d7e422b44623550a732b59fe193354a7316a96daa1';
/** Domain separator of mock proofs. */
const MOCK = '0xfafafafa';

interface Proven {
  readonly chainId: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly messages: readonly MessageToL1[];
}

/** A proof that only the mode `devnet` checks, in base64, and its facts. */
export function prove(proven: Proven): { proof: string; proof_facts: readonly string[] } {
  const messages =
    proven.messages.length === 0
      ? '0x0'
      : pedersen(
          proven.messages.map((message) => toFelt(BigInt(messageToL1Hash(message)) % PRIME)),
        );
  const proof = pedersen([proven.blockHash, proven.transactionHash, MOCK, messages]);
  const stated = [
    encodeShortString('PROOF2'),
    encodeShortString('VIRTUAL_SNOS'),
    PROGRAM,
    encodeShortString('VIRTUAL_SNOS0'),
    toFelt(proven.blockNumber),
    proven.blockHash,
    blake([encodeShortString('StarknetOsConfig4'), encodeShortString(proven.chainId), STRK]),
    messages,
  ];
  return {
    proof: Buffer.from(proof.slice(2).padStart(64, '0'), 'hex').toString('base64'),
    proof_facts: [...stated, lastFact(stated, proof)],
  };
}

/** The last fact: a hash of the others and the proof. */
function lastFact(stated: readonly string[], proof: string): string {
  return pedersen([...stated, proof]);
}

interface Claim {
  readonly proof?: string | readonly number[] | null;
  readonly proof_facts?: readonly string[] | null;
}

/** Refuses a transaction whose proof is not valid in this mode. */
export function checkProof(claim: Claim, mode: ProofMode): void {
  const { proof } = claim;
  const proof_facts = claim.proof_facts ?? [];
  const bytes = proofBytes(proof);
  if (mode === 'full') refuse('Proof verification in full mode not yet implemented');
  if (mode === 'none') return;
  if (bytes.length === 0 && proof_facts.length === 0) return;
  const stated = proof_facts.slice(0, FACTS - 1);
  const isValid =
    proof_facts.length === FACTS &&
    bytes.length === 32 &&
    BigInt(`0x${bytes.toString('hex')}`) < PRIME &&
    lastFact(stated, toFelt(BigInt(`0x${bytes.toString('hex')}`))) === proof_facts.at(-1);
  if (!isValid) fail('INVALID_PROOF');
}

export function proofBytes(proof: Claim['proof']): Buffer {
  if (!proof) return Buffer.alloc(0);
  if (typeof proof !== 'string') return Buffer.from(proof);
  if (!/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(proof)) {
    invalidParams('params.invoke_transaction.proof: not valid base64');
  }
  return Buffer.from(proof, 'base64');
}
