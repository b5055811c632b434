import { timeText } from './worker/dates.ts';
import type { DatasetSummary } from './worker/protocol.ts';

/** The date at an x as text. */
export function dateText({ isTime, texts }: DatasetSummary, x: number): string {
  return isTime ? timeText(x) : (texts[x] ?? '');
}
