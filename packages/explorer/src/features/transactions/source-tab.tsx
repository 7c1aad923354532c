// Source files of the classes that a transaction called, with the lines that it ran.
import { useState } from 'react';
import { grouped } from '../../format/amount.js';
import { Button, PlainButton } from '../../parts/button.js';
import { Checkbox } from '../../parts/inputs.js';
import { Empty, Loading, Problem } from '../../parts/page-states.js';
import { CodeLine, Legend, type Times } from '../../parts/transaction/source-code.js';
import { UntrustedText } from '../../parts/values.js';
import type { Result } from '../../rpc/methods.js';
import { useExecutedLines } from '../../rpc/queries.js';

type ExecutedFile = Result<'devnet_executedLines'>['files'][number];

/** Lines around those that ran. */
const AROUND = 3;
const LINES_AT_ONCE = 200;

export function SourceTab({ hash }: { readonly hash: string }) {
  const { data, error, refetch } = useExecutedLines(hash, true);
  const [chosen, choose] = useState(0);
  if (error) {
    return <Problem error={error} what="the lines that ran" retry={refetch} />;
  }
  if (!data) return <Loading what="the lines that ran" />;
  const file = data.files[chosen];
  if (!file) {
    return (
      <Empty icon="contracts" title="The node has no debug information of the executed classes.">
        Add it with <code>--artifacts target/dev</code> or <code>devnet_addArtifact</code>.
      </Empty>
    );
  }
  return (
    <section className="source" aria-label="Lines that ran">
      <ol className="cairo-stack" aria-label="Files">
        {data.files.map((executed, at) => (
          <li key={executed.file}>
            <PlainButton
              aria-current={at === chosen ? 'true' : undefined}
              onClick={() => choose(at)}
            >
              <UntrustedText text={executed.file} limit={240} />
              <span className="soft">{shareText(executed)}</span>
            </PlainButton>
          </li>
        ))}
      </ol>
      {file.changed === true && (
        <p className="changed">
          Warning: the file is newer than the class, so its lines may have moved.
        </p>
      )}
      {file.text === undefined ? (
        <p className="soft">
          The node does not have this file. Add its package with <code>--artifacts</code>, or its
          content with <code>devnet_addArtifact</code>.
        </p>
      ) : (
        <Code key={file.file} of={file} text={file.text} />
      )}
    </section>
  );
}

function shareText({ lines }: ExecutedFile): string {
  const ran = lines.filter(([, times = 0]) => times > 0).length;
  return `${grouped(ran)} of ${grouped(lines.length)} lines with code ran`;
}

function Code({ of: file, text }: { readonly of: ExecutedFile; readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const [most, setMost] = useState(LINES_AT_ONCE);
  const times: Times = new Map(file.lines.map(([line = 0, count = 0]) => [line, count]));
  const lines = text.split('\n').map((line, at) => ({ number: at + 1, line }));
  const isNear = ({ number }: { readonly number: number }): boolean => {
    for (let at = number - AROUND; at <= number + AROUND; at++)
      if ((times.get(at) ?? 0) > 0) return true;
    return false;
  };
  const visible = isWhole ? lines : lines.filter(isNear);
  return (
    <>
      <Checkbox className="line-of" checked={isWhole} change={setWhole}>
        whole file
      </Checkbox>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard */}
      <section className="code" aria-label="Code" tabIndex={0}>
        <ol>
          {visible.slice(0, most).map(({ number, line }, at) => (
            <CodeLine
              key={number}
              number={number}
              text={line}
              times={times}
              isApart={at > 0 && visible[at - 1]?.number !== number - 1}
            />
          ))}
        </ol>
      </section>
      {visible.length > most && (
        <Button onClick={() => setMost(most + LINES_AT_ONCE)}>
          {grouped(visible.length - most)} more lines
        </Button>
      )}
      <Legend />
    </>
  );
}
