import { type FormEvent, useRef, useState } from 'react';
import { datasetPath } from './dataset-path.ts';
import { forgetDatasets, recentDatasets } from './recent.ts';
import type { Session } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';
import { TokenField } from './token-field.tsx';

/** The start page of a server that knows no datasets: those that were used before, and a field for an id. */
export function Start({ session }: { session: Session }) {
  const [recent, setRecent] = useState(recentDatasets);
  const [datasetId, setDatasetId] = useState('');
  const idField = useRef<HTMLInputElement>(null);
  // Typing a token does not remove the form.
  const [needsToken, setNeedsToken] = useState(session.token === '');
  const { signIn } = session;
  const onSignedIn = () => {
    setNeedsToken(false);
    idField.current?.focus();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    location.assign(datasetPath(datasetId.trim()));
  };
  return (
    <main className="start">
      <h1>dataset-subgraph</h1>
      <p>Datasets of a data platform, in GraphQL. Enter the id of a dataset to see its chart.</p>
      {signIn !== undefined && needsToken && <SignInForm signIn={signIn} onSignedIn={onSignedIn} isFirst />}
      <form aria-label="Open a dataset" onSubmit={onSubmit}>
        <TokenField session={session} isFirst={signIn === undefined && session.token === ''} />
        <label className="start-dataset">
          Dataset id
          <input
            ref={idField}
            value={datasetId}
            onChange={(event) => setDatasetId(event.target.value)}
            required
            pattern=".*\S.*"
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
        <button type="submit">Open</button>
      </form>
      <p className="start-note">
        A collection dashboard of the platform shows the ids. The token stays in this tab of the browser, until you sign
        out or close the tab.
      </p>
      {recent.length > 0 && (
        <section aria-labelledby="recent">
          <h2 id="recent">Used in this browser</h2>
          <ul className="start-recent">
            {recent.map(({ id, name }) => (
              <li key={id}>
                <a href={datasetPath(id)}>{name}</a> <small>{id}</small>
              </li>
            ))}
          </ul>
          <button
            type="button"
            onClick={() => {
              forgetDatasets();
              setRecent([]);
            }}
          >
            Forget these datasets
          </button>
        </section>
      )}
      <p>
        <a href="/graphiql">GraphiQL</a> has example queries and the schema’s documentation.
      </p>
    </main>
  );
}
