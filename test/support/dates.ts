/** Dates once more and otherwise: as patterns, with the calendar of JavaScript, and exact. */

const zone = String.raw`(?:\[[^[\]]+\])?`;
const offset = String.raw`(?:([Zz])${zone}|([+-]\d\d):?(\d\d)?${zone})?`;
const extended = String.raw`(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?${offset})?`;
const basic = String.raw`(\d{4})(\d\d)(\d\d)(?:[Tt ](\d\d)(\d\d)(?:(\d\d)(?:[.,](\d+))?)?${offset})?`;

const ofRows = [extended, basic, String.raw`(\d{4})-(\d\d)`, String.raw`(\d{4})`].map(
  (form) => new RegExp(`^${form}$`),
);
const ofInput = /^\d{4}-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:\d\d)?))?)?$/i;

const NS_PER_SECOND = 1_000_000_000n;

interface Parsed {
  readonly nanoseconds: bigint;
  /** Whether it has no time of day. */
  readonly isDay: boolean;
  /** Whether nothing but zeros was cut off, and it is no leap second. */
  readonly isExact: boolean;
}

function parse(text: string): Parsed | undefined {
  const found = ofRows.map((form) => form.exec(text)).find((each) => each !== null);
  if (found === undefined) return undefined;
  const [, year, month = '01', day = '01', hours, minutes = '00', seconds = '00', fraction = '', , ...shift] = found;
  const [offsetHours = '+00', offsetMinutes = '00'] = shift;
  // A colon stands before minutes.
  if (/[+-]\d\d:(?!\d\d)/.test(text.replace(/\[.*/, ''))) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() + 1 !== Number(month) || date.getUTCDate() !== Number(day)) return undefined;
  if (Number(hours ?? 0) > 23 || Number(minutes) > 59 || Number(seconds) > 60) return undefined;
  if (Math.abs(Number(offsetHours)) > 23 || Number(offsetMinutes) > 59) return undefined;
  const ahead = BigInt(Math.abs(Number(offsetHours)) * 60 + Number(offsetMinutes)) * 60n;
  const isLeap = seconds === '60';
  const whole =
    BigInt(date.getTime()) / 1000n +
    (BigInt(hours ?? 0) * 60n + BigInt(minutes)) * 60n +
    BigInt(seconds) -
    (offsetHours.startsWith('-') ? -ahead : ahead);
  return {
    nanoseconds: whole * NS_PER_SECOND + (isLeap ? 0n : BigInt(fraction.padEnd(9, '0').slice(0, 9))),
    isDay: hours === undefined,
    isExact: !isLeap && /^0*$/.test(fraction.slice(9)),
  };
}

/** The nanoseconds of a row's date since 1970. Undefined if it cannot be read, and without one. */
export function nanosecondsOf(text: string | null | undefined): bigint | undefined {
  return parse(text ?? '')?.nanoseconds;
}

/** Whether a row's date is a day, a month or a year. */
export const isDay = (text: string) => parse(text)?.isDay ?? false;

/** Whether a file keeps all of a row's date if it gives it a type. */
export const isExact = (text: string) => parse(text)?.isExact ?? false;

/** The milliseconds of a date in input. Undefined for another text, also for digits. */
export function inputMilliseconds(text: string): bigint | undefined {
  const nanoseconds = ofInput.test(text) ? nanosecondsOf(text) : undefined;
  return nanoseconds === undefined ? undefined : floorDivide(nanoseconds, 1_000_000n);
}

/** A quotient, rounded down. */
export function floorDivide(over: bigint, under: bigint): bigint {
  return over / under - (over % under < 0n ? 1n : 0n);
}
