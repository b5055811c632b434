import { describe, expect, it } from 'vitest';
import { type Asked, BodyError, type Limits, open, Selection } from '../index.ts';
import { PIECE_BYTES, sizeOf } from '../memory.ts';
import { aliases, fieldsOf } from './fields.ts';
import { inPieces, read, unlimited } from './read.ts';

/** The limits of a reader: work, memory, and what is reserved of it. */

const row = (at: number) =>
  `{"value_date":"2024-01-01T00:00:${10 + (at % 50)}Z","metrics":[{"name":"a","value":${at}.25},{"name":"b","value":null}]}`;
const assetOf = (id: number, rows: number) =>
  `{"asset_id":"${id}","asset_name":"N${id}","results":[${Array.from({ length: rows }, (_, at) => row(at)).join()}]}`;
const bodyOf = (assets: number, rows: number) =>
  Buffer.from(`{"assets":[${Array.from({ length: assets }, (_, id) => assetOf(id, rows)).join()}]}`);

/** The same value, so many times. */
const aliasesOf = (count: number) =>
  Array.from({ length: count }, () => ['value', undefined, { metric: 'm7' }] as const);

const rows = ['rows', ['valueDate', ['metrics', ['name', 'value']]]] as const;
const columns = ['columns', ['rowCount', 'valueDates', ['metrics', ['name', 'values']]]] as const;

describe('Memory of what is kept for a metric', () => {
  it.each([{}, { points: 3 }])('is given back where each series has its own metrics: %o', (args) => {
    const bytesAfter = (assets: number) => {
      const one = (asset: number) =>
        assetOf(asset, 60)
          .replaceAll('"name":"a"', `"name":"a${asset}"`)
          .replaceAll('"name":"b"', `"name":"b${asset}"`);
      const body = Buffer.from(`{"assets":[${Array.from({ length: assets }, (_, asset) => one(asset)).join()}]}`);
      const { errors, reader } = read({ entries: fieldsOf([columns[0], columns[1], args]) }, inPieces(body, [65_536]));
      expect(errors).toEqual([]);
      return reader.bytes;
    };
    expect(bytesAfter(2000)).toBeLessThan(1.5 * bytesAfter(500));
  });
});

describe('Work', () => {
  const asked = new Selection({
    entries: fieldsOf(['asset', ['assetId', 'name']], rows, columns, 'rowCount', 'metricNames'),
    all: fieldsOf('metricNames'),
  });
  const ofRows = ['rows', 'columns', 'rowCount', 'metricNames'];
  const body = bodyOf(4, 8);
  const whole = read(asked, [body]);
  const { spent } = whole.reader;

  it('counts all that is written, also where an asset has no rows', () => {
    const none = Buffer.from(`{"assets":[{"asset_id":"a"},{"asset_id":"b","results":[]},${assetOf(1, 2)}]}`);
    const { list, reader } = read({ entries: fieldsOf('rowCount', 'metricNames') }, [none]);
    expect(list).toContain('null');
    expect(reader.spent).toBeGreaterThanOrEqual(list.length - '[,,]{{{'.length);
  });

  it('ends a value that is written again and again, wherever it is', () => {
    const long = Buffer.from(
      `{"assets":[{"asset_id":"a","results":[${Array.from({ length: 20 }, () => row(1).replace('2024', 'x'.repeat(10_000))).join()}]}]}`,
    );
    const dates = Array.from({ length: 100 }, () => 'valueDates');
    const { errors, reader } = read({ entries: fieldsOf(['columns', dates]) }, [long], { work: 1_000_000 });
    expect(errors).toEqual([expect.objectContaining({ kind: 'workExceeded' })]);
    expect(reader.spent).toBeLessThan(1_500_000);
  });

  it('makes null each field of an asset from the one that passes the limit on, and nothing else', () => {
    const values: Record<string, unknown>[] = JSON.parse(whole.list);
    const within = (work: number) => {
      try {
        return read(asked, inPieces(body, [300]), { work });
      } catch (error) {
        expect(error).toEqual(new BodyError('workExceeded'));
        return undefined;
      }
    };
    let before = 0;
    const kept = new Set<number>();
    for (let work = 0; work <= spent; work += 23) {
      const limited = within(work);
      // What cannot be null is more than twice as much.
      if (limited === undefined) {
        expect(before).toBe(0);
        continue;
      }
      const { list, errors, reader } = limited;
      const nodes: Record<string, unknown>[] = JSON.parse(list);
      expect(nodes).toHaveLength(4);
      const nulls: string[] = [];
      for (const [index, asset] of nodes.entries()) {
        const { assetId, name } = asset.asset as Record<string, unknown>;
        expect(assetId).toBe(String(index));
        if (name === null) nulls.push(`${index}.asset.name`);
        for (const key of ofRows)
          if (asset[key] === null) nulls.push(`${index}.${key}`);
          else expect(asset[key]).toEqual(values[index]?.[key]);
        kept.add(ofRows.filter((key) => asset[key] !== null).length);
        // Behind one that is null there is none that is not.
        if (index > 0 && ofRows.some((key) => nodes[index - 1]?.[key] === null))
          expect(ofRows.filter((key) => asset[key] !== null)).toEqual([]);
      }
      expect(
        errors.filter(({ path }) => path[0] !== 'metricNames').map(({ path, kind }) => `${path.join('.')} ${kind}`),
      ).toEqual(nulls.map((path) => `${path} workExceeded`));
      const count = 4 * 5 - nulls.length;
      expect(count).toBeGreaterThanOrEqual(before);
      before = count;
      expect(reader.isDone).toBe(true);
    }
    // An asset may have some of its fields.
    expect(kept.size).toBeGreaterThan(2);
    expect(before).toBeGreaterThan(12);
  });

  it('ends the body where ids and constants reach it once more', () => {
    const ids: Asked = { key: 'asset', field: 'asset', select: [{ key: 'assetId', field: 'assetId' }] };
    const entries = [ids, { key: 'c', field: 'constant', args: { json: `"${'c'.repeat(1000)}"` } }];
    const bytes = Buffer.from(
      JSON.stringify({ assets: Array.from({ length: 10 }, (_, id) => ({ asset_id: `${id}` })) }),
    );
    const { list, reader } = read({ entries }, inPieces(bytes, [50]));
    expect(JSON.parse(list)).toHaveLength(10);
    expect(read({ entries }, inPieces(bytes, [50]), { work: reader.spent / 2 }).list).toBe(list);
    expect(() => read({ entries }, inPieces(bytes, [50]), { work: reader.spent / 3 })).toThrow(
      new BodyError('workExceeded'),
    );
  });

  it('is what is written and computed', () => {
    expect(read(asked, [body], { work: spent }).errors).toEqual([]);
    expect(read(asked, [body], { work: spent - 1 }).errors.map(({ kind }) => kind)).toContain('workExceeded');
    // Constants, names and braces around it are not much.
    const written = whole.list.length + whole.values.join('').length;
    expect(spent).toBeGreaterThan(0.9 * written);
    expect(spent).toBeLessThan(1.1 * written);
    for (const lengths of [[1], [7, 300]]) expect(read(asked, inPieces(body, lengths)).reader.spent).toBe(spent);
  });

  it('of the same rows under many keys ends soon behind the limit', () => {
    const many = new Selection({ entries: aliases(400, rows) });
    const { list, errors, reader } = read(many, inPieces(bodyOf(3, 1000), [1 << 16]), { work: 1_000_000 });
    expect(reader.spent).toBeLessThan(1_100_000);
    expect(list.length).toBeLessThan(100_000);
    expect(errors).toHaveLength(1000);
    expect(reader.omittedErrors).toBeGreaterThanOrEqual(2 * 400 - 1000);
  });
});

describe('Memory', () => {
  it('that a field may not have makes it null, and the rest is kept', () => {
    const asked = new Selection({ entries: fieldsOf(['asset', ['assetId', 'name']], rows, 'rowCount', 'metricNames') });
    const body = Buffer.from(`{"assets":[${assetOf(0, 10)},${assetOf(1, 10_000)},${assetOf(2, 10)}]}`);
    const whole = JSON.parse(read(asked, [body]).list);
    const { list, errors, reader } = read(asked, inPieces(body, [1 << 16]), { ...unlimited, memory: 700_000 });
    expect(JSON.parse(list)).toEqual([whole[0], { ...whole[1], rows: null }, whole[2]]);
    expect(errors.map(({ path, kind }) => [path, kind])).toEqual([[[1, 'rows'], 'memoryExceeded']]);
    expect(reader.bytes).toBeLessThan(700_000);
    expect(read(asked, inPieces(body, [1 << 16]), { ...unlimited, memory: 2_000_000 }).errors).toEqual([]);
  });

  it('is no more than what is written, however often a value is', () => {
    const wide = `{"value_date":"d","metrics":[${Array.from({ length: 1000 }, (_, at) => `{"name":"m${at}","value":${at}}`).join()}]}`;
    const body = Buffer.from(
      `{"assets":[{"asset_id":"1","results":[${Array.from({ length: 20 }, () => wide).join()}]}]}`,
    );
    const [asked] = fieldsOf(['rows', aliasesOf(300)]) as [Asked];
    const select = (asked.select ?? []).map((each, index) => ({ ...each, key: `a${index}` }));
    const { list, errors } = read({ entries: [{ ...asked, select }] }, [body], { ...unlimited, memory: 2_000_000 });
    expect(errors).toEqual([]);
    expect(JSON.parse(list)[0].rows).toEqual(
      Array.from({ length: 20 }, () => Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`a${at}`, 7]))),
    );
  });

  it('that is not reserved is not used: work does nothing until it is', () => {
    const asked = new Selection({ entries: fieldsOf(rows, columns) });
    const body = bodyOf(3, 10_000);
    const reader = open(asked, { ...unlimited, reserved: 0 });
    const parts: Buffer[] = [];
    let reserved = 0;
    let waits = 0;
    const work = () => {
      for (let hasMore = true; hasMore; ) {
        if (reader.wants > 0) {
          const { bytes, spent } = reader;
          expect(reader.work()).toBe(true);
          expect([reader.bytes, reader.spent]).toEqual([bytes, spent]);
          waits += 1;
          reserved += reader.wants;
          reader.reserve(reader.wants);
          expect(reader.wants).toBe(0);
        }
        hasMore = reader.work();
        // One step may take a piece for each field.
        expect(reader.bytes).toBeLessThan(reserved + (1 << 20));
        if (reader.wants === 0) expect(reader.bytes).toBeLessThanOrEqual(reserved);
        parts.push(...reader.take());
      }
    };
    for (const piece of inPieces(body, [1 << 16])) {
      reader.push(piece);
      work();
    }
    reader.end();
    work();
    expect(waits).toBeGreaterThan(1);
    expect(reserved).toBeLessThan(6_000_000);
    expect(Buffer.concat(parts).toString()).toBe(read(asked, [body]).list);
  });

  it('is given back: what a reader has at its end does not depend on what it has read', () => {
    const asked = new Selection({
      entries: fieldsOf(['asset', ['assetId']], rows, columns),
      all: fieldsOf('metricNames'),
    });
    const bytesBehind = (assets: number, isGivenBack: boolean, limits: Limits = unlimited) => {
      const reader = open(asked, limits);
      const work = () => {
        for (let hasMore = true; hasMore; ) {
          hasMore = reader.work();
          for (const piece of reader.take()) if (isGivenBack) reader.give(piece);
        }
      };
      for (const piece of inPieces(bodyOf(assets, 3), [5000])) {
        reader.push(piece);
        work();
      }
      reader.end();
      work();
      reader.values();
      return reader.bytes;
    };
    expect(bytesBehind(1000, false)).toBe(bytesBehind(100, false));
    expect(bytesBehind(1000, true)).toBe(bytesBehind(100, true));
    // The chunk, and small buffers of each field.
    expect(bytesBehind(100, false)).toBeLessThan(40_000);
    // Where values are null, their memory is free.
    expect(bytesBehind(1000, false, { work: 50_000 })).toBeLessThan(40_000);
  });

  it('is that of pieces until they are taken', () => {
    const reader = open(new Selection({ entries: fieldsOf(rows) }), unlimited);
    const body = bodyOf(1, 20_000);
    for (const piece of inPieces(body, [1 << 16])) {
      reader.push(piece);
      while (reader.work());
    }
    reader.end();
    while (reader.work());
    expect(reader.isDone).toBe(true);
    const before = reader.bytes;
    const pieces = reader.take();
    const taken = pieces.reduce((bytes, piece) => bytes + sizeOf(piece), 0);
    expect(taken).toBeGreaterThan(1_900_000);
    // With what the last piece had left.
    const left = reader.bytes;
    expect(before - taken - left).toBeGreaterThanOrEqual(0);
    expect(before - taken - left).toBeLessThan(1 << 14);
    // Some of what is given back waits to be used again.
    const used = pieces.filter((piece) => reader.give(piece));
    expect(used.filter((piece) => sizeOf(piece) === PIECE_BYTES)).toHaveLength(2);
    expect(reader.bytes - left).toBe(used.reduce((bytes, piece) => bytes + sizeOf(piece), 0));
    expect(reader.take()).toEqual([]);
  });
});

describe('A reader', () => {
  it('works for a short time, however many fields there are, and takes no bytes until it has', () => {
    const metrics = Array.from({ length: 1400 }, (_, index) => `{"name":"m${index}","value":${index / 7}}`);
    const body = Buffer.from(`{"assets":[{"asset_id":"1","results":[{"metrics":[${metrics.join()}]}]}]}`);
    const reader = open(new Selection({ entries: aliases(490, rows) }), unlimited);
    reader.push(body);
    expect(reader.work()).toBe(true);
    expect(() => reader.push(body)).toThrow('There is work left.');
    let steps = 1;
    while (reader.work()) steps += 1;
    expect(steps).toBeGreaterThan(4);
    reader.end();
    while (reader.work());
    expect(JSON.parse(Buffer.concat(reader.take()).toString())[0].a489).toHaveLength(1);
  });
});
