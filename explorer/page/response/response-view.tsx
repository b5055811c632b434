import { useGraphiQL } from '@graphiql/react';
import { useId, useMemo, useState } from 'react';
import { sizeText } from '../../../src/core/size-text.ts';
import type { Operation } from '../operation.ts';
import type { Access } from '../post.ts';
import { useUnits } from '../units.ts';
import { absenceTexts } from './advice.ts';
import { chosenKind } from './chart-choice.ts';
import { ChartTab } from './chart-tab.tsx';
import { ErrorList, missingIn } from './error-list.tsx';
import { ExportMenu } from './export-menu.tsx';
import { filesOf } from './file-operation.ts';
import { fittingView } from './fitting-view.ts';
import { headingOf } from './heading.ts';
import { JsonTab } from './json-tab.tsx';
import { datasetIdIn, labelledMetrics } from './labelled-metrics.ts';
import { onlyThese } from './line-choice.ts';
import { MapTab } from './map-tab.tsx';
import { allRows, tabNames, type Viewing } from './pane-view.ts';
import { queryResponse } from './response-client.ts';
import { RestCallList } from './rest-calls.tsx';
import { fileTitle, saveFile } from './save.ts';
import { TableTab } from './table-tab.tsx';
import { Tabs } from './tabs.tsx';
import { useThemeColours } from './theme.ts';
import { timeText } from './time-text.ts';
import type { DatasetSummary, ResponseSummary } from './worker/protocol.ts';

/** A response that has come: its errors, and its tabs. */
export function ResponseView(
  props: { summary: ResponseSummary; operation: Operation; access: () => Access } & Viewing,
) {
  const { summary, operation, access, view, onView } = props;
  const { responseId, datasets, errors, downloads, absence, restCalls, bytes, milliseconds } = summary;
  const index = view.dataset ?? 0;
  const [units] = useUnits(datasetIdIn(restCalls));
  const found = datasets[index];
  const dataset = useMemo(() => found && labelledMetrics(found, units), [found, units]);
  // What cannot be drawn opens as text, whatever the view is.
  const [isText, setText] = useState(absence !== undefined && datasets.length === 0);
  const tab = isText ? 'json' : (view.show ?? 'chart');
  const files = useMemo(() => dataset && filesOf(operation, dataset.path), [operation, dataset]);
  const save = async () => {
    await saveFile(
      dataset ? fileTitle(dataset, 'response') : 'response',
      'json',
      await queryResponse(responseId, 'bytes'),
    );
  };
  return (
    <>
      <ErrorList errors={errors} />
      {downloads.map(({ name, url }) => (
        <p key={url} className="response-download">
          <a href={url} download>
            Download {name}
          </a>
        </p>
      ))}
      <Tabs
        label="Response"
        names={tabNames}
        open={tab}
        onOpen={(name) => {
          setText(false);
          onView({ show: name === 'chart' ? undefined : name });
        }}
        end={
          <>
            {restCalls !== undefined && <RestCallList restCalls={restCalls} />}
            <div className="response-size">
              {sizeText(bytes)} in {timeText(milliseconds)}
              <button type="button" aria-label="Save as JSON" onClick={save}>
                Save
              </button>
              <ExportMenu
                access={access}
                files={files}
                filesText="All metrics of the shown assets and days:"
                operation={operation}
                operationText="The query, without the token:"
              />
            </div>
          </>
        }
      >
        {absence !== undefined && errors.length === 0 && <p className="response-hint">{absenceTexts[absence]}</p>}
        {tab === 'json' &&
          (summary.isLarge ? <LargeText summary={summary} /> : <JsonTab {...{ responseId, view, onView }} />)}
        {tab !== 'json' && dataset !== undefined && (
          <>
            <DatasetHeading
              {...{ summary, index, dataset }}
              onIndex={(other) => onView(fittingView({ ...view, dataset: other || undefined }, datasets))}
            />
            <DatasetPanel key={`${index}`} {...{ responseId, index, dataset, view, onView }} />
          </>
        )}
      </Tabs>
    </>
  );
}

/** Why the text of a large response is not shown, and what to ask for instead. */
function LargeText({ summary: { bytes, milliseconds, hasRows } }: { summary: ResponseSummary }) {
  return (
    <div className="response-hint">
      <p>
        The response has {sizeText(bytes)} and took {timeText(milliseconds)}. That is too much for an editor: “Save”
        writes it to a file, byte for byte.
      </p>
      {hasRows && (
        <p>
          Ask for columns: <code>columns {'{ valueDates metrics { name values } }'}</code> has the same values as{' '}
          <code>rows</code> in about a third of the bytes.
        </p>
      )}
    </div>
  );
}

/** The dataset that is shown, and what is missing of it. */
function DatasetHeading(props: {
  summary: ResponseSummary;
  index: number;
  dataset: DatasetSummary;
  onIndex: (index: number) => void;
}) {
  const { summary, index, dataset, onIndex } = props;
  const id = useId();
  const missing = missingIn(summary.errors, dataset.path);
  return (
    <header className="response-heading">
      <h2>{headingOf(dataset)}</h2>
      {summary.datasets.length > 1 && (
        <div>
          <label htmlFor={id}>Dataset</label>{' '}
          <select id={id} value={index} onChange={(event) => onIndex(Number(event.target.value))}>
            {summary.datasets.map((other, position) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: datasets may have the same title
              <option key={position} value={position}>
                {headingOf(other)}
              </option>
            ))}
          </select>
        </div>
      )}
      {missing.length > 0 && (
        <p className="response-missing">
          Incomplete: {missing.slice(0, 3).join(', ')}
          {missing.length > 3 && ` and ${missing.length - 3} more`}
        </p>
      )}
    </header>
  );
}

/** The chart, the table or the map of one dataset. */
function DatasetPanel(props: { responseId: number; index: number; dataset: DatasetSummary } & Viewing) {
  const { responseId, index, dataset, view, onView } = props;
  const colours = useThemeColours(useGraphiQL((state) => state.theme));
  const hasRows = dataset.rowCount > 0 && dataset.metrics.length > 0;
  if (view.show === 'map') {
    if (dataset.places.length === 0) {
      return <p className="response-hint">No places: select “centroid” with “latitude” and “longitude”.</p>;
    }
    const showLines = (assets: readonly number[]) => {
      const labels = assets.map((asset) => dataset.assets[asset]?.label ?? '');
      onView({ show: undefined, kind: chosenKind(dataset, 'lines'), lines: onlyThese(labels) });
    };
    return <MapTab {...{ responseId, index, dataset, colours, view, onView }} onPlace={showLines} />;
  }
  if (!hasRows) return null;
  if (view.show === 'table') {
    const { table = allRows } = view;
    return <TableTab {...{ responseId, index, dataset, table }} onTable={(next) => onView({ table: next })} />;
  }
  return <ChartTab {...{ responseId, index, dataset, colours, view, onView }} />;
}
