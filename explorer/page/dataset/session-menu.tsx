import { useDropdown } from '../use-dropdown.ts';
import type { Recovery } from './recovery.ts';
import { TokenForm } from './token-form.tsx';

/** The token in the header, with what replaces and forgets it. Nothing while the page asks for one in another place. */
export function SessionMenu({ recovery }: { recovery: Recovery }) {
  const dropdown = useDropdown();
  const { token, isRejected, signIn } = recovery.session;
  if (token === '' || isRejected) return null;
  return (
    // Another token closes it.
    <details key={token} {...dropdown} className="dataset-token choice" name="picker">
      <summary>{signIn === undefined ? 'Token' : 'Signed in'}</summary>
      <div className="choice-list">
        <TokenForm recovery={recovery} initial={token} isFirst={false} />
      </div>
    </details>
  );
}
