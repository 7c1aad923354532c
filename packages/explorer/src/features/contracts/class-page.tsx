// Page of one class: functions, events, contracts, deployment.
import { type Abi, type AbiFunction, readAbi, selectorOf } from '@starkbox/abi';
import { canonicalFelt, shortHash } from '@starkbox/abi/basics';
import { shortType } from '@starkbox/abi/internal';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { counted, grouped } from '../../format/amount.js';
import { useClassName } from '../../format/names.js';
import { useRoute } from '../../navigation/route.js';
import { FactOf, Facts } from '../../parts/facts.js';
import { AddressBook } from '../../parts/forms/address-book.js';
import { Heading, Unread } from '../../parts/page-states.js';
import { Tabs } from '../../parts/tabs.js';
import { Copy, UntrustedText } from '../../parts/values.js';
import { call, RpcFailure } from '../../rpc/client.js';
import { ContractsOf } from './contracts-of-class.js';
import { DeployForm } from './deploy.js';
import { sierraVersions } from './sierra-versions.js';

const CLASS_HASH_NOT_FOUND = 28;

export function ClassPage({ id }: { readonly id: string }) {
  const hash = canonicalFelt(id) ?? id;
  const tab = useRoute().query.get('tab') ?? 'abi';
  const name = useClassName(hash);
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
        versions: isSierra ? sierraVersions(contractClass.sierra_program) : undefined,
      };
    },
  });
  const { data, error } = query;
  return (
    <>
      <Heading title={`${name ?? 'Class'} · ${shortHash(hash)}`}>
        {name === undefined ? 'Class' : <UntrustedText text={name} limit={60} />}
        {name !== undefined && <span className="count"> class</span>}
      </Heading>
      <p className="whole">
        {hash} <Copy value={hash} what="class hash" />
      </p>
      {error instanceof RpcFailure && error.code === CLASS_HASH_NOT_FOUND ? (
        <p className="empty">This class is not declared on this chain.</p>
      ) : error || !data ? (
        <Unread query={query} what="the class" />
      ) : (
        <>
          <Facts>
            <FactOf name="Compiled from">{data.kind}</FactOf>
            {data.versions && <FactOf name="Sierra version">{data.versions.sierra}</FactOf>}
            {data.versions?.compiler !== undefined && (
              <FactOf name="Compiler version">{data.versions.compiler}</FactOf>
            )}
            {data.size !== undefined && (
              <FactOf name="Sierra size">{counted(data.size, 'felt')}</FactOf>
            )}
            <FactOf name="Functions">{grouped(data.abi.functions.size)}</FactOf>
          </Facts>
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

const MAX_COUNT = 300;

const kindName = ({ kind }: AbiFunction): string => (kind === 'l1_handler' ? 'L1 handler' : kind);

export function AbiView({ abi }: { readonly abi: Abi }) {
  const groups = useMemo(() => {
    const byGroup = new Map<string, AbiFunction[]>();
    const add = (abiFunction: AbiFunction): void => {
      const name = abiFunction.group ?? '';
      byGroup.set(name, [...(byGroup.get(name) ?? []), abiFunction]);
    };
    if (abi.constructor_) add(abi.constructor_);
    for (const abiFunction of [...abi.functions.values()].slice(0, MAX_COUNT)) add(abiFunction);
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
          <ul className="entries abi-list">
            {functions.map((abiFunction) => (
              <li key={abiFunction.name} title={selectorOf(abiFunction.name)}>
                <span className="quiet">{kindName(abiFunction)}</span>
                <Signature of={abiFunction} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {abi.events.size > 0 && (
        <section className="panel" aria-label="Events">
          <h2>Events</h2>
          <ul className="entries abi-list">
            {[...abi.events.values()]
              .filter(({ kind }) => kind === 'struct')
              .slice(0, MAX_COUNT)
              .map((event) => (
                <li key={event.name}>
                  <span className="quiet">event</span>
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
