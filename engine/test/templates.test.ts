import { queryObjects } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { open, Selection } from '../index.ts';
import { Template } from '../template.ts';
import { EVERYTHING } from './ask.ts';
import { fieldsOf } from './fields.ts';
import { unlimited } from './read.ts';
import { expectRight as expectRightBody } from './right.ts';

/** Rows are read by the template of the row before, so rows that nearly have it must not be taken for it. */

/** A body of assets with some of these rows each. */
const bodyOf = (rows: readonly string[]) => {
  const assets = list(Math.ceil(rows.length / 50), (asset) => rows.slice(asset * 50, (asset + 1) * 50).join());
  return `{"assets":[${assets.map((each) => `{"asset_id":"1","results":[${each}]}`).join()}]}`;
};
const rowOf = (...metrics: [name: string, value: string | number][]) =>
  `{"value_date":"2024-01-01","metrics":[${metrics.map(([name, value]) => `{"name":"${name}","value":${value}}`).join()}]}`;
const list = <T>(length: number, of: (index: number) => T) => Array.from({ length }, (_, index) => of(index));

const expectRight = (rows: readonly string[]) =>
  expectRightBody(EVERYTHING, bodyOf(rows), [[1 << 22], [1000, 7]], false);

describe('Rows', () => {
  const usual = rowOf(['first', 1.5], ['second', -20]);

  it('that differ in one byte are read as they are', () => {
    const changes = [...'a"\\,:{}[] 09-.eé\u007f'];
    const rows: string[] = [];
    for (let at = 0; at < usual.length; at += 1)
      for (const change of changes) {
        const row = usual.slice(0, at) + change + usual.slice(at + 1);
        try {
          JSON.parse(row);
          rows.push(usual, row, row);
        } catch {
          // It ends the body: broken.test.ts.
        }
      }
    expect(rows.length).toBeGreaterThan(300);
    expectRight(rows);
  });

  it('of several templates in turns are read by them', () => {
    const templates = [
      usual,
      rowOf(['first', 2]),
      rowOf(['second', 3], ['first', 4]),
      '{}',
      '{"metrics":[]}',
      rowOf(['a', 5]),
    ];
    expectRight(list(400, (index) => templates[(index * index) % templates.length] as string));
    expectRight(list(400, (index) => templates[Math.floor(index / 7) % templates.length] as string));
  });

  it('have more templates than are kept', () => {
    const names = list(1200, (index) => `n${String(index).padStart(4, '0')}`);
    expectRight(
      [...names, ...names.slice(1000), ...names.slice(0, 50)].flatMap((name) => list(2, (at) => rowOf([name, at]))),
    );
    expectRight(names.map((name, index) => rowOf([name, index])));
  });

  it('leave nothing where they have a template of their own', () => {
    const asked = new Selection({
      entries: fieldsOf(
        ['rows', ['valueDate']],
        ['columns', ['valueDates', ['metrics', ['values']]], { metrics: ['a'] }],
        'metricNames',
      ),
    });
    const readers = [
      list(3000, (at) => rowOf(['a', 1], ['x'.repeat(1 + (at % 2)) + at, 2])),
      list(200, (at) => rowOf(['a', 1], ['x'.repeat(100_000 + (at % 2)) + at, 2])),
    ].map((rows) => {
      const reader = open(asked, unlimited);
      reader.push(Buffer.from(`{"assets":[{"asset_id":"1","results":[${rows.join()},`));
      while (reader.work());
      return reader;
    });
    // 1,024 of short rows, and 40 of long ones.
    expect(queryObjects(Template, { format: 'count' })).toBeLessThan(1100);
    expect(readers.some(({ isDone }) => isDone)).toBe(false);
  });

  it.each([1023, 1024, 1025])('have %i values', (slots) => {
    const metrics = (letter: string) =>
      list(slots - 1, (index): [string, number] => [`${letter}${index % 100}`, index / 7]);
    const [one, other] = [rowOf(...metrics('a')), rowOf(...metrics('b'))];
    expect(one.length).toBe(other.length);
    expectRight([one, one, other, other, usual, one, usual, other]);
  });

  it('have values that nobody needs, and that differ', () => {
    const values = ['1', '[]', '[[1,{"a":"}"}]]', '{"metrics":[]}', '"\\"]}"', 'null', 'true', '-0', '1e400'];
    expectRight(
      list(
        100,
        (index) =>
          `{"x":${values[(index * 7) % 9]},"metrics":[{"y":${values[(index * 5) % 9]},"name":"a","value":${index}}]}`,
      ),
    );
  });

  it('have strings and numbers of all lengths', () => {
    expectRight(
      list(
        300,
        (index) =>
          `{"value_date":"${'x'.repeat(index)}","metrics":[{"name":"a","value":${'1'.repeat(index + 1)}.${'5'.repeat(index + 1)}}]}`,
      ),
    );
    expectRight(list(600, (index) => rowOf(['x'.repeat(index), index])));
  });
});
