import type { AssetSummary } from './worker/protocol.ts';

/** The lines that are drawn at first, and the most that are drawn. */
export const FIRST_LINES = 20;
export const MAX_LINES = 100;

/** Which assets a user wants to see. */
export interface LineChoice {
  /** Only assets whose name or id contains this text. */
  readonly filter: string;
  /** Whether the first lines, all, or none are drawn, except those in `flipped`. */
  readonly base: 'first' | 'all' | 'none';
  /** The assets for which the opposite holds. */
  readonly flipped: ReadonlySet<number>;
}

/** What is drawn at first. */
export const firstChoice: LineChoice = { filter: '', base: 'first', flipped: new Set() };

/** Draws one asset, or those of one place, and no other. */
export function onlyThese(assets: readonly number[]): LineChoice {
  return { filter: '', base: 'none', flipped: new Set(assets) };
}

/** The assets that the filter lets through. */
export function candidatesOf(assets: readonly AssetSummary[], { filter }: LineChoice): number[] {
  const wanted = filter.trim().toLowerCase();
  return assets.flatMap(({ id, label }, index) => (`${id}\n${label}`.toLowerCase().includes(wanted) ? [index] : []));
}

/** The assets that are drawn: of the candidates, those that are switched on, up to a limit. */
export function drawnOf(candidates: readonly number[], { base, flipped }: LineChoice): number[] {
  const isOn = (asset: number) => flipped.has(asset) === (base === 'none');
  return candidates.filter(isOn).slice(0, base === 'first' ? FIRST_LINES : MAX_LINES);
}

/** Switches the line of one asset on or off. What else is drawn stays as it is. */
export function toggled(choice: LineChoice, drawn: readonly number[], asset: number): LineChoice {
  const isDrawn = drawn.includes(asset);
  // The first lines are a window: if one were taken out of it, another would come in.
  const next = new Set(drawn);
  if (isDrawn) next.delete(asset);
  else next.add(asset);
  return { ...choice, base: 'none', flipped: next };
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
