import { useMemo } from 'react';
import { ChartView } from '../response/chart-view.tsx';
import type { HistogramContent } from '../response/histogram-option.ts';
import { queryResponse } from '../response/response-client.ts';
import { useThemeColours } from '../response/theme.ts';
import { useQuery } from '../response/use-query.ts';
import type { DatasetSummary } from '../response/worker/protocol.ts';
import { allLines } from './all-lines.ts';

/** The histograms of all values of a response, one for each metric. */
export function Histograms({ responseId, dataset }: { responseId: number; dataset: DatasetSummary }) {
  const colours = useThemeColours(null);
  const { result, error } = useQuery(String(responseId), () =>
    queryResponse(responseId, 'histograms', allLines(dataset)),
  );
  const content = useMemo(
    (): HistogramContent | undefined => result && { ...result, dataset, assets: [...dataset.assets.keys()] },
    [dataset, result],
  );
  return (
    <>
      {error !== undefined && <p role="alert">{error}</p>}
      {content !== undefined && <ChartView {...{ content, colours, onZoom }} />}
    </>
  );
}

/** Histograms have no time that a zoom could show a part of. */
function onZoom(): void {}
