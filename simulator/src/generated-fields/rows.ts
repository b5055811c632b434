import { MAX_DELAY } from './crops.ts';
import { DAY_COUNT, dateOf, dayOf } from './days.ts';
import type { Field } from './fields.ts';
import { randomBits } from './noise.ts';

/** The names of the metrics. */
export const metricNames = ['ndvi', 'soil_moisture', 'surface_temperature'] as const;

const HAIL_DAY = dayOf('2024-06-18');
/** The share of the NDVI that the hailstorm takes, and the days until it is back. */
const HAIL_LOSS = 0.55;
const RECOVERY_DAYS = 75;
/** What the stuck soil sensor says, in %. */
const STUCK_MOISTURE = '97.3';

/** The text of each number of decimals from `lowest` on, to be looked up instead of formatted. */
function decimalTexts(lowest: number, highest: number, perUnit: number): string[] {
  return Array.from({ length: highest - lowest + 1 }, (_, index) => String((lowest + index) / perUnit));
}

const thousandths = decimalTexts(0, 1000, 1000);
const LOWEST_TENTH = -600;
const tenths = decimalTexts(LOWEST_TENTH, 1000, 10);

function toTenths(value: number): string {
  return tenths[Math.round(value * 10) - LOWEST_TENTH] as string;
}

const [NDVI, MOISTURE, TEMPERATURE] = metricNames;
/** The bytes of a row around its values. All rows have the same metrics, so that the day is the only other part. */
const rowStarts = Array.from(
  { length: DAY_COUNT },
  (_, day) => `,{"value_date":"${dateOf(day)}","metrics":[{"name":"${NDVI}","value":`,
);
const beforeMoisture = `},{"name":"${MOISTURE}","value":`;
const beforeTemperature = `},{"name":"${TEMPERATURE}","value":`;
const rowEnd = '}]}';

/** The rows (§2.6) of a field for days, as JSON with commas in between. The end is exclusive. Empty without rows. */
export function rowsText(field: Field, first: number, end: number): string {
  const { crop, region, vigour, wetness, warmth, isHit, stuckFrom } = field;
  const { temperatures, moistures, clouds } = region.weather;
  const [outageStart, outageEnd] = region.outage;
  let rows = '';
  for (let day = first; day < end; day += 1) {
    if (day >= outageStart && day < outageEnd) continue;
    // Four random numbers, from 0 to 255.
    const bits = randomBits(field.index, day);
    const ndvi =
      (crop.growth[day - field.delay + MAX_DELAY] as number) * vigour * (isHit ? afterHail(day) : 1) +
      ((bits & 0xff) - 128) / 12_000;
    const isCloudy = (bits >>> 24) / 256 < (clouds[day] as number);
    const moisture = (moistures[day] as number) * wetness + (((bits >>> 8) & 0xff) - 128) / 160;
    const temperature =
      (temperatures[day] as number) + warmth + 4 * (0.5 - ndvi) + (((bits >>> 16) & 0xff) - 128) / 200;
    rows +=
      rowStarts[day] +
      (isCloudy ? 'null' : (thousandths[Math.round(ndvi * 1000)] as string)) +
      beforeMoisture +
      (day < stuckFrom ? toTenths(moisture) : STUCK_MOISTURE) +
      beforeTemperature +
      toTenths(temperature) +
      rowEnd;
  }
  return rows.slice(1);
}

/** The factor of the NDVI after the hailstorm: the plants recover day by day. */
function afterHail(day: number): number {
  const days = day - HAIL_DAY;
  return days < 0 || days >= RECOVERY_DAYS ? 1 : 1 - HAIL_LOSS * (1 - days / RECOVERY_DAYS);
}
