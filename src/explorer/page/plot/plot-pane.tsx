import { useGraphiQL } from '@graphiql/react';
import { useMemo } from 'react';
import { PlotView } from './plot-view.tsx';
import { findPlots } from './response.ts';
import { useColours } from './theme.ts';

/** What the pane shows of the answer of the tab that is open. */
export function PlotPane() {
  const answer = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.response ?? '');
  const { plots, downloads } = useMemo(() => findPlots(parse(answer), location.origin), [answer]);
  const colours = useColours();
  return (
    <section className="plot" aria-label="Plot">
      <h2>Plot</h2>
      {plots.length === 0 && downloads.length === 0 && <p className="plot-hint">{hint(answer)}</p>}
      {downloads.map(({ name, url }) => (
        <p key={url}>
          <a className="plot-download" href={url} download>
            Download {name}
          </a>
        </p>
      ))}
      {plots.map((plot, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two plots may have one title
        <PlotView key={`${index} ${answer.length}`} plot={plot} colours={colours} />
      ))}
    </section>
  );
}

function hint(answer: string): string {
  if (answer === '') return 'Run the query: its results are drawn here.';
  return 'Nothing of this answer can be drawn. Ask for “columns” or “results” of some assets.';
}

function parse(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return undefined;
  }
}
