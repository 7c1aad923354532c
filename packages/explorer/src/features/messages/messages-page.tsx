// Page of the messages between L1 and L2, both directions side by side.
import type { Abi } from '@starkbox/abi';
import { useState } from 'react';
import { setQuery, useRoute } from '../../navigation/route.js';
import { LastDone } from '../../parts/action.js';
import { Button } from '../../parts/button.js';
import { Choice } from '../../parts/inputs.js';
import { Heading } from '../../parts/page-states.js';
import { Modes } from '../../parts/table/live-table.js';
import { useMedia } from '../../parts/use-media.js';
import { MessageDetail } from './detail.js';
import { L1 } from './l1.js';
import { type Direction, idOf, Lane, type Placed } from './message-list.js';
import { SendMessage } from './send-message.js';

const LANES: readonly (readonly [direction: Direction, name: string])[] = [
  ['TO_L2', 'L1 → L2'],
  ['TO_L1', 'L2 → L1'],
];

interface Opened {
  readonly placed: Placed;
  readonly abi: Abi | undefined;
}

export function MessagesPage() {
  const { query } = useRoute();
  const isWide = useMedia(WIDE);
  const isSending = query.get('send') === '1';
  const chosen = query.get('lane') === 'TO_L1' ? 'TO_L1' : 'TO_L2';
  const [opened, setOpened] = useState<Opened | undefined>();
  const openId = opened && idOf(opened.placed);
  const open = (placed: Placed, abis: ReadonlyMap<string, Abi>): void =>
    setOpened(
      idOf(placed) === openId ? undefined : { placed, abi: abis.get(placed.row.to_address) },
    );
  const lanes = isWide ? LANES : LANES.filter(([direction]) => direction === chosen);
  return (
    <>
      <Heading
        title="Messages"
        actions={
          <>
            <Button
              aria-expanded={isSending}
              onClick={() => setQuery({ send: isSending ? undefined : '1' })}
            >
              Send a message to L2
            </Button>
            <Modes />
          </>
        }
      />
      <L1 />
      {isSending && <SendMessage />}
      <LastDone />
      {!isWide && (
        <Choice
          className="modes lanes-choice"
          label="Direction"
          options={LANES}
          value={chosen}
          change={(direction) => setQuery({ lane: direction === 'TO_L1' ? direction : undefined })}
        />
      )}
      <div className="lanes">
        {lanes.map(([direction, name]) => (
          <section key={direction} aria-label={name}>
            {isWide && <h2>{name}</h2>}
            <Lane direction={direction} open={openId} onOpen={open} />
          </section>
        ))}
      </div>
      {opened && (
        <MessageDetail
          key={openId}
          of={opened.placed}
          abi={opened.abi}
          close={() => setOpened(undefined)}
        />
      )}
    </>
  );
}

/** Narrower screens show one of the two lists at a time. */
const WIDE = '(min-width: 1100px)';
