import { useState } from 'react';
import type { Session } from '../session.ts';
import { TokenField } from '../token-field.tsx';

/** The field for the bearer token in the header. The dataset is read with the token once it is complete. */
export function TokenForm({ session }: { session: Session }) {
  const [token, setToken] = useState(session.token);
  return (
    <details className="dataset-token choice" name="picker" open={session.token === ''}>
      <summary>Token</summary>
      <form
        className="choice-list"
        aria-label="Token"
        onSubmit={(event) => {
          event.preventDefault();
          session.setToken(token);
        }}
      >
        <TokenField session={{ ...session, token, setToken }} />
        <button type="submit">Use this token</button>
      </form>
    </details>
  );
}
