import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readResults } from '../../test/oracle/body.ts';
import { NUMBERS, STRINGS } from '../../test/support/json-text.ts';
import { randomCases } from '../../test/support/random-cases.ts';
import { BodyError } from '../index.ts';
import { EVERYTHING, everything } from './ask.ts';
import { inPieces, read } from './read.ts';
import { expectRight, withoutStacks } from './right.ts';

/** Bodies that break off or are damaged: each is an error, or what the oracle says. None looks complete that is not. */

const row = (date: string, metrics: string) => `{"value_date":${date},"metrics":${metrics}}`;

/** A body with everything that a body may have. */
const body = Buffer.from(
  `\ufeff{ "processing_id":"p\\n","extra":[true,false,null,{"a":[-1.5e-3,"é💥"]}],"assets":[${[
    `{"asset_id":"é1","asset_name":"N\\u0061","asset_version":-2,"asset_categories":["x",null,"é"],"asset_geometry":{"r":[[1,2],[]]},
"asset_centroid_latitude":1.5,"asset_centroid_longitude":-0,"asset_surface_area_m2":1e3,"parent_asset_id":"p",
"parent_asset_name":null,"parent_asset_version":7,"results":[${[
      row('"2024-01-31T00:00:00Z"', '[{"name":"a","value":-0.5},{"name":"b","value":1e2}]'),
      row('"2024-02-29T00:00:00Z"', '[{"name":"a","value":12},{"name":"b","value":0.25}]'),
      row('null', '[{"name":"a","value":0}, {"value":null,"name":"b","q":"\\""}]'),
      '{"metrics":[{"name":"a","value":"NaN"},{"name":"a","value":1},{"name":5,"value":true},null,6],"value_date":5}',
      '{"value_date":"x","value_date":"2024","metrics":null,"w":{}}',
      `null,{}`,
    ].join(',')}]}`,
    '{"results":[],"asset_id":"2"}',
    '{"asset_id":"3","results":null},null',
  ].join(', ')} ],"source_id":null} \n`,
);

const tokens = [
  ...NUMBERS.slice(0, 12),
  ...STRINGS,
  'null',
  'true',
  '{}',
  '[]',
  '"a"',
  '"asset_id"',
  '"results"',
  '1e400',
];
const texts = fc.constantFrom(...[...'{}[]",:\\u0x19-+.eEnt \n\t', '', ...tokens].map((text) => Buffer.from(text)));
const byte = fc.nat(255).map((value) => Buffer.of(value));
/** A place, what is put there, and how many bytes it replaces. */
const edit = fc.tuple(fc.nat(body.length), fc.oneof({ weight: 3, arbitrary: texts }, byte), fc.nat(3));
const pieces = fc.oneof(
  fc.constant([1 << 18]),
  fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 3 }),
);

/** What is read of bytes in such pieces; undefined if they are no body. */
function attempt(bytes: Buffer, ...lengths: readonly number[]): string | undefined {
  try {
    return withoutStacks(() => read(everything, inPieces(bytes, lengths)).list);
  } catch (error) {
    if (error instanceof BodyError) return undefined;
    throw error;
  }
}

describe('A body', () => {
  it('that is whole is what the oracle says, in pieces of any length', () => {
    const lengths = [1, 2, 3, 7, 64, 256, body.length];
    const ways = lengths.map((length) => [length]);
    expect(expectRight(EVERYTHING, body.toString(), ways)).toBeGreaterThan(5);
    expect(new Set(lengths.map((length) => attempt(body, length))).size).toBe(1);
  });

  it('that breaks off anywhere is an error, and whole with the rest', () => {
    const whole = attempt(body, body.length);
    const end = body.lastIndexOf('}');
    for (let at = 0; at <= end; at += 1) {
      const start = body.subarray(0, at);
      expect(attempt(start, at), String(at)).toBeUndefined();
      // The last byte comes alone.
      if (at > 1) expect(attempt(start, at - 1, 1), String(at)).toBeUndefined();
      if (at > 0) expect(attempt(body, at, body.length), String(at)).toBe(whole);
    }
    expect(attempt(body.subarray(0, end + 1), body.length)).toBe(whole);
  });

  it('with changed, inserted and removed bytes is an error, or what the oracle says', {
    tags: ['random'],
    timeout: 600_000,
  }, () => {
    let valid = 0;
    let invalid = 0;
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), pieces, (edits, lengths) => {
        const changed = edits.reduce(
          (before, [at, text, removed]) => Buffer.concat([before.subarray(0, at), text, before.subarray(at + removed)]),
          body,
        );
        const text = changed.toString();
        if (isUtf8(changed) && readResults(text) !== undefined) {
          valid += 1;
          expectRight(EVERYTHING, text, [lengths], false);
        } else {
          invalid += 1;
          if (attempt(changed, ...lengths) !== undefined) throw new Error(`This was taken for a body: ${text}`);
        }
      }),
      { numRuns: randomCases(100_000) },
    );
    expect(Math.min(valid, invalid)).toBeGreaterThan(0);
  });
});
