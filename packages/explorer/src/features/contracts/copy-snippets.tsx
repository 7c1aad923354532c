// Buttons that copy a call as a command or as code.
import { PlainButton } from '../../parts/button.js';
import { Icon } from '../../parts/icons.js';
import { useCopied } from '../../parts/values.js';

type Snippet = () => string | Promise<string>;

interface SnippetsProps {
  readonly curl: Snippet | undefined;
  readonly js: string;
  readonly cast: string;
}

export function Snippets({ curl, js, cast }: SnippetsProps) {
  return (
    <span className="snippets">
      copy as
      {curl && <CopyText of={curl} name="curl" />}
      <CopyText of={() => js} name="starknet.js" />
      <CopyText of={() => cast} name="sncast" />
    </span>
  );
}

/** Snippets are computed on demand, because some need a nonce. */
function CopyText({ of, name }: { readonly of: Snippet; readonly name: string }) {
  const [isDone, copy] = useCopied(of);
  return (
    <PlainButton aria-label={isDone ? `${name} copied` : `Copy as ${name}`} onClick={copy}>
      <span className="signed">
        {name}
        {isDone && <Icon name="done" />}
      </span>
    </PlainButton>
  );
}
