// Contract of a call by its label, or by the name of its class.
import type { DEBUG_RUN } from '@starkbox/spec';
import { useOwnNames } from '../../format/names.js';
import { to } from '../../navigation/route.js';
import { Address, Link, Mark, UntrustedText } from '../values.js';

export function RunContract({ run }: { readonly run: DEBUG_RUN }) {
  const { contract_address: address, contract_name: name } = run;
  const isLabelled = useOwnNames().has(address);
  if (isLabelled || name === undefined) return <Address of={address} mark />;
  return (
    <Link href={to('contract', address)} className="named" title={address} value={address}>
      <Mark of={address} />
      <UntrustedText text={name} limit={60} />
    </Link>
  );
}
