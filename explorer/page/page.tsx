import './workers.ts';
import 'graphiql/style.css';
import './page.css';
import './picker.css';
import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
import { GraphiQL } from 'graphiql';
import { type MouseEvent, useCallback, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { Address } from './address.tsx';
import { CopyLink } from './copy-link.tsx';
import { EditorColours, editorTheme } from './editor-colours.tsx';
import { createFetcher } from './fetcher.ts';
import { Keyboard } from './keyboard.tsx';
import { Picker } from './picker.tsx';
import { ResponsePane } from './response/response-pane.tsx';
import { textOfDataset } from './selection.ts';
import type { Settings } from './settings.ts';
import { createStorage, wasRun } from './storage.ts';
import { TabNames } from './tab-names.tsx';
import { type TabText, variablesText } from './tab-text.ts';
import { TokenField } from './token-field.tsx';

const plugins = [HISTORY_PLUGIN];

interface PageProps {
  readonly settings: Settings;
  readonly token: string;
  readonly onToken: (token: string) => void;
  /** Whether the user has opened a dataset on the start page. */
  readonly isLaunched: boolean;
  /** Called when the link to the start page is clicked. */
  readonly onStart: (event: MouseEvent) => void;
}

/** The page: a header with the token, the picker, and GraphiQL with the examples and the response. */
export function Page({ settings, token, onToken, isLaunched, onStart }: PageProps) {
  const latestToken = useRef(token);
  latestToken.current = token;
  const fetcher = useMemo(() => createFetcher(settings.endpoint, () => latestToken.current), [settings]);
  const access = useCallback(() => ({ endpoint: settings.endpoint, token: latestToken.current.trim() }), [settings]);
  const { storage, opened } = useMemo(() => createStorage(settings, location.hash), [settings]);
  // The picker and the button are in the header, and work on the tabs of GraphiQL.
  const [header, setHeader] = useState<HTMLElement | null>(null);
  const [bar, setBar] = useState<HTMLElement | null>(null);
  return (
    <>
      <header className="page-header">
        <h1>
          <a href="/" onClick={onStart}>
            dataset-subgraph
          </a>
        </h1>
        <p>
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs the query
        </p>
        <div ref={setHeader} />
        <TokenField token={token} onChange={onToken} />
      </header>
      <main>
        <div ref={setBar} />
        <GraphiQL
          fetcher={fetcher}
          plugins={plugins}
          storage={storage}
          editorTheme={editorTheme}
          shouldPersistHeaders={false}
          isHeadersEditorEnabled={false}
          showPersistHeadersSettings={false}
          defaultEditorToolsVisibility="variables"
        >
          <GraphiQL.Logo>
            <span />
          </GraphiQL.Logo>
          <GraphiQL.Footer>
            <ResponsePane access={access} />
          </GraphiQL.Footer>
          <Keyboard />
          <EditorColours />
          <TabNames settings={settings} />
          <Address settings={settings} runsFirst={!isLaunched && runsAtStart(opened, settings)} />
          {header !== null && createPortal(<CopyLink />, header)}
          {bar !== null && createPortal(<Picker settings={settings} access={access} isLaunched={isLaunched} />, bar)}
        </GraphiQL>
      </main>
    </>
  );
}

/**
 * Whether an operation runs at the start: with the server's own token, if it is one of the server's own or was run before a
 * reload. A link of somebody else runs only when asked to.
 */
function runsAtStart({ query, variables }: TabText, { token, examples, operations, datasets }: Settings): boolean {
  if (token === '') return false;
  const own = [
    ...examples.map((example) => ({ query: example.query, variables: variablesText(example.variables) })),
    ...datasets.map((dataset) => textOfDataset(dataset.id, dataset, operations)),
  ];
  return wasRun({ query, variables }) || own.some((text) => text.query === query && text.variables === variables);
}
