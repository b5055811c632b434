import { Choice } from '../choice.tsx';
import { fragmentOf } from '../fragment.ts';
import { anyOption } from '../option-filter.ts';
import type { Option, Outline } from '../outline.ts';
import { markRun } from '../storage.ts';
import type { TabText } from '../tab-text.ts';
import { useNotice } from '../use-notice.ts';
import { CompareChoice } from './compare-choice.tsx';
import { rangeFor } from './comparison.ts';
import { PeriodChoice } from './period-choice.tsx';
import { isPeriodShow } from './periods.ts';
import { RangeChoice } from './range-choice.tsx';
import type { ViewStep } from './use-view.ts';
import { MAX_LINES, type Shown, type View } from './view.ts';

interface ViewBarProps {
  readonly outline: Outline;
  readonly view: View;
  readonly shown: Shown;
  /** The operation that reads what is shown. */
  readonly operation: TabText;
  /** The datasets to compare with. */
  readonly others: readonly Option[];
  readonly onView: (view: View, step?: ViewStep) => void;
  readonly onRunAgain: () => void;
}

/** What chooses the view, and what leads out of it: the query, and a link. */
export function ViewBar({ outline, view, shown, operation, others, onView, onRunAgain }: ViewBarProps) {
  const [said, say] = useNotice();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      say('Copied. The link has no token.');
    } catch {
      // Browsers allow it only over HTTPS and on this host.
      say('Copy the address of this page instead.');
    }
  };
  const { assets, metrics } = outline;
  const chooseAssets = (chosenIds: readonly string[] | undefined) => {
    const ids = chosenIds ?? assets.map(({ id }) => id);
    // All of many assets are drawn as quantiles. The link has as many ids as there are lines.
    if (chosenIds === undefined && ids.length > MAX_LINES)
      return onView({ ...view, assetIds: undefined, form: 'quantiles' });
    if (ids.length > MAX_LINES) say(`At most ${MAX_LINES} assets have a line: the first ones.`);
    onView({ ...view, assetIds: ids.slice(0, MAX_LINES), only: undefined });
  };
  /** What is chosen of all, as the list of check boxes has it. */
  const chosen = (ids: readonly string[], all: readonly unknown[]) => (ids.length === all.length ? undefined : ids);
  const fragment = fragmentOf(operation);
  return (
    <fieldset className="dataset-bar" aria-label="View">
      {assets.length > 1 && (
        <Choice
          label="Assets"
          options={assets}
          hint=""
          chosen={chosen(shown.assetIds, assets)}
          onChange={chooseAssets}
          filter={view.filter ?? anyOption}
          onFilter={(filter) => onView({ ...view, filter }, 'replace')}
        />
      )}
      {metrics.length > 1 && (
        <Choice
          label="Metrics"
          options={metrics}
          hint=""
          chosen={chosen(shown.metrics, metrics)}
          onChange={(ids) => onView({ ...view, metrics: ids ?? metrics.map(({ id }) => id) })}
        />
      )}
      <RangeChoice
        outline={outline}
        range={view.range}
        onRange={(range) => onView({ ...view, range, zoom: undefined })}
      />
      {isPeriodShow(view.show) ? (
        <PeriodChoice show={view.show} {...{ shown, outline }} onEvery={(every) => onView({ ...view, every })} />
      ) : (
        <CompareChoice
          compare={view.compare}
          others={others}
          onCompare={(compare) => {
            const range = rangeFor(compare, view.range, outline);
            onView({ ...view, compare, range, zoom: undefined });
          }}
        />
      )}
      {assets.length > 1 && (
        <label>
          <input
            type="checkbox"
            checked={shown.hasQuantiles}
            onChange={() => onView({ ...view, form: shown.hasQuantiles ? 'lines' : 'quantiles' })}
          />{' '}
          Quantiles of all assets
        </label>
      )}
      <span className="dataset-space" />
      <button type="button" onClick={onRunAgain}>
        Run again
      </button>
      {fragment !== '' && (
        // The query was run here, so GraphiQL may run it.
        <a className="dataset-button" href={`/graphiql${fragment}`} onClick={() => markRun(operation)}>
          Show query
        </a>
      )}
      <button type="button" onClick={copy}>
        Copy link
      </button>
      <span role="status">{said}</span>
    </fieldset>
  );
}
