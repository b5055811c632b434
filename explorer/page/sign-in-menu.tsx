import type { Session } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';
import { useDropdown } from './use-dropdown.ts';

/** A button that opens the sign-in form. Nothing if the server has no login. */
export function SignInMenu({ session: { signIn, token } }: { session: Session }) {
  const dropdown = useDropdown();
  if (signIn === undefined) return null;
  const onSignedIn = () => {
    const { current: details } = dropdown.ref;
    details?.querySelector('summary')?.focus();
    details?.removeAttribute('open');
  };
  return (
    <details {...dropdown} className="choice sign-in-menu">
      <summary>{token === '' ? 'Sign in' : 'Sign in again'}</summary>
      <div className="choice-list">
        <SignInForm signIn={signIn} onSignedIn={onSignedIn} isFirst={false} />
      </div>
    </details>
  );
}
