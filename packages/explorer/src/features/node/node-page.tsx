// Page of the node: addresses, options, limits, restricted methods.
import type { ReactNode } from 'react';
import { ETH, grouped, priceText, STRK } from '../../format/amount.js';
import { intervalText, momentText } from '../../format/time.js';
import { to } from '../../navigation/route.js';
import { Heading, Loading, Problem } from '../../parts/page-states.js';
import { Amount, ClassRef, Copy, Link } from '../../parts/values.js';
import { useConfig, useStatus } from '../../rpc/queries.js';

type Facts = readonly (readonly [name: string, value: ReactNode])[];

function Group({ name, facts }: { readonly name: string; readonly facts: Facts }) {
  return (
    <section className="panel group" aria-label={name}>
      <h2>{name}</h2>
      <dl className="facts">
        {facts.map(([fact, value]) => [
          <dt key={fact}>{fact}</dt>,
          <dd key={`${fact} value`}>{value}</dd>,
        ])}
      </dl>
    </section>
  );
}

function Line({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <>
      <code>{text}</code> <Copy value={text} what={what} />
    </>
  );
}

const yes = (value: boolean): string => (value ? 'yes' : 'no');
const megabytes = (bytes: number): string => `${grouped(Math.round(bytes / 1024 / 1024))} MiB`;

export function NodePage() {
  const config = useConfig();
  const status = useStatus();
  if (config.error) {
    return (
      <>
        <Heading title="Node" />
        <Problem
          error={config.error}
          what="the configuration"
          retry={() => void config.refetch()}
        />
      </>
    );
  }
  const { data } = config;
  if (!data) {
    return (
      <>
        <Heading title="Node" />
        <Loading what="the configuration" />
      </>
    );
  }
  const server = data.server_config;
  const sizes = data.class_size_config;
  const version = status.data?.devnet_version;
  const on = data.block_generation_on;
  return (
    <>
      <Heading title="Node" count={version !== undefined && `Starkbox ${version}`} />
      <div className="groups">
        <Group
          name="Connect"
          facts={[
            ['RPC', <Line key="rpc" text={`${location.origin}/rpc`} what="RPC URL" />],
            [
              'WebSocket',
              <Line
                key="ws"
                text={`${location.origin.replace(/^http/, 'ws')}/ws`}
                what="WebSocket URL"
              />,
            ],
            ['chain id', <Line key="id" text={data.chain_id} what="chain id" />],
            ['JSON-RPC', status.data ? `specification ${status.data.protocol_version}` : ''],
          ]}
        />
        <Group
          name="Chain"
          facts={[
            [
              'blocks',
              on === 'transaction'
                ? 'one for each transaction'
                : on === 'demand'
                  ? 'on demand'
                  : on && `one each ${intervalText(on)}`,
            ],
            [
              'fork',
              status.data?.fork_config
                ? `of ${status.data.fork_config.url} at block ${grouped(status.data.fork_config.block)}`
                : 'no',
            ],
            [
              'start time',
              data.start_time === null ? 'that of the start' : `${momentText(data.start_time)} UTC`,
            ],
            ['old states', data.state_archive === 'full' ? 'kept' : 'not kept'],
            ['lite mode', yes(data.lite_mode)],
            ['proofs', data.proof_mode],
            ['dump', data.dump_on === null ? 'never by itself' : `on ${data.dump_on}`],
          ]}
        />
        <Group
          name="Accounts"
          facts={[
            [
              'number',
              <Link key="number" href={to('accounts')}>
                {grouped(data.total_accounts)}
              </Link>,
            ],
            ['seed', data.seed ?? 'hidden'],
            ['class', <ClassRef key="class" of={data.account_contract_class_hash} copy />],
            [
              'at the start',
              <>
                <Amount of={BigInt(data.predeployed_accounts_initial_balance)} unit={STRK} /> and{' '}
                <Amount of={BigInt(data.predeployed_accounts_initial_balance)} unit={ETH} />
              </>,
            ],
            ['STRK class', <ClassRef key="strk" of={data.strk_erc20_class_hash} copy />],
            ['ETH class', <ClassRef key="eth" of={data.eth_erc20_class_hash} copy />],
          ]}
        />
        <Group
          name="Gas prices at the start"
          facts={[
            [
              'l1',
              `${priceText(BigInt(data.gas_price_fri), STRK)}, ${priceText(BigInt(data.gas_price_wei), ETH)}`,
            ],
            [
              'l1 data',
              `${priceText(BigInt(data.data_gas_price_fri), STRK)}, ${priceText(BigInt(data.data_gas_price_wei), ETH)}`,
            ],
            [
              'l2',
              `${priceText(BigInt(data.l2_gas_price_fri), STRK)}, ${priceText(BigInt(data.l2_gas_price_wei), ETH)}`,
            ],
            [
              'now',
              <Link key="now" href={to('control')}>
                on Control
              </Link>,
            ],
          ]}
        />
        <Group
          name="Limits"
          facts={[
            ['time for a request', `${grouped(server.timeout)} s`],
            ['size of a request', megabytes(server.request_body_size_limit)],
            ['size of a class', `${grouped(sizes.maximum_contract_class_size)} bytes`],
            ['bytecode of a class', `${grouped(sizes.maximum_contract_bytecode_size)} felts`],
            ['Sierra of a class', `${grouped(sizes.maximum_sierra_length)} felts`],
            [
              'refused methods',
              server.restricted_methods === null || server.restricted_methods.length === 0
                ? 'none'
                : server.restricted_methods.join(', '),
            ],
          ]}
        />
      </div>
    </>
  );
}
