import { useId } from 'react';

/** The field for the bearer token. The token is kept only in memory. */
export function TokenField({ token, onChange }: { token: string; onChange: (token: string) => void }) {
  const id = useId();
  return (
    <div className="token-field">
      <label htmlFor={id}>Bearer token</label>
      <input
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
