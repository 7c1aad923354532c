// Which provider an answer or an error came from: matchers read the transaction there.
import type { RpcProvider } from 'starknet';

const providers = new WeakMap<object, RpcProvider>();

export function rememberProvider<T extends object>(answer: T, provider: RpcProvider): T {
  providers.set(answer, provider);
  return answer;
}

export function providerBehind(answer: object): RpcProvider | undefined {
  return providers.get(answer);
}
