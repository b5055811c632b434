import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { datasetSeeds, randomService } from '../../test/oracle/random-service.ts';
import { randomCases } from '../../test/support/random-cases.ts';
import { type AskedOfResults, BodyError, type Limits } from '../index.ts';
import { everything } from './ask.ts';
import { fieldsOf } from './fields.ts';
import { inPieces, read, unlimited } from './read.ts';
import { withoutStacks } from './right.ts';

/** What is longer than a part of a body may be is null, whatever the pieces, and the rest is kept. */

const asked: AskedOfResults = {
  entries: fieldsOf(
    ['asset', ['assetId', 'name', 'categories', ['centroid', ['latitude', 'longitude']]]],
    ['rows', ['valueDate', ['metrics', ['name', 'value']]]],
    ['columns', ['valueDates', ['metrics', ['values']]]],
    'rowCount',
    'metricNames',
  ),
};

function outcome(body: string, lengths: readonly number[], limits: Limits = unlimited) {
  const { list, errors, reader } = read(asked, inPieces(Buffer.from(body), lengths), limits);
  return {
    list: JSON.parse(list),
    errors: errors.map(({ path, kind }) => `${path.join('.')} ${kind}`),
    head: reader.head,
  };
}

/** So many bytes of JSON: a text, an object with a member, or a row. */
const textOf = (bytes: number) => `"${'é'.repeat((bytes - 2) >> 1)}${'x'.repeat(bytes & 1)}"`;
const objectOf = (bytes: number) => `{"":[1,${textOf(bytes - 9)}]}`;
const rowOf = (bytes: number) => `{"value_date":"d","metrics":[],"x":${textOf(bytes - 36)}}`;

it('Long attributes stay what they are while others are read', () => {
  const long = (letter: string, length: number) => `"${letter.repeat(length)}"`;
  const entry = (id: number) =>
    `{"asset_id":"${id}","asset_name":${long('n', 200_000)},"asset_categories":[${long('c', 100_000)}],"results":[]}`;
  const body = Buffer.from(`{"assets":[${[0, 1, 2].map(entry).join()}]}`);
  for (const length of [1000, 1 << 18]) {
    const { list } = read(asked, inPieces(body, [length]));
    expect(
      JSON.parse(list).map(({ asset }: { asset: Record<string, string[]> }) => [
        ...[asset.assetId, asset.name?.length, asset.categories?.[0]?.length],
      ]),
    ).toEqual([0, 1, 2].map((id) => [String(id), 200_000, 100_000]));
  }
});

describe.each([
  ['200 bytes', 200, [[1], [2, 1], [7], [64], [199], [200], [201, 1], [100_000]]],
  ['1 MiB', 1 << 20, [[5001], [1 << 18, (1 << 20) - 1, 2], [1 << 24]]],
])('A limit of %s', (_, part, allLengths) => {
  const limits = { ...unlimited, ...(part < 1 << 20 && { part }) };
  const usual = '{"value_date":"2024","metrics":[{"name":"a","value":1}]}';
  const valuesOf = (bytes: number) => `{"metrics":[{"name":"a","value":2},{"name":"b","value":${textOf(bytes - 58)}}]}`;

  it('is that of a row', () => {
    for (const lengths of allLengths) {
      const bodyOf = (bytes: number, row: (bytes: number) => string) =>
        `{"assets":[{"asset_id":"1","results":[${[usual, ` ${row(bytes)}`, usual, ` ${row(bytes)} `, row(bytes), usual].join()}]}]}`;
      expect(Buffer.byteLength(rowOf(part))).toBe(part);
      const whole = outcome(bodyOf(part, rowOf), lengths, limits);
      expect(whole.errors).toEqual([]);
      expect(whole.list[0].rows[1]).toEqual({ valueDate: 'd', metrics: [] });
      for (const row of [rowOf, objectOf, valuesOf]) {
        expect(Buffer.byteLength(row(part))).toBe(part);
        const { list, errors } = outcome(bodyOf(part + 1, row), lengths, limits);
        const first = { valueDate: '2024', metrics: [{ name: 'a', value: 1 }] };
        expect(list).toEqual([
          {
            asset: { assetId: '1', name: null, categories: null, centroid: null },
            rows: [first, null, first, null, null, first],
            columns: {
              valueDates: ['2024', null, '2024', null, null, '2024'],
              metrics: [{ values: [1, null, 1, null, null, 1] }],
            },
            rowCount: 6,
            metricNames: null,
          },
        ]);
        expect(errors).toEqual([
          ...[1, 3, 4].map((at) => `0.rows.${at} tooLarge`),
          ...[1, 3, 4].flatMap((at) => [
            `0.columns.valueDates.${at} tooLarge`,
            `0.columns.metrics.0.values.${at} tooLarge`,
          ]),
          '0.metricNames tooLargeRow',
        ]);
      }
    }
  });

  it('is that of a row of which figures are computed', () => {
    const periods = ['periods', ['dates'], { every: 'YEAR' }] as const;
    const entries = fieldsOf(['statistics', ['name', 'count']], ['latest', ['valueDate']], periods, 'rowCount');
    for (const lengths of allLengths)
      for (const row of [rowOf(part + 1), objectOf(part + 1)]) {
        const body = `{"assets":[{"asset_id":"1","results":[${usual},${row},${usual}]},{"asset_id":"2","results":[${usual}]}]}`;
        const { list, errors } = read({ entries }, inPieces(Buffer.from(body), lengths), limits);
        expect(JSON.parse(list)).toEqual([
          { statistics: null, latest: null, periods: null, rowCount: 3 },
          {
            statistics: [{ name: 'a', count: 1 }],
            latest: { valueDate: '2024' },
            periods: { dates: ['2024-01-01'] },
            rowCount: 1,
          },
        ]);
        expect(errors.map(({ path, kind, row: at }) => [path, kind, at])).toEqual([
          ...['statistics', 'latest', 'periods'].map((key) => [[0, key], 'tooLargeRow', 1]),
        ]);
      }
  });

  it('is that of an attribute', () => {
    const bodyOf = (bytes: number) =>
      `{"assets":[${[
        `{"asset_id":"1","asset_name":${textOf(bytes)},"asset_categories":[${textOf(bytes - 2)}],"results":[]}`,
        `{"asset_centroid_latitude":1,"asset_id":"2","asset_centroid_longitude":${'1'.repeat(bytes - 1)}5}`,
        `{"asset_name":${objectOf(bytes)},"asset_id":${textOf(bytes)},"results":[${usual}]}`,
        '{"asset_id":"3","asset_name":"x"}',
      ].join()}]}`;
    for (const lengths of allLengths) {
      const whole = outcome(bodyOf(part), lengths, limits);
      expect(whole.head.count).toBe(4);
      expect(whole.list[0].asset).toEqual({
        ...{ assetId: '1', name: JSON.parse(textOf(part)), categories: [JSON.parse(textOf(part - 2))], centroid: null },
      });
      expect(whole.list[2].asset.assetId).toBe(JSON.parse(textOf(part)));
      const tooLarge = outcome(bodyOf(part + 1), lengths, limits);
      const nothing = { name: null, categories: null, centroid: null };
      expect(tooLarge.list.map(({ asset }: { asset: object }) => asset)).toEqual([
        { assetId: '1', ...nothing },
        { assetId: '2', ...nothing },
        { assetId: '3', ...nothing, name: 'x' },
      ]);
      expect(tooLarge.errors).toEqual([
        ...['0.asset.name tooLarge', '0.asset.categories tooLarge', '1.asset.centroid.longitude tooLarge'],
      ]);
      expect(tooLarge.head).toMatchObject({ count: 3, omitted: 1 });
    }
  });

  it('is that of an id of the body', () => {
    const bodyOf = (bytes: number) => `{"source_id":${textOf(bytes)},"assets":[],"processing_id":${objectOf(bytes)}}`;
    for (const lengths of allLengths) {
      expect(outcome(bodyOf(part), lengths, limits).head).toMatchObject({
        ...{ sourceId: JSON.parse(textOf(part)), processingId: null, errors: { processingId: 'wrongType' } },
      });
      expect(outcome(bodyOf(part + 1), lengths, limits).head).toMatchObject({
        ...{ sourceId: null, processingId: null, errors: { processingId: 'tooLarge', sourceId: 'tooLarge' } },
      });
    }
  });

  it('is none of what nobody needs', () => {
    const large = objectOf(3 * part);
    const text = textOf(2 * part + 9);
    for (const lengths of allLengths) {
      const { list, errors, head } = outcome(
        `{"x":${text},"assets":[${large},{"y":${large},"asset_id":"1","z":[${text}],"results":[${text},null]},${text}],"w":${large}}`,
        lengths,
        limits,
      );
      expect(list).toMatchObject([{ asset: { assetId: '1' }, rows: [] }]);
      expect({ errors, omitted: head.omitted }).toEqual({ errors: [], omitted: 3 });
    }
  });

  it('ends a body whose name or number is twice as long', () => {
    for (const body of [
      `{${textOf(3 * part)}:1,"assets":[]}`,
      `{"assets":[{${textOf(3 * part)}:1}]}`,
      `{"x":[${'1'.repeat(3 * part)}],"assets":[]}`,
    ])
      expect(() => outcome(body, [part / 4], limits)).toThrow(new BodyError('tooLong'));
  });
});

describe('What is too large', () => {
  it('does not depend on the pieces', { tags: ['random'], timeout: 600_000 }, () => {
    let errors = 0;
    const drawings = fc.record({
      seed: datasetSeeds({ bytes: 2000 }),
      part: fc.integer({ min: 200, max: 500 }),
      lengths: fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(drawings, ({ seed, part, lengths }) => {
        const { status, body } = randomService(new Map([['d', seed]])).results('d', {});
        fc.pre(status === 200);
        const attempt = (pieces: readonly number[]) => {
          try {
            const limits = { ...unlimited, part };
            const {
              list,
              errors: all,
              reader,
            } = withoutStacks(() => read(everything, inPieces(Buffer.from(body), pieces), limits));
            return { list, errors: all, head: reader.head };
          } catch (error) {
            if (error instanceof BodyError) return error.kind;
            throw error;
          }
        };
        const whole = attempt([body.length + 1]);
        const found = attempt(lengths);
        // It shows the difference, but takes long to find none.
        if (!isDeepStrictEqual(found, whole)) expect(found).toEqual(whole);
        if (typeof whole !== 'string') errors += whole.errors.filter(({ kind }) => kind === 'tooLarge').length;
      }),
      { numRuns: randomCases(3000) },
    );
    expect(errors).toBeGreaterThan(0);
  });

  it('takes no memory', () => {
    const member = `{"rings":[${'[0.3333333333333333,0.14285714285714285],'.repeat(500_000)}[]]}`;
    const row = `{"value_date":"2024","metrics":[{"name":"${'x'.repeat(2 << 20)}"}]}`;
    const body = `{"assets":[{"asset_id":"1","geometry":${member},"asset_name":${textOf(4 << 20)},"results":[${row}]}]}`;
    expect(member.length).toBeGreaterThan(20_000_000);
    const reader = read(asked, inPieces(Buffer.from(body), [1 << 16])).reader;
    expect(reader.bytes).toBeLessThan(3 << 20);
    const skipped = read(asked, inPieces(Buffer.from(`{"x":${member},"assets":[]}`), [1 << 16])).reader;
    expect(skipped.bytes).toBeLessThan(1 << 18);
  });

  it('is each attribute for itself', () => {
    const text = (letter: string) => letter.repeat(300_000);
    const categories = Array.from({ length: 10 }, (_, index) => text(String(index)));
    const { list, errors } = outcome(
      `{"assets":[{"asset_id":${JSON.stringify(text('i'))},"asset_centroid_latitude":1,"asset_name":${JSON.stringify(text('n'))},"asset_centroid_longitude":2,"asset_categories":${JSON.stringify(categories.slice(0, 3))}},{"asset_categories":["x"],"asset_id":"2"}]}`,
      [1 << 16],
    );
    expect(errors).toEqual([]);
    expect(list.map(({ asset }: { asset: object }) => asset)).toEqual([
      {
        assetId: text('i'),
        name: text('n'),
        categories: categories.slice(0, 3),
        centroid: { latitude: 1, longitude: 2 },
      },
      { assetId: '2', name: null, categories: ['x'], centroid: null },
    ]);
  });
});
