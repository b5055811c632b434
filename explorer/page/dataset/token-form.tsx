import { useState } from 'react';
import type { Session } from '../session.ts';
import { SignInForm } from '../sign-in-form.tsx';
import { TokenField } from '../token-field.tsx';

/**
 * What gives the page a token, in the header: the sign-in, if the server has a login, and the field for the bearer token. The
 * dataset is read with the token once it is complete.
 */
export function TokenForm({ session }: { session: Session }) {
  const [token, setToken] = useState(session.token);
  const isEmpty = session.token === '';
  const { signIn } = session;
  const signInText = isEmpty ? 'Sign in' : 'Signed in';
  return (
    <details className="dataset-token choice" name="picker" open={isEmpty}>
      <summary>{signIn === undefined ? 'Token' : signInText}</summary>
      <div className="choice-list">
        {signIn !== undefined && isEmpty && <SignInForm signIn={signIn} isFirst />}
        <form
          aria-label="Token"
          onSubmit={(event) => {
            event.preventDefault();
            session.setToken(token);
          }}
        >
          <TokenField session={{ ...session, token, setToken }} isFirst={signIn === undefined && isEmpty} />
          <button type="submit">Use this token</button>
        </form>
      </div>
    </details>
  );
}
