import { useEffect } from 'react';
import { SignInForm } from '../sign-in-form.tsx';
import type { Recovery } from './recovery.ts';
import { TokenForm } from './token-form.tsx';

/**
 * What gives the page a token, in the place of what needs it: the sign-in, if the server has a login, and the field for the bearer
 * token. While it is there, a token of the session is rejected.
 */
export function SignInPanel({ recovery }: { recovery: Recovery }) {
  const { session, runAgain } = recovery;
  const { token, signIn, setRejected } = session;
  const isFirst = token === '';
  useEffect(() => {
    setRejected(true);
    return () => setRejected(false);
  }, [setRejected]);
  return (
    <div className="dataset-sign-in">
      {isFirst ? (
        <p>{signIn === undefined ? 'A bearer token is missing.' : 'Sign in to see this dataset.'}</p>
      ) : (
        <p role="alert">The service does not accept the token. It may have expired.</p>
      )}
      {signIn !== undefined && <SignInForm signIn={signIn} onSignedIn={runAgain} isFirst={isFirst} />}
      <TokenForm recovery={recovery} initial="" isFirst={isFirst && signIn === undefined} />
    </div>
  );
}
