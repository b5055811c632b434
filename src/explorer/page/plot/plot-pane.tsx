import { useGraphiQL } from '@graphiql/react';
import { useMemo } from 'react';
import { PlotView } from './plot-view.tsx';
import { findPlots } from './response.ts';
import { useColours } from './theme.ts';

/** Draws the response of the open tab. */
export function PlotPane() {
  const response = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.response ?? '');
  const { plots, downloads } = useMemo(() => findPlots(parse(response), location.origin), [response]);
  const colours = useColours();
  return (
    <section className="plot" aria-label="Plot">
      <h2>Plot</h2>
      {plots.length === 0 && downloads.length === 0 && <p className="plot-hint">{hint(response)}</p>}
      {downloads.map(({ name, url }) => (
        <p key={url}>
          <a className="plot-download" href={url} download>
            Download {name}
          </a>
        </p>
      ))}
      {plots.map((plot, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: plots may have the same title
        <PlotView key={`${index} ${response.length}`} plot={plot} colours={colours} />
      ))}
    </section>
  );
}

function hint(response: string): string {
  if (response === '') return 'Run the query to plot its results here.';
  return 'This response has nothing to plot. Select “columns” or “results” of some assets.';
}

function parse(response: string): unknown {
  try {
    return JSON.parse(response);
  } catch {
    return undefined;
  }
}
