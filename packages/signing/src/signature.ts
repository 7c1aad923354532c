// Signature of a hash by a private key.
import { sign } from '@scure/starknet';
import { toFelt } from '@starkbox/abi';

export function signature(hash: string, privateKey: string): readonly string[] {
  const digits = (felt: string): string => felt.slice(2).padStart(64, '0');
  const { r, s } = sign(digits(hash), digits(privateKey));
  return [toFelt(r), toFelt(s)];
}
