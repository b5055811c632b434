import fc from 'fast-check';
import { Dice, escaped } from './fast-path-json.ts';

/** Random results responses for what is computed from rows. All are of the types that the service must send. */

export const METRICS = ['m', 'n', '__proto__', 'ä', 'late'];

const pad = (value: number, digits = 2) => String(value).padStart(digits, '0');

/** Values that differ little, much, or extremely. */
const values: readonly ((dice: Dice) => string)[] = [
  (dice) => String(dice.below(7) - 3),
  (dice) => `${dice.below(2000) - 1000}.${dice.below(100_000)}`,
  (dice) => `1000000000.${dice.below(1000)}`,
  (dice) => String(dice.below(2 ** 32) * 2 ** 20 + dice.below(2 ** 20)),
  (dice) => `${dice.oneIn(2) ? '-' : ''}${dice.below(1000) / 7}e${dice.below(40) - 20}`,
  (dice) =>
    dice.of(['0', '-0', '-0.0', '0e5', '1E+2', '0.1', '0.2', '0.30', '9007199254740993', '1e16', '-1e16', '1.0']),
  (dice) => dice.of(['1e308', '-1e308', '1.7976931348623157e308', '5e-324', '-1e-400', '1e-310', '1e150', '1', '0']),
];

const time = (dice: Dice) => {
  const fraction = dice.of(['', '', '.5', ',123456', '.999999', '.999999999', '.000000001', '.9999999999999999999999']);
  const offset = dice.of(['', 'Z', 'z', '+00:00', '-00:00', '+14:00', '-23:59', '+0545', '+00', 'Z[UTC]']);
  const second = dice.of(['00:00:00', '23:59:59', '23:59:60', pad(dice.below(24)).concat(':30:00')]);
  const ofDay = dice.oneIn(6) ? second.slice(0, 5) : `${second}${fraction}`;
  return `${dice.of(['T', 't', ' '])}${ofDay}${offset}`;
};

const YEARS = [2024, 2023, 2000, 1900, 1970, 1969, 2021, 0, 9999];

/** Dates as they come one after the other. */
const dates: readonly ((year: number, index: number, dice: Dice) => string | null)[] = [
  (year, index) => `${pad(year, 4)}-${pad(1 + (Math.floor(index / 28) % 12))}-${pad(1 + (index % 28))}`,
  (year, _, dice) => `${pad(year, 4)}-${pad(1 + dice.below(12))}-${pad(1 + dice.below(28))}`,
  (year, _, dice) => `${pad(year, 4)}-${dice.of(['01-01', '12-31', '02-28', '02-29', '03-31', '04-01'])}`,
  (year, _, dice) => `${pad(year, 4)}-${dice.of(['01-01', '12-31', '02-28', '06-30', '07-01'])}${time(dice)}`,
  (_, __, dice) => `${pad(dice.of(YEARS), 4)}-01-0${1 + dice.below(3)}`,
  (year, index, dice) =>
    dice.of([
      `${pad(year, 4)}-${pad(1 + (index % 12))}`,
      `${pad(year, 4)}${pad(1 + (index % 12))}01`,
      `${pad(year, 4)}${pad(1 + (index % 12))}01T00000${dice.below(3)}.00000000${dice.below(3)}Z`,
      pad(year, 4),
    ]),
  (year, index, dice) =>
    dice.oneIn(8)
      ? dice.of([null, '', '2023-02-29', '2024-13-01', '2024-01-01T24:00:00Z', '202401', 'Größe', '2024-1-1'])
      : `${pad(year, 4)}-01-${pad(1 + (index % 31))}`,
];

const MANY = 600;

/** @param kind chooses how values and dates look */
function seriesOf(rows: number, kind: Dice, dice: Dice): string {
  const [value, date, year] = [kind.of(values), kind.of(dates), kind.of(YEARS)];
  const isOdd = kind.oneIn(2);
  const some = METRICS.slice(0, 1 + kind.below(METRICS.length));
  const metric = (name: string) => {
    const number = dice.oneIn(9) ? 'null' : dice.oneIn(15) ? dice.of(values)(dice) : value(dice);
    const member = dice.oneIn(20) ? '' : `,"value":${number}`;
    return `{"name":${isOdd && dice.oneIn(30) ? 'null' : dice.oneIn(9) ? escaped(name) : JSON.stringify(name)}${member}}`;
  };
  const row = (index: number) => {
    const text = date(year, index, dice);
    const shown = text === null ? 'null' : dice.oneIn(12) ? escaped(text) : JSON.stringify(text);
    const names = some.filter((name) => (name !== 'late' || index > rows / 2) && !(isOdd && dice.oneIn(6)));
    if (isOdd && dice.oneIn(9)) names.push(dice.of(METRICS));
    const metrics = isOdd && dice.oneIn(20) ? dice.of(['null', '[]']) : `[${names.map(metric).join()}]`;
    const members = [`"value_date":${shown}`, `"metrics":${metrics}`];
    return `{${(isOdd && dice.oneIn(7) ? members.reverse() : members).join()}}`;
  };
  return Array.from({ length: rows }, (_, index) => row(index)).join();
}

const series = fc
  .tuple(fc.nat(14), fc.nat(), fc.nat(), fc.nat(25))
  .map(([rows, kind, seed, size]) => seriesOf(size === 25 ? MANY + rows : rows, new Dice(kind), new Dice(seed)));

/** Bodies, as JSON. An asset in twelve has no results. */
export const bodies: fc.Arbitrary<string> = fc.array(fc.option(series, { freq: 12 }), { maxLength: 4 }).map((all) => {
  const assets = all.map((rows, index) => `{"asset_id":"a${index}","results":${rows === null ? 'null' : `[${rows}]`}}`);
  return `{"assets":[${assets.join()}]}`;
});
