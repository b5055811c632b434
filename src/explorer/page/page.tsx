import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
import { GraphiQL } from 'graphiql';
import { useMemo, useRef, useState } from 'react';
import { createFetcher } from './fetcher.ts';
import { Keyboard } from './keyboard.tsx';
import { plotPlugin } from './plot/plot-plugin.tsx';
import type { Settings } from './settings.ts';
import { createStorage, variablesText } from './storage.ts';
import { TokenField } from './token-field.tsx';

const plugins = [plotPlugin, HISTORY_PLUGIN];

/** The page: a header with the token, and GraphiQL with the examples and the Plot pane. */
export function Page({ settings }: { settings: Settings }) {
  const [token, setToken] = useState(settings.token);
  const latestToken = useRef(token);
  latestToken.current = token;
  const fetcher = useMemo(() => createFetcher(settings.endpoint, () => latestToken.current), [settings]);
  const tabs = useMemo(
    () => settings.examples.map(({ query, variables }) => ({ query, variables: variablesText(variables) })),
    [settings],
  );
  const storage = useMemo(() => createStorage(settings), [settings]);
  return (
    <>
      <header className="page-header">
        <h1>dataset-subgraph</h1>
        <p>
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs the query
        </p>
        <TokenField token={token} onChange={setToken} />
      </header>
      <main>
        <GraphiQL
          fetcher={fetcher}
          defaultTabs={tabs}
          plugins={plugins}
          visiblePlugin={plotPlugin.title}
          storage={storage}
          shouldPersistHeaders={false}
          isHeadersEditorEnabled={false}
          showPersistHeadersSettings={false}
          defaultEditorToolsVisibility="variables"
        >
          <GraphiQL.Logo>
            <span />
          </GraphiQL.Logo>
          <Keyboard />
        </GraphiQL>
      </main>
    </>
  );
}
