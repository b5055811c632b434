import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useCallback, useMemo } from 'react';
import { indexOfText, type OpenTabs, operationName } from './open-tabs.ts';
import type { TabText } from './tab-text.ts';

/** The open tab of GraphiQL, and what can be done with it. */
export interface Tabs {
  /** The id of the open tab. */
  readonly id: string;
  /** The text of the open tab. */
  readonly text: TabText;
  /** Whether the editors are there, so that an operation can run. */
  readonly isReady: boolean;
  /** The text of the editors now. It is ahead of `text` for a moment after each key. */
  now(): TabText;
  /** All tabs, with the text of the editors now. */
  current(): OpenTabs;
  /** Opens the tab with this text, or a new one. */
  open(text: TabText): void;
  /** Replaces the text of the open tab. */
  replace(text: TabText): void;
}

/** GraphiQL's tabs. */
export function useTabs(): Tabs {
  const { addTab, changeTab, updateActiveTabValues, setOperationFacts } = useGraphiQLActions();
  const { tabs, activeTabIndex, queryEditor, variableEditor, responseEditor } = useGraphiQL(
    pick('tabs', 'activeTabIndex', 'queryEditor', 'variableEditor', 'responseEditor'),
  );
  const active = tabs[activeTabIndex];
  const [id, query, variables] = [active?.id ?? '', active?.query ?? '', active?.variables ?? ''];
  // Other changes of the tabs, such as a response, make no new text.
  const text = useMemo((): TabText => ({ query, variables }), [query, variables]);
  const now = useCallback(
    (): TabText => ({
      query: queryEditor?.getValue() ?? text.query,
      variables: variableEditor?.getValue() ?? text.variables,
    }),
    [queryEditor, variableEditor, text],
  );
  const current = useCallback((): OpenTabs => {
    const kept = tabs.map((tab, index) => ({
      ...tab,
      ...(index === activeTabIndex && now()),
      headers: null,
      response: null,
    }));
    return { tabs: kept, activeTabIndex };
  }, [tabs, activeTabIndex, now]);
  const replace = useCallback(
    (text: TabText) => {
      queryEditor?.setValue(text.query);
      variableEditor?.setValue(text.variables);
      const name = operationName(text.query);
      updateActiveTabValues({ ...text, operationName: name });
      // GraphiQL looks for the operations after a pause, and would give the tab and the request their old name until then.
      setOperationFacts({ operationName: name ?? '' });
    },
    [queryEditor, variableEditor, updateActiveTabValues, setOperationFacts],
  );
  const open = useCallback(
    (text: TabText) => {
      const index = indexOfText(current().tabs, text);
      if (index >= 0) {
        changeTab(index);
        return;
      }
      addTab();
      replace(text);
    },
    [current, addTab, changeTab, replace],
  );
  const isReady = queryEditor !== undefined && variableEditor !== undefined && responseEditor !== undefined;
  return useMemo(
    () => ({ id, text, isReady, now, current, open, replace }),
    [id, text, isReady, now, current, open, replace],
  );
}
