import type { Dice } from '../support/fast-path-json.ts';

/** Random dates of rows, as JSON. */

/** A date as JSON, undefined if it is absent, and its milliseconds, if the service knows them. */
export interface Dated {
  readonly text: string | undefined;
  readonly millis: number | undefined;
}

const DAY = 86_400_000;
const YEARS = [2024, 2023, 2000, 1900, 1970, 1969, 2021, 0, 9999];

const startOf = (year: number) => Date.parse(`${String(year).padStart(4, '0')}-01-01T00:00:00Z`);
const at = (millis: number, form: (iso: string) => string): Dated => ({
  text: JSON.stringify(form(new Date(millis).toISOString())),
  millis,
});

const OFFSETS = ['', 'Z', 'z', '+00:00', '-00:00', '+14:00', '-23:59', '+05:45'];
const FRACTIONS = ['', '', '.5', '.123456', '.999999', '.9999999999999999999999'];
/** Forms that RFC 3339 does not have. */
const FRACTIONS_OF_NS = ['', '.123456789', '.123456788', ',5', '.000000001', '.0000000009'];
const OFFSETS_OF_ISO = ['', 'Z', '+0000', '+00', '-0530', 'Z[UTC]', '+01:00[Europe/Paris]', '+02'];

const timed =
  (fractions: readonly string[], offsets: readonly string[], forms: readonly ((iso: string) => string)[]) =>
  (index: number, dice: Dice): Dated => {
    const millis = startOf(dice.of(YEARS)) + dice.below(3 + index) * dice.of([1000, 60_000, 3_600_000, DAY]);
    const [fraction, offset] = [dice.of(fractions), dice.of(offsets)];
    // What the service makes of it is not exact to a second; ranges of tests begin and end far from it.
    return {
      text: JSON.stringify(`${dice.of(forms)(new Date(millis).toISOString())}${fraction}${offset}`),
      millis: undefined,
    };
  };

const seconds = (iso: string) => iso.slice(0, 19);

/** How the dates of a series look: ordered days mostly. */
export const dateStyles: readonly ((index: number, dice: Dice) => Dated)[] = [
  (index) => at(startOf(2024) + index * DAY, (iso) => iso.slice(0, 10)),
  (index) => at(startOf(2023) + 300 * DAY + index * 3_600_000, (iso) => `${seconds(iso)}Z`),
  (_, dice) => at(startOf(2024) + (dice.below(60) - 30) * DAY, (iso) => iso.slice(0, 10)),
  (index, dice) => at(startOf(dice.of(YEARS)) + index * DAY, (iso) => iso.slice(0, 10)),
  (index) => at(startOf(2024) - index * 60_000, (iso) => iso),
  timed(FRACTIONS, OFFSETS, [seconds, (iso) => seconds(iso).replace('T', ' '), (iso) => seconds(iso).toLowerCase()]),
  timed(FRACTIONS_OF_NS, OFFSETS_OF_ISO, [seconds]),
  timed([''], OFFSETS_OF_ISO, [seconds, (iso) => iso.slice(0, 16), (iso) => seconds(iso).replaceAll(/[-:]/g, '')]),
  (_, dice) =>
    dice.of(
      [
        '2024',
        '2024-02',
        '2024-02-29',
        '20240229',
        '2024-02-29T00:00',
        '2024-02-29T00:00Z',
        '2024-02-28T23:59:60Z',
      ].map((text) => ({ text: JSON.stringify(text), millis: undefined })),
    ),
];

/** Dates that cannot be read, and none. */
export const NO_DATES: readonly Dated[] = [
  ...[
    'null',
    '""',
    '"2023-02-29"',
    '"2024-13-01"',
    '"2024-01-01T24:00:00Z"',
    '"2024-W01"',
    '"202403"',
    '"Größe"',
    '5',
    '{}',
  ],
  ...['"2024-1-1"', '"2024-01-01T00:00:00+24:00"', '" 2024-01-01"', '"2024-001"', '"+002024-01-01"'],
]
  .map((text): Dated => ({ text, millis: undefined }))
  .concat({ text: undefined, millis: undefined });
