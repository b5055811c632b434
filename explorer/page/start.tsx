import { type FormEvent, type MouseEvent, useState } from 'react';
import { forgetDatasets, recentDatasets } from './recent.ts';
import { TokenField } from './token-field.tsx';

interface StartProps {
  readonly token: string;
  readonly onToken: (token: string) => void;
  /** Opens a dataset in GraphiQL, on this page, so that the token is kept. */
  readonly onOpen: (datasetId: string) => void;
}

/** The start page of a server that knows no datasets: those that were used before, and a field for an id. */
export function Start({ token, onToken, onOpen }: StartProps) {
  const [recent, setRecent] = useState(recentDatasets);
  const [datasetId, setDatasetId] = useState('');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    onOpen(datasetId.trim());
  };
  const onClick = (event: MouseEvent, id: string) => {
    // With a key, browsers open another window.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onOpen(id);
  };
  return (
    <main className="start">
      <h1>dataset-subgraph</h1>
      <p>Datasets of a data platform, in GraphQL. Enter the id of a dataset to see its chart.</p>
      <form aria-label="Open a dataset" onSubmit={onSubmit}>
        <TokenField token={token} onChange={onToken} />
        <label className="start-dataset">
          Dataset id
          <input
            value={datasetId}
            onChange={(event) => setDatasetId(event.target.value)}
            required
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
        <button type="submit">Open</button>
      </form>
      <p className="start-note">
        A collection dashboard of the platform shows the ids. The token stays in the memory of this page.
      </p>
      {recent.length > 0 && (
        <section aria-labelledby="recent">
          <h2 id="recent">Used in this browser</h2>
          <ul className="start-recent">
            {recent.map(({ id, name }) => (
              <li key={id}>
                <a href={`/graphiql#dataset=${encodeURIComponent(id)}`} onClick={(event) => onClick(event, id)}>
                  {name}
                </a>{' '}
                <small>{id}</small>
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
