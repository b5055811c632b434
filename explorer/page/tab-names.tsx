import { pick, useGraphiQL } from '@graphiql/react';
import { useEffect } from 'react';
import { recentDatasets } from './recent.ts';
import { selectionOf } from './selection.ts';
import type { Settings } from './settings.ts';

/**
 * Names the tabs with the picker's query by their datasets, where the names are known. GraphiQL names each tab by its operation, and
 * takes no other name: a style shows the attribute that is set here before it.
 */
export function TabNames({ settings: { datasets, operations } }: { settings: Settings }) {
  const { tabs } = useGraphiQL(pick('tabs'));
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
