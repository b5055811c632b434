import { useState } from 'react';
import { allRows } from '../response/pane-view.ts';
import { TableTab } from '../response/table-tab.tsx';
import type { DatasetSummary } from '../response/worker/protocol.ts';

/** The values of a response as a table, at first with all rows. */
export function DatasetTable({ responseId, dataset }: { responseId: number; dataset: DatasetSummary }) {
  const [table, onTable] = useState(allRows);
  return <TableTab {...{ responseId, dataset, table, onTable }} index={0} />;
}
