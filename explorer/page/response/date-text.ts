import { dayText, timeText } from './worker/dates.ts';
import type { DatasetSummary } from './worker/protocol.ts';

/** The date at an x as text: without a year where years are compared, and two dates where two time ranges are. */
export function dateText({ isTime, texts, overlay }: DatasetSummary, x: number): string {
  if (overlay?.kind === 'years') return dayText(x);
  if (overlay?.kind === 'ranges') return `${timeText(x)}, earlier ${timeText(x - overlay.shift)}`;
  return isTime ? timeText(x) : (texts[x] ?? '');
}
