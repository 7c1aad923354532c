// Page of the node: addresses, options, limits, restricted methods.
import type { ReactNode } from 'react';
import { ETH, grouped, priceText, STRK } from '../../format/amount.js';
import { chainUrl, hasUrl } from '../../format/chain-path.js';
import { intervalText, momentText } from '../../format/time.js';
import { to } from '../../navigation/route.js';
import { Amount } from '../../parts/number.js';
import { Heading, Unread } from '../../parts/page-states.js';
import { ClassRef, Copy, Fact, Link } from '../../parts/values.js';
import type { Result } from '../../rpc/methods.js';
import { useConfig, useStatus } from '../../rpc/queries.js';
import '../../styles/cards.css';

type Config = Result<'devnet_getConfig'>;
type Status = Result<'devnet_getStatus'>;
type Facts = readonly (readonly [name: string, value: ReactNode])[];

function Group({ name, facts }: { readonly name: string; readonly facts: Facts }) {
  return (
    <section className="panel card" aria-label={name}>
      <h2>{name}</h2>
      <dl className="facts">
        {facts.map(([fact, value]) => (
          <Fact key={fact} name={fact}>
            {value}
          </Fact>
        ))}
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
  const { data, error } = config;
  if (error || !data) {
    return (
      <>
        <Heading title="Node" />
        <Unread query={config} what="the configuration" />
      </>
    );
  }
  const version = status.data?.devnet_version;
  return (
    <>
      <Heading title="Node" count={version !== undefined && `Starkbox ${version}`} />
      <div className="cards in-columns">
        <Group name="Connect" facts={connectFacts(data, status.data)} />
        <Group name="Chain" facts={chainFacts(data, status.data)} />
        <Group name="Accounts" facts={accountFacts(data)} />
        <Group name="Initial gas prices" facts={priceFacts(data)} />
        <Group name="Limits" facts={limitFacts(data)} />
      </div>
    </>
  );
}

function connectFacts(config: Config, status: Status | undefined): Facts {
  const urls: Facts = [
    ['RPC', <Line key="rpc" text={chainUrl('/rpc')} what="RPC URL" />],
    [
      'WebSocket',
      <Line key="ws" text={chainUrl('/ws').replace(/^http/, 'ws')} what="WebSocket URL" />,
    ],
  ];
  return [
    ...(hasUrl() ? urls : []),
    ['Chain ID', <Line key="id" text={config.chain_id} what="chain id" />],
    ['JSON-RPC version', status?.protocol_version ?? ''],
  ];
}

function blocksFact(on: string | null): string | null {
  if (on === 'transaction') return 'one per transaction';
  if (on === 'demand') return 'on demand';
  if (on === 'mempool') return 'from the mempool';
  return on && `one every ${intervalText(on)}`;
}

function chainFacts(config: Config, status: Status | undefined): Facts {
  return [
    ['Blocks', blocksFact(config.block_generation_on)],
    [
      'Fork',
      status?.fork_config
        ? `of ${status.fork_config.url} at block ${grouped(status.fork_config.block)}`
        : 'no',
    ],
    [
      'Start time',
      config.start_time === null ? 'time of the start' : `${momentText(config.start_time)} UTC`,
    ],
    ['Earlier states', config.state_archive === 'full' ? 'kept' : 'deleted'],
    ['Lite mode', yes(config.lite_mode)],
    ['Proofs', config.proof_mode],
    ['Network rules', config.rules ?? 'off'],
    ['Dump', config.dump_on === null ? 'never' : `on ${config.dump_on}`],
  ];
}

function accountFacts(config: Config): Facts {
  return [
    [
      'Accounts',
      <Link key="number" href={to('accounts')}>
        {grouped(config.total_accounts)}
      </Link>,
    ],
    ['Seed', config.seed ?? 'hidden'],
    ['Account class', <ClassRef key="class" of={config.account_contract_class_hash} copy />],
    [
      'Initial balance',
      <>
        <Amount of={BigInt(config.predeployed_accounts_initial_balance)} unit={STRK} /> and{' '}
        <Amount of={BigInt(config.predeployed_accounts_initial_balance)} unit={ETH} />
      </>,
    ],
    ['STRK class', <ClassRef key="strk" of={config.strk_erc20_class_hash} copy />],
    ['ETH class', <ClassRef key="eth" of={config.eth_erc20_class_hash} copy />],
  ];
}

function priceFacts(config: Config): Facts {
  return [
    [
      'L1 gas',
      `${priceText(BigInt(config.gas_price_fri), STRK)}, ${priceText(BigInt(config.gas_price_wei), ETH)}`,
    ],
    [
      'L1 data gas',
      `${priceText(BigInt(config.data_gas_price_fri), STRK)}, ${priceText(BigInt(config.data_gas_price_wei), ETH)}`,
    ],
    [
      'L2 gas',
      `${priceText(BigInt(config.l2_gas_price_fri), STRK)}, ${priceText(BigInt(config.l2_gas_price_wei), ETH)}`,
    ],
    [
      'Current prices',
      <Link key="now" href={to('control')}>
        Control
      </Link>,
    ],
  ];
}

function limitFacts({ server_config: server, class_size_config: sizes }: Config): Facts {
  return [
    ['Request timeout', `${grouped(server.timeout)} s`],
    ['Request size', megabytes(server.request_body_size_limit)],
    ['Class size', `${grouped(sizes.maximum_contract_class_size)} bytes`],
    ['Class bytecode', `${grouped(sizes.maximum_contract_bytecode_size)} felts`],
    ['Class Sierra', `${grouped(sizes.maximum_sierra_length)} felts`],
    [
      'Restricted methods',
      server.restricted_methods === null || server.restricted_methods.length === 0
        ? 'none'
        : server.restricted_methods.join(', '),
    ],
  ];
}
