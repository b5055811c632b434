import { useMemo } from 'react';
import { fragmentOf } from '../fragment.ts';
import type { Outline } from '../outline.ts';
import type { Access } from '../post.ts';
import { ErrorList } from '../response/error-list.tsx';
import type { Session } from '../session.ts';
import type { Settings } from '../settings.ts';
import { variablesText } from '../tab-text.ts';
import { ChartPane } from './chart-pane.tsx';
import { chartOperation } from './operation.ts';
import { StatisticsPanel } from './statistics-panel.tsx';
import { TokenForm } from './token-form.tsx';
import { useView } from './use-view.ts';
import { type Days, shownOf } from './view.ts';
import { ViewBar } from './view-bar.tsx';

interface DatasetViewProps {
  readonly settings: Settings;
  readonly session: Session;
  readonly datasetId: string;
  readonly access: Access;
  readonly outline: Outline;
}

/** A dataset of which the outline is known. */
export function DatasetView({ settings, session, datasetId, access, outline }: DatasetViewProps) {
  const { operations } = settings;
  const [view, setView] = useView();
  const shown = useMemo(() => shownOf(view, outline), [view, outline]);
  const operation = useMemo(() => chartOperation(datasetId, shown, operations), [datasetId, shown, operations]);
  const onDays = (range: Days) => setView({ ...view, range });
  const hasSeries = outline.assets.length > 0 && outline.metrics.length > 0;
  return (
    <>
      <header className="dataset-header">
        <a href="/">dataset-subgraph</a>
        <h1>{outline.name}</h1>
        <p className="dataset-days">{outline.days.filter((day) => day !== '').join(' to ')}</p>
        <TokenForm session={session} />
      </header>
      <main>
        {hasSeries && <ViewBar {...{ outline, view, shown, operation }} onView={setView} />}
        <section id="chart" className="response" tabIndex={-1} aria-label="Chart">
          {hasSeries ? (
            <ChartPane {...{ access, datasetId, operation, outline, shown, onDays }} />
          ) : (
            <NoSeries outline={outline} datasetId={datasetId} download={operations.download} />
          )}
        </section>
        {hasSeries && <StatisticsPanel {...{ access, datasetId, operations }} days={shown.days} />}
        <section className="dataset-about" aria-label="About this dataset">
          {outline.description !== '' && <p>{outline.description}</p>}
          {outline.attribution !== '' && <p>Source: {outline.attribution}</p>}
        </section>
      </main>
    </>
  );
}

/** What is said of a dataset without series, such as a file. */
function NoSeries(props: { outline: Outline; datasetId: string; download: string }) {
  const { outline, datasetId, download } = props;
  const text = { query: download, variables: variablesText({ fileId: datasetId }) };
  return (
    <>
      <ErrorList errors={outline.errors} />
      <p className="dataset-empty">
        This dataset has no series to draw. If it is a file, <a href={`/graphiql${fragmentOf(text)}`}>GraphiQL</a> makes
        a link to download it.
      </p>
    </>
  );
}
