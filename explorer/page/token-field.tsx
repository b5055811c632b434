import { useEffect, useId, useRef } from 'react';
import type { Session } from './session.ts';

interface TokenFieldProps {
  readonly session: Session;
  /** Whether the field has the focus at first. */
  readonly isFirst: boolean;
}

/** The field for the bearer token, and the button that forgets it. */
export function TokenField({ session: { token, setToken, signOut }, isFirst }: TokenFieldProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const hasFirstFocus = useRef(isFirst);
  useEffect(() => {
    if (hasFirstFocus.current) field.current?.focus();
  }, []);
  return (
    <div className="token-field">
      <label htmlFor={id}>Bearer token</label>
      <input
        ref={field}
        id={id}
        type="password"
        value={token}
        onChange={(event) => setToken(event.target.value)}
        placeholder="none"
        autoComplete="off"
        spellCheck={false}
      />
      {signOut !== undefined && (
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      )}
    </div>
  );
}
