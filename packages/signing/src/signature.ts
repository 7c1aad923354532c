// Signature of a hash by a private key, and the public key of it.
import { getStarkKey, sign } from '@scure/starknet';
import { toFelt } from '@starkbox/abi/basics';

const digits = (felt: string): string => felt.slice(2).padStart(64, '0');

/** The public key of a private key; throws if that is not one. */
export function publicKeyOf(privateKey: string): string {
  return toFelt(BigInt(getStarkKey(digits(privateKey))));
}

export function signature(hash: string, privateKey: string): readonly string[] {
  const { r, s } = sign(digits(hash), digits(privateKey));
  return [toFelt(r), toFelt(s)];
}
