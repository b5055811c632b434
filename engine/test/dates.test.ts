import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateOf as expectedDate } from '../../test/oracle/dates.ts';
import {
  inputText,
  instantNear,
  nearDates,
  randomInstant,
  refusedInput,
  UNREADABLE,
} from '../../test/oracle/random-dates.ts';
import { Dice, escaped } from '../../test/support/json-text.ts';
import { randomCases } from '../../test/support/random-cases.ts';
import { DateSlots } from '../date-slots.ts';
import { DAY_MS, DateParser, dateOf, dayOf, firstDayOf, monthOf } from '../dates.ts';
import { PADDING, viewOf } from '../scanner.ts';

/** Dates are what the oracle of test/oracle reads. */

const parser = new DateParser();
const slots = new DateSlots();

/** The milliseconds of JSON in a row, and the nanoseconds beyond them; undefined for no date. */
function timeOf(json: string): [milliseconds: number, nanoseconds: number] | undefined {
  const bytes = Buffer.from(`,${json},${'\0'.repeat(PADDING)}`);
  const time = slots.timeAt(bytes, viewOf(bytes), 1, 1 + Buffer.byteLength(json));
  return Number.isNaN(time) ? undefined : [time, slots.parser.nanoseconds];
}

function expectedTime(text: string): [milliseconds: number, nanoseconds: number] | undefined {
  const date = expectedDate(text);
  if (date === undefined) return undefined;
  const nanoseconds = ((date.instant % 1_000_000n) + 1_000_000n) % 1_000_000n;
  return [Number((date.instant - nanoseconds) / 1_000_000n), Number(nanoseconds)];
}

function expectRight(text: string): void {
  expect(timeOf(JSON.stringify(text)), text).toEqual(expectedTime(text));
  const date = expectedDate(text);
  expect(parser.parseText(text), text).toBe(date !== undefined);
  expect(Number.isNaN(parser.milliseconds)).toBe(date === undefined);
  if (date === undefined) return;
  const { milliseconds, nanoseconds, isDay, isExact } = parser;
  expect({ text, time: [milliseconds, nanoseconds], isDay, isExact }).toEqual({
    ...{ text, time: expectedTime(text) },
    ...{ isDay: date.isDay, isExact: date.isExact },
  });
}

const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const changes = ['', ...'0123456789TtZz:-+.,[] W\u0660é/'];

describe('Dates', () => {
  it('of all forms are read to the nanosecond', { tags: ['random'], timeout: 600_000 }, () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const dice = new Dice(seed);
        const dates = nearDates(dice, 20);
        for (let index = 0; index < 20; index += 1) {
          const json = dates(index, dice).text as string;
          const text: string = JSON.parse(json);
          expect(timeOf(json)).toEqual(expectedTime(text));
          expectRight(text);
          expectRight(inputText(instantNear(randomInstant(dice), dice), dice));
          const at = dice.below(text.length + 1);
          expectRight(text.slice(0, at) + dice.of(changes) + text.slice(at + dice.below(3)));
        }
      }),
      { numRuns: randomCases(2_000) },
    );
  });

  it('of the usual forms are right for each day, hour, minute and second', () => {
    const wrong: string[] = [];
    const isRight = (text: string, milliseconds: number) =>
      timeOf(JSON.stringify(text))?.join() === `${milliseconds},0` || wrong.push(text);
    for (let day = -719_528; day < 2_932_897; day += 37) {
      const text = new Date(day * DAY_MS).toISOString();
      isRight(text.slice(0, 10), day * DAY_MS);
      const seconds = ((day % 86_400) + 86_400) % 86_400;
      const time = day * DAY_MS + seconds * 1000;
      isRight(`${new Date(time).toISOString().slice(0, 19)}Z`, time);
    }
    expect(wrong).toEqual([]);
  });

  it('with two characters that the usual forms do not have are what the oracle says', () => {
    for (const usual of ['2024-02-29', '2024-02-29T23:59:58Z'])
      for (let at = 0; at < usual.length; at += 1)
        for (const change of '0123456789-:TZ /;@\u0001\u007f')
          for (const second of [at, (at * 7 + 3) % usual.length]) {
            const characters = [...usual];
            characters[at] = change;
            characters[second] = change;
            expectRight(characters.join(''));
          }
  });

  it.each([...UNREADABLE.map((json) => JSON.parse(json) as string), ...refusedInput])(
    '%j is what the oracle says',
    (text) => {
      expectRight(text);
      expect(timeOf(escaped(text))).toEqual(expectedTime(text));
    },
  );

  it('that are null are none', () => {
    expect(timeOf('null')).toBeUndefined();
  });
});

describe('The calendar', () => {
  it('is that of Date', { tags: ['random'], timeout: 600_000 }, () => {
    const check = (day: number) => {
      const date = new Date(day * DAY_MS);
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
      expect(dayOf(year, month + 1, date.getUTCDate())).toBe(day);
      expect(monthOf(day)).toBe(year * 12 + month);
      expect(firstDayOf(monthOf(day))).toBe(new Date(day * DAY_MS).setUTCDate(1) / DAY_MS);
      expect(dateOf(day)).toBe(date.toISOString().slice(0, -14));
    };
    // Around the ends of months, years and centuries.
    for (const year of [-1, 0, 1, 1600, 1900, 1970, 2000, 2023, 2024, 2100, 9999, 10_000])
      for (let month = 0; month < 12; month += 1)
        for (let day = -2; day <= 2; day += 1) check(new Date(0).setUTCFullYear(year, month, day) / DAY_MS);
    fc.assert(fc.property(fc.integer({ min: -1_000_000, max: 4_000_000 }), check), { numRuns: randomCases(20_000) });
  });
});
