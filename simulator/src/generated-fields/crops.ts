import { DAY_COUNT, dayOfYear } from './days.ts';

/** A crop, and how it grows. */
export interface Crop {
  readonly name: string;
  /** The NDVI of each day, from `MAX_DELAY` days before the first to as many after the last. */
  readonly growth: Float64Array;
}

/** The maximum number of days by which a field is earlier or later than its crop. */
export const MAX_DELAY = 24;

/** The NDVI at days of the year, from 0 on. It is linear between them; a steep fall is a harvest or a cut. */
type Points = readonly (readonly [day: number, ndvi: number])[];

const points: Readonly<Record<string, Points>> = {
  'winter wheat': [
    [0, 0.32],
    [60, 0.38],
    [100, 0.62],
    [130, 0.84],
    [160, 0.8],
    [185, 0.52],
    [200, 0.32],
    [203, 0.18],
    [250, 0.16],
    [280, 0.15],
    [300, 0.22],
    [335, 0.3],
    [366, 0.32],
  ],
  maize: [
    [0, 0.15],
    [120, 0.16],
    [150, 0.28],
    [180, 0.66],
    [205, 0.86],
    [235, 0.84],
    [255, 0.66],
    [268, 0.5],
    [270, 0.2],
    [300, 0.17],
    [366, 0.15],
  ],
  'sugar beet': [
    [0, 0.15],
    [100, 0.16],
    [140, 0.35],
    [175, 0.8],
    [230, 0.86],
    [275, 0.74],
    [295, 0.62],
    [297, 0.18],
    [366, 0.15],
  ],
  grassland: [
    [0, 0.45],
    [80, 0.5],
    [120, 0.74],
    [140, 0.8],
    [142, 0.52],
    [165, 0.74],
    [195, 0.76],
    [197, 0.5],
    [230, 0.7],
    [270, 0.68],
    [320, 0.55],
    [366, 0.45],
  ],
};

/** Makes the crops. */
export function makeCrops(): Crop[] {
  return Object.entries(points).map(([name, ndvis]) => ({
    name,
    growth: Float64Array.from({ length: DAY_COUNT + 2 * MAX_DELAY }, (_, index) =>
      ndviAt(ndvis, dayOfYear(index - MAX_DELAY)),
    ),
  }));
}

function ndviAt(ndvis: Points, day: number): number {
  const next = ndvis.findIndex(([at]) => at > day);
  const [from, before] = ndvis[next - 1] ?? [0, 0];
  const [to, after] = ndvis[next] ?? [1, 0];
  return before + ((after - before) * (day - from)) / (to - from);
}
