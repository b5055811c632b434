import type { Colours } from './theme.ts';

/** The range of values that the colours stand for. Values beyond it are outliers. */
export interface Scale {
  readonly min: number;
  readonly max: number;
}

/** Whether a value is an outlier: 1 above the scale, -1 below it, 0 if it is none or missing. */
export function outlierSide({ min, max }: Scale, value: number): 1 | 0 | -1 {
  if (value > max) return 1;
  return value < min ? -1 : 0;
}

/** The mark of an outlier. @param side what `outlierSide` says of it */
export function outlierMark(side: number): string {
  return side > 0 ? '▲' : '▼';
}

/** The colour of a value, from that of the lowest to that of the highest value. Equal bounds have the colour in the middle. */
export function valueColour({ heat, outlier }: Colours, scale: Scale, value: number): string {
  if (outlierSide(scale, value) !== 0) return outlier;
  const { min, max } = scale;
  const steps = heat.length - 1;
  const place = (max === min ? 0.5 : (value - min) / (max - min)) * steps;
  const step = Math.min(Math.floor(place), steps - 1);
  const [low, high] = [heat[step] ?? [0, 0, 0], heat[step + 1] ?? [0, 0, 0]];
  const channels = low.map((channel, index) => Math.round(channel + ((high[index] ?? 0) - channel) * (place - step)));
  return `rgb(${channels.join(', ')})`;
}
