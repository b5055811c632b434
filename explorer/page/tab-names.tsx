import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';
import { recentDatasets } from './recent.ts';
import { selectionOf } from './selection.ts';
import type { Settings } from './settings.ts';

/**
 * Names the tabs with the picker's query by their datasets, where the names are known. GraphiQL names each tab by its operation, and
 * takes no other name: a style shows the attribute that is set here before it.
 */
export function TabNames({ settings: { datasets, operations } }: { settings: Settings }) {
  const { tabs, activeTabIndex } = useGraphiQL(pick('tabs', 'activeTabIndex'));
  const { setOperationName } = useGraphiQLActions();
  const { id: openTab, operationName } = tabs[activeTabIndex] ?? {};
  // GraphiQL notes the name of the open tab's operation after a pause. Whatever leaves the tab before would give it the name of the tab
  // that was open before, and a request too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name of a tab that stays open is GraphiQL's own
  useEffect(() => setOperationName(operationName ?? ''), [openTab, setOperationName]);
  useEffect(() => {
    const known = new Map([...recentDatasets(), ...datasets].map(({ id, name }) => [id, name]));
    tabs.forEach(({ query, variables }, index) => {
      const text = { query: query ?? '', variables: variables ?? '' };
      const id = text.query === operations.columns ? selectionOf(text, operations)?.datasetId : undefined;
      const name = id === undefined ? undefined : known.get(id);
      const button = document.getElementById(`graphiql-session-tab-${index}`);
      if (name === undefined) button?.removeAttribute('data-dataset');
      else button?.setAttribute('data-dataset', name);
    });
  }, [tabs, datasets, operations]);
  return null;
}
