const isoDate = /^\d{4}(-\d{2}(-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?)?)?$/;

/**
 * The time of a date in ISO 8601 with a leading year, in milliseconds since 1970 in UTC; undefined for any other text. The
 * service does not document the format of its dates.
 */
export function timeOf(date: string): number | undefined {
  const parts = isoDate.exec(date);
  if (parts === null) return undefined;
  const [, , , clock, , , offset] = parts;
  // Without an offset JavaScript would use local time.
  const time = Date.parse(clock !== undefined && offset === undefined ? `${date}Z` : date);
  return Number.isNaN(time) ? undefined : time;
}

/** A point in time as text, without a time of day that is midnight. */
export function timeText(time: number): string {
  const text = new Date(time).toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.replace('T', ' ').replace('.000Z', ' UTC');
}
