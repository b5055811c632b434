import { useMemo } from 'react';
import { pageOf } from './dataset/operation-page.ts';
import type { PageOperations } from './settings.ts';
import { useTabs } from './use-tabs.ts';

/** A link to the page of the dataset that draws the operation of the open tab, or why there is none: the way back of *Show query*. */
export function PageLink({ operations }: { operations: PageOperations }) {
  const tabs = useTabs();
  const found = useMemo(() => pageOf(tabs.text, operations), [tabs.text, operations]);
  if (found === undefined) return null;
  if ('reason' in found) return <span className="page-hint">{found.reason}</span>;
  return (
    <a
      href={found.address}
      onClick={({ currentTarget }) => {
        // GraphiQL stores what is typed after a pause.
        const now = pageOf(tabs.now(), operations);
        if (now !== undefined && 'address' in now) currentTarget.href = now.address;
      }}
    >
      Show on the dataset page
    </a>
  );
}
