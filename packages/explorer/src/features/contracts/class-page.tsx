// Page of one class: functions, events, contracts, deployment.
import {
  type Abi,
  type AbiFunction,
  canonicalFelt,
  readAbi,
  selectorOf,
  shortHash,
  shortType,
} from '@starkbox/abi';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { grouped } from '../../format/amount.js';
import { useRoute } from '../../navigation/route.js';
import { AddressBook } from '../../parts/forms/address-book.js';
import { Heading, Unread } from '../../parts/page-states.js';
import { Tabs } from '../../parts/tabs.js';
import { Copy, UntrustedText } from '../../parts/values.js';
import { call, RpcFailure } from '../../rpc/client.js';
import { ContractsOf } from './contracts-of-class.js';
import { DeployForm } from './deploy.js';

const CLASS_HASH_NOT_FOUND = 28;

export function ClassPage({ id }: { readonly id: string }) {
  const hash = canonicalFelt(id) ?? id;
  const tab = useRoute().query.get('tab') ?? 'abi';
  const query = useQuery({
    queryKey: ['class-page', hash],
    queryFn: async () => {
      const contractClass = await call('starknet_getClass', {
        block_id: 'pre_confirmed',
        class_hash: hash,
      });
      const isSierra = 'sierra_program' in contractClass;
      return {
        abi: readAbi(contractClass.abi),
        kind: isSierra ? 'Sierra' : 'Cairo 0',
        size: isSierra ? contractClass.sierra_program.length : undefined,
        version: isSierra ? contractClass.contract_class_version : undefined,
      };
    },
  });
  const { data, error } = query;
  return (
    <>
      <Heading title={`Class ${shortHash(hash)}`}>Class</Heading>
      <p className="whole">
        {hash} <Copy value={hash} what="class hash" />
      </p>
      {error instanceof RpcFailure && error.code === CLASS_HASH_NOT_FOUND ? (
        <p className="empty">This class is not declared on this chain.</p>
      ) : error || !data ? (
        <Unread query={query} what="the class" />
      ) : (
        <>
          <div className="meta">
            <span>{data.kind}</span>
            {data.version !== undefined && <span>version {data.version}</span>}
            {data.size !== undefined && <span>{grouped(data.size)} felts of Sierra</span>}
          </div>
          <Tabs
            current={tab}
            tabs={[
              { id: 'abi', name: 'ABI', count: data.abi.functions.size },
              { id: 'deploy', name: 'Deploy' },
              { id: 'contracts', name: 'Contracts' },
            ]}
          />
          {tab === 'abi' && <AbiView abi={data.abi} />}
          {tab === 'deploy' && (
            <AddressBook id="deploy-book">
              <DeployForm classHash={hash} abi={data.abi} />
            </AddressBook>
          )}
          {tab === 'contracts' && <ContractsOf classHash={hash} />}
        </>
      )}
    </>
  );
}

const MOST = 300;

export function AbiView({ abi }: { readonly abi: Abi }) {
  const groups = useMemo(() => {
    const byGroup = new Map<string, AbiFunction[]>();
    const add = (abiFunction: AbiFunction): void => {
      const name = abiFunction.group ?? '';
      byGroup.set(name, [...(byGroup.get(name) ?? []), abiFunction]);
    };
    if (abi.constructor_) add(abi.constructor_);
    for (const abiFunction of [...abi.functions.values()].slice(0, MOST)) add(abiFunction);
    return [...byGroup];
  }, [abi]);
  return (
    <div className="stack">
      {groups.map(([name, functions]) => (
        <section
          key={name}
          className="panel"
          aria-label={name === '' ? 'Functions' : name.slice(0, 100)}
        >
          <h2>
            <UntrustedText text={name === '' ? 'Functions' : shortType(name)} limit={100} />
          </h2>
          <ul className="entries">
            {functions.map((abiFunction) => (
              <li key={abiFunction.name} title={selectorOf(abiFunction.name)}>
                <span className="soft">{abiFunction.kind}</span> <Signature of={abiFunction} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {abi.events.size > 0 && (
        <section className="panel" aria-label="Events">
          <h2>Events</h2>
          <ul className="entries">
            {[...abi.events.values()]
              .filter(({ kind }) => kind === 'struct')
              .slice(0, MOST)
              .map((event) => (
                <li key={event.name}>
                  <code>
                    <UntrustedText
                      text={`${shortType(event.name)}(${event.fields
                        .map(
                          ({ name, type, kind }) =>
                            `${kind === 'key' ? '#' : ''}${name}: ${shortType(type)}`,
                        )
                        .join(', ')})`}
                      limit={400}
                    />
                  </code>
                </li>
              ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Signature({ of }: { readonly of: AbiFunction }) {
  const inputs = of.inputs.map(({ name, type }) => `${name}: ${shortType(type)}`).join(', ');
  const outputs = of.outputs.map(shortType).join(', ');
  return (
    <code>
      <UntrustedText
        text={`${of.name}(${inputs})${outputs === '' ? '' : ` → ${outputs}`}`}
        limit={400}
      />
    </code>
  );
}
