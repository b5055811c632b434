import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import type { Session } from './session.ts';
import { SignInError } from './sign-in.ts';

interface SignInFormProps {
  readonly signIn: NonNullable<Session['signIn']>;
  /** Is called when the session has a token. */
  readonly onSignedIn?: () => void;
  /** Whether the form has the focus at first. */
  readonly isFirst: boolean;
}

/** The form for an account of the platform's login. The password is only in its field, until it is sent. */
export function SignInForm({ signIn, onSignedIn, isFirst }: SignInFormProps) {
  const emailField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  const errorId = useId();
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState('');
  const hasFirstFocus = useRef(isFirst);
  useEffect(() => {
    if (hasFirstFocus.current) emailField.current?.focus();
  }, []);
  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const [email, password] = [emailField.current, passwordField.current];
    if (isRunning || email === null || password === null) return;
    setRunning(true);
    setError('');
    try {
      await signIn(email.value.trim(), password.value);
      email.value = '';
      onSignedIn?.();
    } catch (failure) {
      if (!(failure instanceof SignInError)) throw failure;
      setError(failure.message);
      password.focus();
    } finally {
      password.value = '';
      setRunning(false);
    }
  };
  return (
    <form className="sign-in" aria-label="Sign in" aria-busy={isRunning} onSubmit={onSubmit}>
      <label>
        E-mail
        <input
          ref={emailField}
          inputMode="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          maxLength={320}
        />
      </label>
      <label>
        Password
        <input
          ref={passwordField}
          type="password"
          autoComplete="current-password"
          required
          maxLength={1000}
          aria-describedby={error === '' ? undefined : errorId}
        />
      </label>
      <button type="submit">{isRunning ? 'Signing in …' : 'Sign in'}</button>
      {error !== '' && (
        <p id={errorId} role="alert">
          {error}
        </p>
      )}
    </form>
  );
}
