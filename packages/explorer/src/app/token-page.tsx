// Form for the node's access token, shown instead of every page until the node accepts one.
import { useId, useState } from 'react';
import { chainUrl } from '../format/chain-path.js';
import { Button } from '../parts/button.js';
import { Form, TextInput } from '../parts/inputs.js';
import { Heading } from '../parts/page-states.js';
import { giveToken, token } from '../rpc/auth-token.js';

export function TokenPage() {
  const [draft, setDraft] = useState('');
  const [problem, setProblem] = useState<string | undefined>();
  const hint = useId();
  const wasGiven = token() !== undefined;
  return (
    <>
      <Heading title="This node requires a token" />
      <div className="stack">
        <p role="status">
          {wasGiven
            ? 'The node rejected the token of this tab.'
            : 'The node was started with a token, and this tab has none.'}{' '}
          Enter it here, or open the explorer at <code>{chainUrl('/ui/#token=…')}</code>
        </p>
        <Form className="line-of" submit={() => setProblem(giveToken(draft))}>
          <TextInput
            label="token"
            type="password"
            autoComplete="off"
            className="long"
            value={draft}
            aria-invalid={problem !== undefined}
            aria-describedby={hint}
            change={setDraft}
          />
          <Button type="submit" className="button primary">
            Open
          </Button>
        </Form>
        <p id={hint} className={problem === undefined ? 'quiet' : 'fail'}>
          {problem ??
            'The explorer keeps the token for this tab and sends it to this node only. Set it with --auth-token or AUTH_TOKEN when you start the node.'}
        </p>
      </div>
    </>
  );
}
