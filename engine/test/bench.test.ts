import { describe, expect, it } from 'vitest';
import { changes, piecesOf, sizeOf } from '../bench/bodies.ts';
import { contestants } from '../bench/contestants.ts';
import { names } from '../bench/selections.ts';

/** What the benchmark compares does the same. */

const written = async (who: string, name: string, body: Iterable<Buffer>) => {
  const pieces: Buffer[] = [];
  await contestants[who]?.(name)(body, (piece) => pieces.push(Buffer.from(piece)));
  return Buffer.concat(pieces).toString();
};

describe.each(names)('The contestants of the benchmark write the same %s', (name) => {
  it.each(Object.keys(contestants))('%s', async (who) => {
    const body = [...piecesOf(sizeOf('4x30x5'))];
    const expected = await written('JSON.parse of all', name, body);
    expect(JSON.parse(expected)).toHaveLength(4);
    expect(await written(who, name, body)).toBe(expected);
    expect(await written(who, name, [Buffer.concat(body)])).toBe(expected);
  });
});

describe('The odd bodies of the benchmark', () => {
  it.each(Object.entries(changes))('have %s', (_, change) => {
    const bodyOf = (pieces: Iterable<Buffer>) => JSON.parse(Buffer.concat([...pieces]).toString());
    const size = sizeOf('502x2x3');
    const [clean, odd] = [bodyOf(piecesOf(size)), bodyOf(piecesOf(size, change))];
    const changed = clean.assets.filter((asset: unknown, index: number) => {
      return JSON.stringify(asset) !== JSON.stringify(odd.assets[index]);
    });
    expect([1, 502]).toContain(changed.length);
  });
});
