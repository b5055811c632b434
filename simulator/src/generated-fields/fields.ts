import { type Crop, MAX_DELAY, makeCrops } from './crops.ts';
import { DAY_COUNT, dayOf } from './days.ts';
import { randomDeviation, randomNumber } from './noise.ts';
import { makeRegions, type Region } from './regions.ts';

/** A generated field. */
export interface Field {
  /** From 0 on. */
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly region: Region;
  readonly crop: Crop;
  readonly latitude: number;
  readonly longitude: number;
  readonly areaM2: number;
  /** The first day with rows. */
  readonly first: number;
  /** How many days later than its crop it grows. */
  readonly delay: number;
  /** The factors of its NDVI and its soil moisture, compared with its crop and its region. */
  readonly vigour: number;
  readonly wetness: number;
  /** How much warmer than its region it is, in °C. */
  readonly warmth: number;
  /** Whether the hailstorm hits it. */
  readonly isHit: boolean;
  /** The day from which its soil sensor is stuck. */
  readonly stuckFrom: number;
}

/** The number of fields. */
const FIELD_COUNT = 1000;

/** How far from the centre of the region the hailstorm reaches, in degrees of latitude. */
const HAIL_RADIUS = 0.12;

/** Makes the fields: as many in each region, around its centre. One in 20 begins later. */
export function makeFields(): Field[] {
  const regions = makeRegions();
  const crops = makeCrops();
  return Array.from({ length: FIELD_COUNT }, (_, index) => {
    const region = regions[Math.floor((index * regions.length) / FIELD_COUNT)] as Region;
    const number = String(index + 1).padStart(4, '0');
    const random = (property: number) => randomNumber(index, DAY_COUNT + property);
    const north = 0.35 * randomDeviation(index, DAY_COUNT);
    const east = 0.55 * randomDeviation(index, DAY_COUNT + 1);
    return {
      index,
      id: `field-${number}`,
      name: `Field ${number}, ${region.name}`,
      region,
      crop: crops[Math.floor(random(2) * crops.length)] as Crop,
      latitude: fourDecimals(region.latitude + north),
      longitude: fourDecimals(region.longitude + east),
      areaM2: 100 * Math.round(400 + 3400 * random(3) * random(8)),
      first: index % 20 === 19 ? dayOf('2024-03-01') : 0,
      delay: Math.max(-MAX_DELAY, Math.min(region.delay + Math.round(16 * random(4) - 8), MAX_DELAY)),
      vigour: 0.88 + 0.18 * random(5),
      wetness: 0.85 + 0.3 * random(6),
      warmth: 1.6 * random(7) - 0.8,
      isHit: region.name === 'centre' && isWithinHail(north, east),
      stuckFrom: number === '0417' ? dayOf('2024-05-06') : DAY_COUNT,
    };
  });
}

/** Whether a place so far from the centre of its region, in degrees, is within the hail. */
function isWithinHail(north: number, east: number): boolean {
  const [y, x] = [north / HAIL_RADIUS, east / (1.6 * HAIL_RADIUS)];
  return y * y + x * x < 1;
}

function fourDecimals(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
