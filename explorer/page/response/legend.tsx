import { useId } from 'react';
import { firstChoice, type LineChoice, onlyThese, toggled } from './line-choice.ts';
import { LineSample } from './line-sample.tsx';
import { type Colours, lineStyleOf } from './theme.ts';
import type { DatasetSummary } from './worker/protocol.ts';

/** The most names that are listed at a time. */
const MAX_NAMES = 60;

/**
 * The names of the lines. Each is a button that shows or hides its line, with one that shows it alone, or all lines again. A filter
 * finds one among many. Where the charts show all that the filter finds, there is only the filter.
 */
export function Legend(props: {
  dataset: DatasetSummary;
  /** The assets that the filter lets through. */
  candidates: readonly number[];
  choice: LineChoice;
  drawn: readonly number[];
  slots: ReadonlyMap<number, number>;
  colours: Colours;
  onChoice: (choice: LineChoice) => void;
  hasAll: boolean;
}) {
  const { dataset, candidates, choice, drawn, slots, colours, onChoice, hasAll } = props;
  const id = useId();
  const total = dataset.assets.length;
  const others = candidates.filter((asset) => !slots.has(asset));
  const isAlone = (asset: number) => drawn.length === 1 && drawn[0] === asset;
  const listed = [...drawn, ...others.slice(0, Math.max(0, MAX_NAMES - drawn.length))].sort((a, b) => a - b);
  return (
    <fieldset className="response-lines" aria-label="Lines">
      {total > 1 && (
        <div className="response-tools">
          <output className="response-count">
            {drawn.length} of {total}
          </output>
          <label htmlFor={id}>Filter</label>
          <input
            id={id}
            type="search"
            value={choice.filter}
            onChange={(event) => onChoice({ ...choice, filter: event.target.value })}
            placeholder="name or id"
            spellCheck={false}
          />
          {!hasAll && (
            <>
              <button type="button" onClick={() => onChoice({ ...firstChoice, filter: choice.filter, base: 'all' })}>
                All
              </button>
              <button type="button" onClick={() => onChoice({ ...firstChoice, filter: choice.filter, base: 'none' })}>
                None
              </button>
              {choice !== firstChoice && (
                <button type="button" onClick={() => onChoice(firstChoice)}>
                  Reset
                </button>
              )}
            </>
          )}
        </div>
      )}
      {!hasAll && (total > 1 || dataset.assets[0]?.label !== '') && (
        <ul className="response-legend" aria-label="Lines">
          {listed.map((asset) => (
            <li key={asset}>
              <button
                type="button"
                aria-pressed={slots.has(asset)}
                onClick={() => onChoice(toggled(dataset.assets, choice, asset))}
              >
                <Swatch colours={colours} slot={slots.get(asset)} />
                {dataset.assets[asset]?.label}
              </button>
              {total > 1 && (
                <button
                  type="button"
                  className="response-only"
                  aria-label={isAlone(asset) ? 'All lines again' : `Only ${dataset.assets[asset]?.label}`}
                  onClick={() =>
                    onChoice({
                      ...(isAlone(asset) ? firstChoice : onlyThese([dataset.assets[asset]?.label ?? ''])),
                      filter: choice.filter,
                    })
                  }
                >
                  {isAlone(asset) ? 'all' : 'only'}
                </button>
              )}
            </li>
          ))}
          {candidates.length > listed.length && <li>and {candidates.length - listed.length} more</li>}
        </ul>
      )}
    </fieldset>
  );
}

/** A sample of a line. */
function Swatch({ colours, slot }: { colours: Colours; slot: number | undefined }) {
  return slot === undefined ? null : <LineSample style={lineStyleOf(colours, slot)} />;
}
