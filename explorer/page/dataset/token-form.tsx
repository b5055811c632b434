import { useState } from 'react';
import { TokenField } from '../token-field.tsx';
import type { Recovery } from './recovery.ts';

interface TokenFormProps {
  readonly recovery: Recovery;
  /** What is in the field at first. */
  readonly initial: string;
  /** Whether the field has the focus at first. */
  readonly isFirst: boolean;
}

/** The field for the bearer token. The dataset is read with the token once it is complete. */
export function TokenForm({ recovery: { session, runAgain }, initial, isFirst }: TokenFormProps) {
  const [token, setToken] = useState(initial);
  return (
    <form
      aria-label="Token"
      onSubmit={(event) => {
        event.preventDefault();
        session.setToken(token);
        // Also with the same token: the service may accept it again.
        runAgain();
      }}
    >
      <TokenField session={{ ...session, token, setToken }} isFirst={isFirst} />
      <button type="submit">Use this token</button>
    </form>
  );
}
