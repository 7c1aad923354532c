// Connection to L1: status, connecting, relaying messages.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { counted, grouped } from '../../format/amount.js';
import { Action, act } from '../../parts/action.js';
import { PlainButton } from '../../parts/button.js';
import { Icon } from '../../parts/icons.js';
import { TextInput } from '../../parts/inputs.js';
import { Problem } from '../../parts/page-states.js';
import { Copy, UntrustedText } from '../../parts/values.js';
import { call } from '../../rpc/client.js';
import { queries } from '../../rpc/queries.js';

const ANVIL = 'http://127.0.0.1:8545';

export function L1() {
  const state = useQuery({
    queryKey: ['now', 'l1'],
    queryFn: () => call('devnet_listMessages', { direction: 'TO_L1', limit: 1 }),
  });
  const [isOther, setOther] = useState(false);
  if (state.error) {
    return <Problem error={state.error} what="the connection to L1" retry={state.refetch} />;
  }
  if (!state.data) return null;
  const { l1, waiting } = state.data;
  const toCarry = counted(waiting, 'message waits for L1', 'messages wait for L1');
  if (!l1 || isOther) {
    return (
      <section className="panel" aria-label="Connect to L1">
        <p>
          {l1
            ? 'Start another local L1:'
            : `No L1 is connected: ${waiting > 0 ? counted(waiting, 'message to L1 waits', 'messages to L1 wait') : 'messages to L1 wait'} here, and none come from L1. Start a local L1:`}
        </p>
        <p className="line-of">
          <code>anvil</code> <Copy value="anvil" what="command" />
          <span className="quiet">then connect below, or start both together:</span>
          <code>npx starkbox --l1 anvil</code>{' '}
          <Copy value="npx starkbox --l1 anvil" what="command for both" />
        </p>
        <Connect onConnected={() => setOther(false)} />
      </section>
    );
  }
  return (
    <section className="line-of l1-line" aria-label="L1">
      <span>
        <span className="sign l1">
          <Icon name="settled" />
        </span>{' '}
        L1 at <UntrustedText text={l1.url} limit={80} />
      </span>
      <span className="quiet">
        contract <span className="mono">{l1.messaging_contract_address}</span>{' '}
        <Copy value={l1.messaging_contract_address} what="messaging contract" />
      </span>
      <span>{toCarry}</span>
      <Action kind="primary" run={carry}>
        Relay messages both ways
      </Action>
      <PlainButton onClick={() => setOther(true)}>Connect to another L1</PlainButton>
    </section>
  );
}

async function carry(): Promise<void> {
  await act('Relay messages', 'devnet_postmanFlush', {}, (carried) => {
    const { messages_to_l1: out, messages_to_l2: home } = carried;
    return `${grouped(out.length)} to L1, ${grouped(home.length)} to L2`;
  });
  await queries.invalidateQueries({ queryKey: ['list'] });
}

function Connect({ onConnected }: { readonly onConnected: () => void }) {
  const [url, setUrl] = useState(ANVIL);
  const [contract, setContract] = useState('');
  const [key, setKey] = useState('');
  return (
    <form
      className="line-of connect"
      onSubmit={(event) => event.preventDefault()}
      autoComplete="off"
    >
      <TextInput
        label="URL of the L1 node"
        className="mono"
        size={28}
        value={url}
        change={setUrl}
      />
      <TextInput
        label="messaging contract (optional)"
        className="mono"
        size={28}
        placeholder="deploys a new one"
        value={contract}
        change={setContract}
      />
      <TextInput
        label="private key for L1 transactions"
        className="mono"
        size={22}
        type="password"
        autoComplete="off"
        placeholder="Anvil’s first account"
        value={key}
        change={setKey}
      />
      <Action
        kind="primary"
        run={async () => {
          const connected = await act(
            'Connect to L1',
            'devnet_postmanLoad',
            {
              network_url: url.trim(),
              ...(contract.trim() === '' ? {} : { messaging_contract_address: contract.trim() }),
              ...(key.trim() === '' ? {} : { deployer_account_private_key: key.trim() }),
            },
            ({ messaging_contract_address }) => `contract ${messaging_contract_address}`,
          );
          setKey('');
          if (connected) onConnected();
        }}
      >
        Connect
      </Action>
    </form>
  );
}
