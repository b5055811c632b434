import './choice.css';
import { useId, useMemo, useState } from 'react';
import { anyOption, categoriesOf, isFound, type OptionFilter } from './option-filter.ts';
import type { Option } from './outline.ts';
import { useDropdown } from './use-dropdown.ts';

/** The maximum number of options that are shown at once. The filter finds the others. */
const MAX_SHOWN = 200;

interface ChoiceProps {
  /** What is chosen, such as "Assets". */
  readonly label: string;
  /** Undefined: not known yet. */
  readonly options: readonly Option[] | undefined;
  /** Why the options are not known. */
  readonly hint: string;
  /** The ids of the chosen options. Undefined: all. */
  readonly chosen: readonly string[] | undefined;
  readonly onChange: (chosen: readonly string[] | undefined) => void;
  readonly onOpen?: () => void;
  /** The filter of the list, and what changes it. By default the list keeps its own. */
  readonly filter?: OptionFilter;
  readonly onFilter?: (filter: OptionFilter) => void;
}

/** A button that opens a list of options with check boxes and a filter. */
export function Choice(props: ChoiceProps) {
  const { label, options, hint, chosen, onChange, onOpen } = props;
  const dropdown = useDropdown();
  const [ownFilter, setOwnFilter] = useState(anyOption);
  const { filter = ownFilter, onFilter = setOwnFilter } = props;
  const countId = useId();
  const categories = useMemo(() => categoriesOf(options ?? []), [options]);
  const found = (options ?? []).filter((option) => isFound(option, filter));
  const isChosen = (id: string) => chosen?.includes(id) ?? true;
  /** Chooses the options that pass a test, in the order of the options. */
  const choose = (passes: (id: string) => boolean) => {
    const ids = (options ?? []).map(({ id }) => id).filter(passes);
    onChange(ids.length === options?.length ? undefined : ids);
  };
  const foundIds = new Set(found.map(({ id }) => id));
  const total = options?.length ?? 0;
  return (
    <details
      {...dropdown}
      name="picker"
      className="choice"
      onToggle={(event) => event.currentTarget.open && onOpen?.()}
    >
      <summary>
        {label} <span className="choice-count">{countText(chosen, total)}</span>
      </summary>
      <div className="choice-list">
        {options === undefined ? (
          <p role="status">{hint}</p>
        ) : (
          <>
            <input
              type="search"
              aria-label={`Filter ${label.toLowerCase()}`}
              aria-describedby={countId}
              placeholder="Filter"
              value={filter.text}
              onChange={(event) => onFilter({ ...filter, text: event.target.value })}
            />
            {categories.length > 1 && (
              <select
                aria-label={`Category of ${label.toLowerCase()}`}
                value={filter.category}
                onChange={(event) => onFilter({ ...filter, category: event.target.value })}
              >
                <option value="">All categories</option>
                {categories.map((category) => (
                  <option key={category}>{category}</option>
                ))}
              </select>
            )}
            <p className="choice-actions">
              <button type="button" onClick={() => choose((id) => isChosen(id) || foundIds.has(id))}>
                All
              </button>
              <button type="button" onClick={() => choose((id) => isChosen(id) && !foundIds.has(id))}>
                None
              </button>
              <span id={countId} role="status">
                {found.length > MAX_SHOWN
                  ? `${MAX_SHOWN} of ${found.length} shown`
                  : `${found.length} of ${total} shown`}
              </span>
            </p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
            <ul tabIndex={0} aria-label={label}>
              {found.slice(0, MAX_SHOWN).map(({ id, name }) => (
                <li key={id}>
                  <label>
                    <input
                      type="checkbox"
                      checked={isChosen(id)}
                      onChange={() => choose((other) => (other === id ? !isChosen(id) : isChosen(other)))}
                    />
                    {name} {name !== id && <small>{id}</small>}
                  </label>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </details>
  );
}

function countText(chosen: readonly string[] | undefined, total: number): string {
  if (chosen === undefined) return total === 0 ? 'all' : `all ${total}`;
  return total === 0 ? String(chosen.length) : `${chosen.length} of ${total}`;
}
