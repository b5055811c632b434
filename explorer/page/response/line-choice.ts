import { containsText } from '../text-filter.ts';
import type { AssetSummary } from './worker/protocol.ts';

/** The lines that are drawn at first, and the most that are drawn. */
export const FIRST_LINES = 20;
const MAX_LINES = 100;

/** Which lines a user wants to see. Each has the label of its asset. */
export interface LineChoice {
  /** Only assets whose name or id contains this text. */
  readonly filter: string;
  /** Whether the first lines, all, or none are drawn, except those that are hidden or added. */
  readonly base: 'first' | 'all' | 'none';
  readonly hidden: readonly string[];
  readonly added: readonly string[];
}

/** What is drawn at first. */
export const firstChoice: LineChoice = { filter: '', base: 'first', hidden: [], added: [] };

/** Draws these lines and no other. */
export function onlyThese(labels: readonly string[]): LineChoice {
  return { filter: '', base: 'none', hidden: [], added: labels };
}

/** The assets that the filter lets through. */
export function candidatesOf(assets: readonly AssetSummary[], { filter }: LineChoice): number[] {
  return assets.flatMap(({ id, label }, index) => (containsText(filter, id, label) ? [index] : []));
}

/** The number of the first candidates that each base draws. */
const countOf = { first: FIRST_LINES, all: MAX_LINES, none: 0 };

/** The assets that are drawn: of the candidates, those that are switched on, up to a limit. */
export function drawnOf(assets: readonly AssetSummary[], candidates: readonly number[], choice: LineChoice): number[] {
  const [hidden, added] = [new Set(choice.hidden), new Set(choice.added)];
  const isOn = (asset: number, position: number) => {
    const label = assets[asset]?.label ?? '';
    return !hidden.has(label) && (position < countOf[choice.base] || added.has(label));
  };
  return candidates.filter(isOn).slice(0, MAX_LINES);
}

/** Switches the line of one asset on or off. What else is drawn stays as it is. */
export function toggled(assets: readonly AssetSummary[], choice: LineChoice, asset: number): LineChoice {
  const label = assets[asset]?.label ?? '';
  const candidates = candidatesOf(assets, choice);
  const isDrawnIn = (other: LineChoice) => drawnOf(assets, candidates, other).includes(asset);
  const others = (labels: readonly string[]) => labels.filter((other) => other !== label);
  const untouched = { ...choice, hidden: others(choice.hidden), added: others(choice.added) };
  if (isDrawnIn(untouched) !== isDrawnIn(choice)) return untouched;
  return isDrawnIn(choice)
    ? { ...untouched, hidden: [...untouched.hidden, label] }
    : { ...untouched, added: [...untouched.added, label] };
}

/** Gives each drawn asset a slot, which decides its colour and dash. An asset keeps its slot as long as it is drawn. */
export function assignSlots(previous: ReadonlyMap<number, number>, drawn: readonly number[]): Map<number, number> {
  const slots = new Map<number, number>();
  for (const asset of drawn) {
    const kept = previous.get(asset);
    if (kept !== undefined) slots.set(asset, kept);
  }
  const taken = new Set(slots.values());
  let next = 0;
  for (const asset of drawn) {
    if (slots.has(asset)) continue;
    while (taken.has(next)) next++;
    slots.set(asset, next++);
  }
  return slots;
}
