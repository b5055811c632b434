import { describe, expect, it } from 'vitest';
import type { HeldEntries } from '../entries.ts';
import { BodyError, Held, open, type Page, Selection, Workspace } from '../index.ts';
import { fieldsOf } from './fields.ts';
import { heldBody, inPieces, read, readBodies, unlimited, type Written } from './read.ts';

/** The ends of the list, entries that are read together, and bodies that are read one after another. */

const ids = { entries: fieldsOf(['asset', ['assetId']], 'rowCount') };
const idsOf = ({ list }: Written): string[] =>
  JSON.parse(list).map(({ asset }: { asset: { assetId: string } }) => asset.assetId);
const asset = (id: string, rows = '{}') => `{"asset_id":"${id}","results":[${rows}]}`;
const bodyOf = (...entries: string[]) => Buffer.from(`{"assets":[${entries.join()}],"source_id":"s"}`);

describe('The head', () => {
  it.each([
    ['has the number of entries, and the first and the last one', ['0', '1', '2']],
    ['has the same entry twice if there is one', ['7']],
    ['has none of an empty list', []],
  ])('%s', (_, all) => {
    const body = bodyOf('null', '{}', ...all.flatMap((id) => [asset(id), '5']));
    const ends = { start: { index: 0, assetId: all[0] }, end: { index: all.length - 1, assetId: all.at(-1) } };
    for (const lengths of [[1], [20, 3], [1000]]) {
      const whole = read(ids, inPieces(body, lengths), unlimited, { hasEnds: true });
      expect(idsOf(whole)).toEqual(all);
      expect(whole.reader.head).toEqual({
        ...{ sourceId: 's', errors: {}, count: all.length, omitted: all.length + 1 },
        ...(all.length > 0 && ends),
      });
    }
  });
});

describe('Entries of one asset', () => {
  it('are found in a body that is kept', () => {
    const texts = [
      '{"asset_id":"a"}',
      '{"asset_id":"é","asset_version":2}',
      '{ "asset_version":1,"asset_id":"a" }',
      asset('a'),
    ];
    const body = Buffer.from(`\ufeff{"assets":[${texts.join(' ,\n')},null,{}]}`);
    for (const pieces of [[1], [1000]]) {
      const { entries } = read({}, inPieces(body, pieces), unlimited, { index: Number.POSITIVE_INFINITY }).reader;
      const indices = texts.map((_, index) => index);
      expect(entries.length).toBe(texts.length);
      const textAt = (index: number) => {
        const { start, end } = entries.placeAt(index);
        return body.toString('utf8', start, end);
      };
      expect(indices.map(textAt)).toEqual(texts);
      expect(indices.map((index) => [entries.assetIdAt(index), entries.versionAt(index)])).toEqual([
        ...[
          ['a', undefined],
          ['é', 2n],
          ['a', 1n],
          ['a', undefined],
        ],
      ]);
    }
  });

  it('are read together if they have the highest version, whichever body they are in', () => {
    const entry = (version: string, date: number) =>
      `{"asset_id":"a","asset_version":${version},"results":[{"value_date":"${date}"}]}`;
    const bodies = [bodyOf(entry('null', 1), entry('3', 2), entry('2', 3), entry('3', 4)), bodyOf(entry('2', 5))];
    const indexed = bodies.map((bytes) => {
      const { entries } = read({}, [bytes], unlimited, { index: Number.POSITIVE_INFINITY }).reader;
      return { bytes, entries };
    });
    for (const all of [indexed, indexed.toReversed()]) {
      const rows = { entries: fieldsOf(['rows', ['valueDate']]) };
      const { list } = readBodies(rows, [new Held(all).find('a')], unlimited, { together: true });
      expect(list).toBe('[{"rows":[{"valueDate":"2"},{"valueDate":"4"}]}]');
    }
  });
});

describe('Bodies one after another', () => {
  const asked = { ...ids, all: fieldsOf('metricNames') };

  const readAll = (bodies: readonly Buffer[], lengths: readonly number[], page: Page = {}) =>
    readBodies(
      asked,
      bodies.map((body) => inPieces(body, lengths)),
      unlimited,
      page,
    );

  const first = Buffer.from(
    '\ufeff{"source_id":"a","assets":[{"asset_id":"0","results":5},{"asset_id":"1","results":[{"metrics":[{"name":"x"}]}]}]} ',
  );
  const second = Buffer.from('{"assets":[null,6,{"results":5,"asset_id":"2"}],"source_id":"b","processing_id":5}');
  const third = Buffer.from(
    '\ufeff{"assets":[{"asset_id":"3","results":[{},{"metrics":[{"name":"y"},{"name":"x"}]}]}]}',
  );

  it('are one list, with its indices, errors and figures', () => {
    for (const lengths of [[1], [7], [1000]]) {
      const { list, errors, reader } = readAll([first, second, third], lengths);
      expect(JSON.parse(list)).toEqual(
        [null, 1, null, 2].map((rowCount, index) => ({ asset: { assetId: String(index) }, rowCount })),
      );
      expect(errors.map(({ path, kind }) => [path.join('.'), kind])).toEqual([
        ...[
          ['0.rowCount', 'wrongType'],
          ['2.rowCount', 'wrongType'],
          ['metricNames', 'wrongType'],
        ],
      ]);
      expect(reader.head).toEqual({
        ...{ sourceId: 'b', processingId: null, errors: { processingId: 'wrongType' } },
        count: 4,
        omitted: 1,
      });
      expect(readAll([third, third], lengths).values).toEqual(['["y","x"]']);
    }
  });

  it('have a first entry in one and a last one in another', () => {
    const written = readAll([first, second, third], [5], { hasEnds: true });
    expect(idsOf(written)).toEqual(['0', '1', '2', '3']);
    expect(written.reader.head).toMatchObject({
      start: { index: 0, assetId: '0' },
      end: { index: 3, assetId: '3' },
      count: 4,
    });
  });

  it('have a list if one of them has', () => {
    const none = Buffer.from('{"source_id":"s"}');
    expect(idsOf(readAll([none, third, none], [3]))).toEqual(['3']);
    expect(readAll([none, none], [3])).toMatchObject({ list: 'null', values: ['null'], errors: [] });
    expect(readAll([none, Buffer.from('{"assets":5}')], [3]).errors).toHaveLength(2);
  });

  it.each([
    ['breaks off', '{"assets":[', 'incomplete'],
    ['is none', '[]', 'notJson'],
    ['has a list of a wrong type behind others', '{"assets":5}', 'unknown'],
    ['is unknown', '{"error":1}', 'unknown'],
  ])('are an error if one %s', (_, body, kind) => {
    expect(() => readAll([third, Buffer.from(body), third], [4])).toThrow(expect.objectContaining({ kind }));
  });
});

describe('A workspace', () => {
  const asked = { entries: fieldsOf(['rows', ['valueDate', ['metrics', ['name', 'value']]]]) };
  const bodyOf = (id: string) => Buffer.from(`{"processing_id":"p","assets":[${asset(id)}]}`);

  it('is of one reader after another', () => {
    const workspace = new Workspace();
    const reader = open(new Selection(asked), unlimited, {}, workspace);
    expect(() => open(new Selection(asked), unlimited, {}, workspace)).toThrow('is not closed');
    expect(workspace.clear()).toBe(false);
    reader.close();
    expect(workspace.clear()).toBe(true);
    for (const id of ['a', 'b']) {
      const own = read(asked, [bodyOf(id)], unlimited, {}, workspace);
      expect(own.list).toBe(read(asked, [bodyOf(id)]).list);
      own.reader.close();
    }
  });

  it('has nothing of what another reader has read', () => {
    const workspace = new Workspace();
    read(asked, [bodyOf('a')], unlimited, {}, workspace).reader.close();
    for (const pieces of [[], [Buffer.alloc(0)]])
      expect(() => {
        const reader = open(new Selection(asked), unlimited, {}, workspace);
        try {
          for (const piece of pieces) reader.push(piece);
          reader.end();
          while (reader.work());
        } finally {
          reader.close();
        }
      }).toThrow(new BodyError('incomplete'));
  });
});

describe('Entries of a body that is held', () => {
  const asked = { entries: fieldsOf(['asset', ['assetId']], ['rows', ['valueDate']]) };
  const long = 'x'.repeat(3 << 20);

  it.each([
    ['an unknown member', `{"asset_id":"a","more":"${long}"}`, []],
    ['a row', `{"asset_id":"a","results":[{"value_date":"${long}"},{"value_date":"2024"}]}`, ['tooLarge']],
    ['an attribute', `{"asset_id":"a","asset_name":"${long}"}`, []],
    ['an entry that does not count', `{"asset_id":"b"},"${long}",{"asset_id":"a"}`, []],
  ])('are read in chunks where %s is too large to be read in one step', (_, entries, kinds) => {
    const body = Buffer.from(`{"assets":[${entries},${asset('c')}]}`);
    const whole = read(asked, inPieces(body, [1 << 16]));
    expect(whole.errors.map(({ kind }) => kind)).toEqual(kinds);
    for (const length of [1 << 16, body.length]) {
      const held = heldBody(body, [length]);
      expect(held.bodies().flat().every(Buffer.isBuffer)).toBe(true);
      expect(held.find('a').every(Buffer.isBuffer)).toBe(true);
      expect(readBodies(asked, held.bodies())).toMatchObject({ list: whole.list, errors: whole.errors });
    }
  });

  it('are read where they are, but for the last one if nothing follows it in memory', () => {
    const text = `{"assets":[${asset('a')},${asset('b')},{"asset_id":"c"}]}`;
    const memory = Buffer.from(new ArrayBuffer(text.length + 64));
    memory.write(text, 32);
    for (const body of [memory.subarray(32, 32 + text.length), Buffer.from(new ArrayBuffer(text.length))]) {
      if (body.buffer !== memory.buffer) body.write(text);
      const held = heldBody(body);
      const parts = held.bodies().flat() as HeldEntries[];
      expect(parts.map(({ buffer }) => buffer.buffer === body.buffer)).toEqual(
        body.buffer === memory.buffer ? [true] : [true, false],
      );
      expect(readBodies(asked, held.bodies()).list).toBe(read(asked, [Buffer.from(text)]).list);
      for (const id of ['a', 'b', 'c']) expect(held.asset(id)?.values.assetId).toBe(id);
    }
  });
});
