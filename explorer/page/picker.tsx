import { useGraphiQLActions } from '@graphiql/react';
import { type FormEvent, useCallback, useEffect, useId, useRef, useState } from 'react';
import { placeholders } from '../src/examples.ts';
import { Choice } from './choice.tsx';
import type { Outline } from './outline.ts';
import type { Access } from './post.ts';
import { type RecentDataset, recentDatasets, rememberDataset } from './recent.ts';
import { responseStore } from './response/response-store.ts';
import { isPicked, type Selection, selectionOf, textOf, wholeDataset } from './selection.ts';
import type { PageOperations, Settings } from './settings.ts';
import type { TabText } from './tab-text.ts';
import { type FailedOutline, type OutlineState, useOutline } from './use-outline.ts';
import { useTabs } from './use-tabs.ts';

/** The number of assets that are chosen at first. More make a chart that nobody can read. */
const MAX_FIRST_ASSETS = 20;

interface PickerProps {
  readonly settings: Settings;
  readonly access: () => Access;
}

/** Writes an operation from a dataset, its assets, its metrics and a time range, and runs it. */
export function Picker({ settings, access }: PickerProps) {
  const { run, stop } = useGraphiQLActions();
  const { operations } = settings;
  const tabs = useTabs();
  const { text } = tabs;
  const [selection, setSelection] = useState<Selection>(() => selectionIn(text, operations) ?? wholeDataset(''));
  const [message, setMessage] = useState('');
  const listId = useId();

  // The picker follows the open tab, unless it selects no dataset.
  useEffect(() => {
    const shown = selectionIn(text, operations);
    if (shown !== undefined) setSelection(shown);
  }, [text, operations]);

  const show = (chosen: Selection) => {
    if (chosen.datasetId === '') return setMessage('Enter the id of a dataset.');
    if (chosen.assetIds?.length === 0) return setMessage('Choose at least one asset.');
    if (chosen.metrics?.length === 0) return setMessage('Choose at least one metric.');
    if (chosen.from !== '' && chosen.to !== '' && chosen.from > chosen.to)
      return setMessage('The first day must not be after the last day.');
    setMessage('');
    stop();
    // A text that somebody has written stays in its tab.
    if (isPicked(tabs.now(), operations)) tabs.replace(textOf(chosen, operations));
    else tabs.open(textOf(chosen, operations));
    run();
  };
  const latest = useRef({ show, selection, tab: tabs.id });
  latest.current = { show, selection, tab: tabs.id };

  // Of a dataset that is new here, the first assets are chosen when it is known how many there are.
  const newDataset = useRef('');
  // The dataset that is to be shown, and the tab in which that was asked for.
  const toShow = useRef<{ datasetId: string; tab: string }>(undefined);
  // The dataset whose failure stands in the response.
  const [refused, setRefused] = useState('');
  const onOutline = useCallback(
    (id: string, end: FailedOutline | Outline) => {
      const { selection, show, tab } = latest.current;
      const asked = toShow.current?.datasetId === id ? toShow.current : undefined;
      if (asked !== undefined) toShow.current = undefined;
      if ('kind' in end) {
        if (asked === undefined) return;
        // What runs there would come later.
        if (asked.tab === tab) stop();
        refuse(asked.tab, end);
        setRefused(id);
        return;
      }
      if (settings.datasets.every((dataset) => dataset.id !== id)) rememberDataset({ id, name: end.name });
      if (selection.datasetId !== id) return;
      const isToShow = asked?.tab === tab;
      const next = newDataset.current === id || isToShow ? firstSelection(selection, end) : selection;
      newDataset.current = '';
      setSelection(next);
      if (isToShow && end.assets.length > 0) show(next);
    },
    [settings, stop],
  );
  const [state, load] = useOutline(selection.datasetId, operations, access, onOutline);

  const outline = state.kind === 'ready' ? state.outline : undefined;
  const hint = hintOf(state);
  const change = (part: Partial<Selection>) => {
    setMessage('');
    setSelection({ ...selection, ...part });
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const isKnown = state.kind === 'ready' || selection.assetIds !== undefined;
    if (isKnown || selection.datasetId === '') return show(selection);
    toShow.current = { datasetId: selection.datasetId, tab: tabs.id };
    load();
  };
  return (
    <form className="picker" aria-label="Picker" onSubmit={onSubmit}>
      <label className="picker-dataset">
        Dataset
        <input
          list={listId}
          value={selection.datasetId}
          onChange={(event) => {
            const datasetId = event.target.value.trim();
            newDataset.current = datasetId;
            toShow.current = undefined;
            setMessage('');
            setSelection(wholeDataset(datasetId));
          }}
          onBlur={() => newDataset.current !== '' && load()}
          placeholder="id"
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <datalist id={listId}>
        {knownDatasets(settings).map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
      <Choice
        label="Assets"
        options={outline?.assets}
        hint={hint}
        chosen={selection.assetIds}
        onChange={(assetIds) => change({ assetIds })}
        onOpen={load}
      />
      <Choice
        label="Metrics"
        options={outline?.metrics}
        hint={hint}
        chosen={selection.metrics}
        onChange={(metrics) => change({ metrics })}
        onOpen={load}
      />
      <label>
        From
        <input type="date" value={selection.from} onChange={(event) => change({ from: event.target.value })} />
      </label>
      <label>
        To
        <input type="date" value={selection.to} onChange={(event) => change({ to: event.target.value })} />
      </label>
      <button type="submit">Show</button>
      <p className="picker-status" role="status">
        {message || (state.kind === 'failed' && refused === selection.datasetId ? '' : statusOf(state))}
      </p>
    </form>
  );
}

/** The selection of the text of a tab, without the placeholders of the examples. */
function selectionIn(text: TabText, operations: PageOperations): Selection | undefined {
  const selection = selectionOf(text, operations);
  return selection?.datasetId === placeholders.datasetId ? undefined : selection;
}

/** All of a dataset, or the first of its many assets. */
function firstSelection(selection: Selection, { assets }: Outline): Selection {
  if (selection.assetIds !== undefined || assets.length <= MAX_FIRST_ASSETS) return selection;
  return { ...selection, assetIds: assets.slice(0, MAX_FIRST_ASSETS).map(({ id }) => id) };
}

/** Shows in the response of a tab why a dataset cannot be shown. The response before was of another question. */
function refuse(tab: string, { message, errors }: FailedOutline): void {
  if (errors.length > 0) responseStore.set(tab, { kind: 'refused', errors });
  else responseStore.set(tab, { kind: 'failed', failure: { kind: 'network', detail: message } });
}

function knownDatasets({ datasets }: Settings): readonly RecentDataset[] {
  return datasets.length > 0 ? datasets.filter(({ hasAssets }) => hasAssets) : recentDatasets();
}

function hintOf(state: OutlineState): string {
  if (state.kind === 'failed') return state.message;
  return state.kind === 'none' ? 'Enter the id of a dataset.' : 'Reading what the dataset holds …';
}

function statusOf(state: OutlineState): string {
  if (state.kind === 'none') return '';
  if (state.kind !== 'ready') return hintOf(state);
  const { name, assets, metrics, days } = state.outline;
  if (assets.length === 0) return `${name} has no assets. A static dataset is a file: see the tab Download.`;
  const [first, last] = days;
  const time = first !== '' && last !== '' ? `, ${first} to ${last}` : '';
  return `${name}: ${count(assets.length, 'asset')}, ${count(metrics.length, 'metric')}${time}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
