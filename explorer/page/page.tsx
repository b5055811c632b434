import './workers.ts';
import 'graphiql/style.css';
import './page.css';
import './picker.css';
import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
import { GraphiQL } from 'graphiql';
import { useCallback, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { Address } from './address.tsx';
import { CopyLink } from './copy-link.tsx';
import { EditorColours, editorTheme } from './editor-colours.tsx';
import { createFetcher } from './fetcher.ts';
import { Keyboard } from './keyboard.tsx';
import { PageLink } from './page-link.tsx';
import { Picker } from './picker.tsx';
import { ResponsePane } from './response/response-pane.tsx';
import { textOfDataset } from './selection.ts';
import type { Session } from './session.ts';
import type { Settings } from './settings.ts';
import { SignInMenu } from './sign-in-menu.tsx';
import { createStorage, wasRun } from './storage.ts';
import { TabNames } from './tab-names.tsx';
import { type TabText, variablesText } from './tab-text.ts';
import { TokenField } from './token-field.tsx';

const plugins = [HISTORY_PLUGIN];

interface PageProps {
  readonly settings: Settings;
  readonly session: Session;
}

/** The page: a header with the token, the picker, and GraphiQL with the examples and the response. */
export function Page({ settings, session }: PageProps) {
  const { token } = session;
  const latestToken = useRef(token);
  latestToken.current = token;
  const fetcher = useMemo(() => createFetcher(settings.endpoint, () => latestToken.current), [settings]);
  const access = useCallback(() => ({ endpoint: settings.endpoint, token: latestToken.current }), [settings]);
  const { storage, opened } = useMemo(() => createStorage(settings, location.hash), [settings]);
  const [runsFirst] = useState(() => runsAtStart(opened.text, settings, token));
  // The picker and the button are in the header, and work on the tabs of GraphiQL.
  const [header, setHeader] = useState<HTMLElement | null>(null);
  const [bar, setBar] = useState<HTMLElement | null>(null);
  return (
    <>
      <header className="page-header">
        <h1>
          <a href="/">dataset-subgraph</a>
        </h1>
        <p>
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs the query
        </p>
        <div ref={setHeader} className="page-links" />
        <TokenField session={session} isFirst={token === ''} />
        <SignInMenu session={session} />
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
          <Address settings={settings} opened={opened} runsFirst={runsFirst} />
          {header !== null &&
            createPortal(
              <>
                <PageLink operations={settings.operations} />
                <CopyLink />
              </>,
              header,
            )}
          {bar !== null && createPortal(<Picker settings={settings} access={access} />, bar)}
        </GraphiQL>
      </main>
    </>
  );
}

/**
 * Whether an operation runs at the start: if it was run in this tab of the browser, or, with the server's own token, if it is
 * one of the server's own. A link of somebody else runs only when asked to.
 */
function runsAtStart({ query, variables }: TabText, settings: Settings, token: string): boolean {
  if (token !== '' && wasRun({ query, variables })) return true;
  const { examples, operations, datasets } = settings;
  if (settings.token === '') return false;
  const own = [
    ...examples.map((example) => ({ query: example.query, variables: variablesText(example.variables) })),
    ...datasets.map((dataset) => textOfDataset(dataset.id, dataset, operations)),
  ];
  return own.some((text) => text.query === query && text.variables === variables);
}
