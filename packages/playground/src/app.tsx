// Layout of the page: the bar, the contract on the left, the explorer on the right.
import {
  AddressBook,
  BrandMark,
  Button,
  NamesContext,
  PlainButton,
  ThemeButton,
  useStore,
} from '@starkbox/explorer';
import { useMemo, useRef, useState } from 'react';
import { Actions } from './actions.js';
import { compile, NO_COMPILER } from './compile.js';
import { CONTRACTS } from './contracts.js';
import { Editor } from './editor.js';
import { ExplorerFrame, type ShowInExplorer } from './explorer-frame.js';
import {
  choose,
  compileSource,
  copyLink,
  dismissNotice,
  download,
  edit,
  namesIn,
  openFile,
  perform,
  playground,
  reset,
} from './playground.js';

type View = 'contract' | 'explorer';

export function App() {
  const [view, setView] = useState<View>('contract');
  const frame = useRef<ShowInExplorer>(null);
  const names = useChainNames();
  return (
    <NamesContext value={names}>
      <AddressBook id="addresses">
        <div className="playground" data-view={view}>
          <Bar view={view} setView={setView} />
          <main>
            <section className="contract-side" aria-label="Contract">
              <NoticeLine />
              <ContractSource />
              <Actions
                show={(page) => {
                  setView('explorer');
                  frame.current?.(page);
                }}
              />
            </section>
            <section className="explorer-side" aria-label="Explorer">
              <ExplorerFrame ref={frame} />
            </section>
          </main>
        </div>
      </AddressBook>
    </NamesContext>
  );
}

function useChainNames() {
  const { chain, deployed, contract } = useStore(playground);
  const accounts = chain.phase === 'ready' ? chain.chain.accounts : undefined;
  return useMemo(() => namesIn(accounts, contract, deployed), [accounts, contract, deployed]);
}

interface BarProps {
  readonly view: View;
  readonly setView: (view: View) => void;
}

function Bar({ view, setView }: BarProps) {
  const { chain } = useStore(playground);
  const isReady = chain.phase === 'ready';
  const file = useRef<HTMLInputElement>(null);
  const press = (work: () => Promise<void>) => () => {
    if (isReady) perform(work);
  };
  return (
    <header className="bar">
      <a className="brand" href="../" title="Documentation">
        <BrandMark />
        <h1>Starkbox playground</h1>
      </a>
      <fieldset className="modes views">
        <legend className="unseen">View</legend>
        {(['contract', 'explorer'] as const).map((name) => (
          <PlainButton key={name} aria-pressed={view === name} onClick={() => setView(name)}>
            {name === 'contract' ? 'Contract' : 'Explorer'}
          </PlainButton>
        ))}
      </fieldset>
      <div className="bar-actions">
        <Button aria-disabled={!isReady} onClick={press(copyLink)}>
          Copy link
        </Button>
        <Button aria-disabled={!isReady} onClick={press(download)}>
          Download
        </Button>
        <Button
          aria-disabled={!isReady}
          onClick={() => {
            if (isReady) file.current?.click();
          }}
        >
          Open file
        </Button>
        <input
          ref={file}
          type="file"
          hidden
          aria-label="File with a chain"
          onChange={({ target }) => {
            const [chosen] = target.files ?? [];
            target.value = '';
            if (chosen) perform(() => openFile(chosen));
          }}
        />
        <Button aria-disabled={!isReady} onClick={press(reset)}>
          Reset
        </Button>
        <ThemeButton className="plain" />
      </div>
    </header>
  );
}

function NoticeLine() {
  const { notice } = useStore(playground);
  return (
    <div aria-live="polite">
      {notice && (
        <div className={notice.isFailure ? 'notice failed' : 'notice'}>
          <p>{notice.text}</p>
          <PlainButton onClick={dismissNotice}>Dismiss</PlainButton>
        </div>
      )}
    </div>
  );
}

function ContractSource() {
  const { contract, source, marks } = useStore(playground);
  const hasCompiler = compile !== undefined;
  return (
    <>
      <div className="contract-bar">
        <fieldset className="modes">
          <legend className="unseen">Contract</legend>
          {CONTRACTS.map(({ id, title }) => (
            <PlainButton key={id} aria-pressed={id === contract.id} onClick={() => choose(id)}>
              {title}
            </PlainButton>
          ))}
        </fieldset>
        <Button
          aria-disabled={!hasCompiler}
          {...(hasCompiler ? {} : { 'aria-describedby': 'no-compiler', title: NO_COMPILER })}
          onClick={() => perform(compileSource)}
        >
          Compile
        </Button>
        {!hasCompiler && (
          <span id="no-compiler" className="quiet">
            {NO_COMPILER}
          </span>
        )}
      </div>
      <Editor
        label={`Cairo source of ${contract.title}`}
        source={source}
        marks={marks}
        change={hasCompiler ? edit : undefined}
      />
    </>
  );
}
