import { expect, it } from 'vitest';
import { ask, askedOf } from './ask.ts';
import { bodyOf, row } from './bodies.ts';
import { read } from './read.ts';
import { expectRight } from './right.ts';

/** `statistics`, but for its quantiles: of a series, and of all entries. */

it('name the first series with an invalid row, whichever decides that it is one', () => {
  // Without any metric nobody needs a list; `m` is known from the series before.
  const wrong = { value_date: '2024-01-01', metrics: 5 };
  const good = row('2024-01-01', { m: 1 });
  for (const body of [
    bodyOf([good], [wrong], [wrong, good], [row('2024-01-01')]),
    // It has no metrics, which is known when the next one begins.
    bodyOf([good], [wrong, row(5)], null, [good]),
  ])
    expect(expectRight('statistics { count } named: statistics(metrics: "m") { count }', body.toString())).toBe(2);
});

it('are an error if an entry turns out to have no id when its rows were taken', () => {
  const rows = '"results":[{"metrics":[{"name":"m","value":1}]}]';
  const selection = 'statistics { count } metricNames __typename';
  const wrong = [
    { path: ['statistics'], kind: 'wrongType' },
    { path: ['metricNames'], kind: 'wrongType' },
  ];
  const counts = { statistics: [{ count: 1 }], metricNames: ['m'], __typename: 'DatasetResults' };
  for (const [entry, isWrong] of [
    [`{${rows},"asset_id":"a"}`, false],
    [`{"asset_id":"a",${rows}},{"asset_id":null,${rows}},{"asset_id":5,${rows}}`, false],
    [`{${rows}}`, true],
    [`{"asset_id":"a",${rows},"asset_id":null}`, true],
    [`{"asset_id":null,${rows},"asset_id":"a"}`, true],
  ] as const) {
    const { values, errors } = ask(selection, Buffer.from(`{"assets":[${entry}]}`));
    expect([values, errors]).toEqual(
      isWrong ? [{ ...counts, statistics: null, metricNames: null }, wrong] : [counts, []],
    );
  }
});

it('hold the memory of long dates and ids', () => {
  const held = (selection: string, length: number, sign = '-') => {
    const long = (text: string) => JSON.stringify(text.padEnd(length, 'x'));
    const entries = Array.from(
      { length: 31 },
      (_, index) =>
        `{"asset_id":${long(`a${index}`)},"results":[{"value_date":${long(`d${index}`)},"metrics":[{"name":"m","value":${sign}${index + 1}}]}]}`,
    );
    return read(askedOf(selection), [Buffer.from(`{"assets":[${entries}]}`)]).reader.bytes;
  };
  const none = (length: number) => held('statistics { mean }', length);
  const value = (length: number) => held('statistics { minimum { value } }', length);
  const date = (length: number) => held('statistics { minimum { value valueDate } }', length);
  // The id of the last entry is not held any longer, and a date has its quotes. What is written takes some bytes, too.
  const near = (bytes: number) => expect.closeTo(bytes, -3);
  expect([value(62) - none(62), date(62) - none(62)]).toEqual([near(0), near(0)]);
  expect([value(200) - none(200), date(200) - value(200)]).toEqual([near(30 * 400), near(31 * 404)]);
  // Only the first one has the lowest value.
  const highest = held('statistics { minimum { value } }', 200, '') - held('statistics { mean }', 200, '');
  expect(highest).toEqual(near(400));
});
