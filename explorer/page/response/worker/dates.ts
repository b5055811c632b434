const isoDate = /^\d{4}(-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?)?)?$/;

/** The plausible times among numbers: from 1990 to 2100, in milliseconds. */
const [FIRST_TIME, LAST_TIME] = [Date.UTC(1990), Date.UTC(2100)];

/**
 * The time of a date in milliseconds since 1970; undefined for any other text. The service does not document the format of its
 * dates: this is ISO 8601 with a leading year, with `T` or a space before the time of day, in UTC without an offset; or seconds
 * or milliseconds since 1970.
 */
export function timeOf(date: string): number | undefined {
  if (/^\d{9,}$/.test(date)) return [Number(date), Number(date) * 1000].find(isPlausible);
  const parts = isoDate.exec(date);
  if (parts === null) return undefined;
  const [, , , clock, , , offset] = parts;
  // Without an offset JavaScript would use local time.
  const time = Date.parse(clock === undefined ? date : `${date.replace(' ', 'T')}${offset === undefined ? 'Z' : ''}`);
  return Number.isNaN(time) ? undefined : time;
}

function isPlausible(time: number): boolean {
  return time >= FIRST_TIME && time < LAST_TIME;
}

/** A point in time as text, without a time of day that is midnight. */
export function timeText(time: number): string {
  const text = new Date(time).toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.replace('T', ' ').replace('.000Z', ' UTC');
}

/** The day of a point in time without its year, such as "1 Jan", and the time of day unless it is midnight. */
export function dayText(time: number): string {
  const [, day, month, , clock = ''] = new Date(time).toUTCString().split(' ');
  return `${Number(day)} ${month}${clock === '00:00:00' ? '' : ` ${clock.slice(0, 5)} UTC`}`;
}
