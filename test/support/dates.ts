const dateForm = /^\d{4}-\d\d-\d\d$/;
const timeForm = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|z|[+-]\d\d:\d\d)?$/;

/** Whether a text has the form of an RFC 3339 date. */
export const isDate = (text: string) => dateForm.test(text);

/** The picoseconds of a date or date-time since 1970, in UTC without an offset; undefined for anything else. */
export function picoseconds(text: string): bigint | undefined {
  const [, date, time, fraction = '', zone = 'Z'] = timeForm.exec(isDate(text) ? `${text}T00:00:00` : text) ?? [];
  if (date === undefined) return undefined;
  const [sign, hours, minutes] = zone.length === 1 ? ['+', 0, 0] : [zone[0], zone.slice(1, 3), zone.slice(4)];
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  return BigInt(Date.parse(`${date}T${time}Z`) - offset) * 1_000_000_000n + BigInt(fraction.padEnd(12, '0'));
}
