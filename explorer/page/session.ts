import { useEffect, useState } from 'react';
import type { Settings } from './settings.ts';
import { requestToken } from './sign-in.ts';

/** The key of the bearer token in the session storage of the browser's tab. */
const KEY = 'dataset-subgraph:token';

/** The bearer token of the browser's tab, and what changes it. */
export interface Session {
  /** The token alone; may be empty. */
  readonly token: string;
  /** Whether the service does not accept the token, as far as the page shows it. */
  readonly isRejected: boolean;
  readonly setRejected: (isRejected: boolean) => void;
  /** Sets the token: a text that was pasted may have `Bearer` before it. */
  readonly setToken: (text: string) => void;
  /**
   * Gets the token of an account from the platform's login, and sets it. Undefined if the server has no login.
   *
   * @throws SignInError if there is no token
   */
  readonly signIn: ((email: string, password: string) => Promise<void>) | undefined;
  /** Forgets the token and all that was read with it. Undefined if the token is none, or the server's own. */
  readonly signOut: (() => void) | undefined;
}

/**
 * The session of the browser's tab. The token stays in its session storage, over reloads and from page to page of this server,
 * until the user signs out or closes the tab. It is in no URL.
 *
 * @param settings the token that the server gives its page, which may be empty, and the path of its login
 */
export function useSession({ token: ownToken, login }: Pick<Settings, 'token' | 'login'>): Session {
  const [kept, setKept] = useState(() => sessionStorage.getItem(KEY));
  const [isRejected, setRejected] = useState(false);
  useEffect(() => {
    // A page that the browser kept for its Back button has the token from then.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && setKept(sessionStorage.getItem(KEY));
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, []);
  const setToken = (text: string) => {
    const token = bareToken(text);
    sessionStorage.setItem(KEY, token);
    setKept(token);
  };
  const signOut = () => {
    sessionStorage.removeItem(KEY);
    location.reload();
  };
  const token = kept ?? ownToken;
  return {
    token,
    isRejected,
    setRejected,
    setToken,
    signIn: login === undefined ? undefined : async (...account) => setToken(await requestToken(login, ...account)),
    signOut: token === '' || token === ownToken ? undefined : signOut,
  };
}

/** The token of a text: without the scheme of the header `Authorization`, and without white space, which no token has. */
function bareToken(text: string): string {
  return text.replace(/^\s*bearer\s+/i, '').replaceAll(/\s/g, '');
}
