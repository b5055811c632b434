import { useEffect, useId, useRef } from 'react';

/** The field for the bearer token. The token is kept only in memory. Without a token it has the focus at first. */
export function TokenField({ token, onChange }: { token: string; onChange: (token: string) => void }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const isEmptyAtFirst = useRef(token === '');
  useEffect(() => {
    if (isEmptyAtFirst.current) field.current?.focus();
  }, []);
  return (
    <div className="token-field">
      <label htmlFor={id}>Bearer token</label>
      <input
        ref={field}
        id={id}
        type="password"
        value={token}
        onChange={(event) => onChange(event.target.value)}
        placeholder="none"
        autoComplete="off"
        spellCheck={false}
      />
    </div>
  );
}
