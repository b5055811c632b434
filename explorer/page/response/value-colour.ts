import type { Colours } from './theme.ts';

/** The range of values that the colours stand for. */
export interface Scale {
  readonly min: number;
  readonly max: number;
}

/** The colour of a value, from that of the lowest to that of the highest value. Equal bounds have the colour in the middle. */
export function valueColour({ heat }: Colours, { min, max }: Scale, value: number): string {
  const steps = heat.length - 1;
  const place = (max === min ? 0.5 : Math.min(Math.max((value - min) / (max - min), 0), 1)) * steps;
  const step = Math.min(Math.floor(place), steps - 1);
  const [low, high] = [heat[step] ?? [0, 0, 0], heat[step + 1] ?? [0, 0, 0]];
  const channels = low.map((channel, index) => Math.round(channel + ((high[index] ?? 0) - channel) * (place - step)));
  return `rgb(${channels.join(', ')})`;
}
