import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NUMBERS, STRINGS } from '../../test/support/json-text.ts';
import { randomCases } from '../../test/support/random-cases.ts';
import { BodyError, Members } from '../index.ts';
import { inPieces } from './read.ts';

/** The known members of an object, as JSON.parse has them. */

interface Read {
  readonly values: Record<string, string>;
  readonly count: number;
}

function membersOf(bytes: Buffer, names: readonly string[], lengths: readonly number[]): Read {
  const members = new Members(names);
  for (const piece of inPieces(bytes, lengths)) {
    const chunk = Buffer.from(piece);
    members.push(chunk);
    chunk.fill(0x78);
    while (members.work());
  }
  members.end();
  return { values: Object.fromEntries(members.values), count: members.count };
}

function kindOf(bytes: Buffer, lengths: readonly number[]): BodyError['kind'] | undefined {
  try {
    membersOf(bytes, ['a'], lengths);
    return undefined;
  } catch (error) {
    if (error instanceof BodyError) return error.kind;
    throw error;
  }
}

const everyWay = [[1], [3, 1], [1 << 20]];

describe('Known members', () => {
  it.each([
    ['is its text, of whatever kind', '{"a":-1.50e3,"b":"\\u00e9 é","c":null,"d":true}', 4],
    ['is the last one', '{"a":1,"b":0,"a":2,"\\u0061":3}', 4],
    ['is an empty list instead of a list or an object', '{"a":[[1],{}],"b":{"a":5}}', 2],
    ['is not one of what is skipped', '{"x":{"a":1},"y":[{"a":2}],"a":3}', 3],
    ['is there behind a byte order mark and white space', '\ufeff {\n"a" : 1 , "z" : [ ] }\r\n', 2],
    ['is absent of an empty object', ' { } ', 0],
  ])('the value of each %s', (_, text, count) => {
    const parsed = JSON.parse(text.replace('\ufeff', ''));
    for (const lengths of everyWay) {
      const read = membersOf(Buffer.from(text), ['a', 'b', 'c', 'd'], lengths);
      expect(read.count).toBe(count);
      const values = Object.entries(read.values).map(([name, json]) => [name, JSON.parse(json)]);
      const nested = (value: unknown) => (typeof value === 'object' && value !== null ? [] : value);
      const known = Object.entries(parsed).filter(([name]) => 'abcd'.includes(name));
      expect(Object.fromEntries(values)).toEqual(
        Object.fromEntries(known.map(([name, value]) => [name, nested(value)])),
      );
    }
  });

  it('keep the digits of numbers', () => {
    const read = membersOf(Buffer.from('{"a":9007199254740993,"b":1e400}'), ['a', 'b'], [5]);
    expect(read.values).toEqual({ a: '9007199254740993', b: '1e400' });
  });

  it('are found among others of any size, which need no memory', () => {
    const long = Buffer.alloc(3 << 20, 'x').toString();
    const body = Buffer.from(`{"x":"${long}","y":["${long}",{"z":1}],"a":"${long.slice(0, 200_000)}","b":7}`);
    const read = membersOf(body, ['a', 'b'], [1 << 16]);
    expect(read).toEqual({ values: { a: `"${long.slice(0, 200_000)}"`, b: '7' }, count: 4 });
  });

  it.each([
    ['incomplete', ['', ' ', '{', '{"a"', '{"a":', '{"a":1', '{"a":"x', '{"x":[1', '{"a":1,']],
    ['notJson', ['[]', '1', '{a:1}', '{"a":1,}', '{,}', '{"a":01}', '{"x":[1,]}', '{"a":1}{', '{"a":1} x', '{"a" 1}']],
  ] as const)('end with the error "%s"', (kind, texts) => {
    for (const text of texts)
      for (const lengths of everyWay) expect([text, kindOf(Buffer.from(text), lengths)]).toEqual([text, kind]);
  });

  it('end with the error "notUtf8", also in what is skipped', () => {
    for (const text of ['{"a":"\xff"}', '{"x":"\xc3"}', '{"x":["\xe9"]}', '{"\xff":1}'])
      for (const lengths of everyWay) expect(kindOf(Buffer.from(text, 'latin1'), lengths)).toBe('notUtf8');
  });

  it('are those of JSON.parse in any object, in any pieces', { tags: ['random'], timeout: 600_000 }, () => {
    const value = fc.oneof(
      ...[fc.constantFrom(...NUMBERS), fc.constantFrom(...STRINGS), fc.json({ maxDepth: 2 })],
      fc.constantFrom('true', 'false', 'null', '[]', '{"a":[{"b":1}]}'),
    );
    const member = fc.tuple(fc.constantFrom('a', 'b', 'x', '\\u0061', ''), value);
    fc.assert(
      fc.property(
        fc.array(member, { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 3 }),
        (members, lengths) => {
          const text = `{${members.map(([name, json]) => `"${name}":${json}`).join()}}`;
          let parsed: Record<string, unknown>;
          try {
            parsed = JSON.parse(text);
          } catch {
            expect(kindOf(Buffer.from(text), lengths)).not.toBe(undefined);
            return;
          }
          const read = membersOf(Buffer.from(text), ['a', 'b'], lengths);
          expect(read.count).toBe(members.length);
          for (const name of ['a', 'b']) {
            const known = parsed[name];
            const expected = typeof known === 'object' && known !== null ? [] : known;
            const json = read.values[name];
            expect(json === undefined ? undefined : JSON.parse(json)).toEqual(expected);
          }
        },
      ),
      { numRuns: randomCases(2000) },
    );
  });
});
