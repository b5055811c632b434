import { expect, it } from 'vitest';
import { DONE, MetricsWriter, ObjectWriter } from '../by-metric.ts';
import { Bytes, literal } from '../bytes.ts';
import type { Selected } from '../field.ts';
import { writeNumbers, writeTexts } from '../lists.ts';
import { Memory } from '../memory.ts';

/** Long lists are written part by part. */

const newBytes = () => new Bytes(new Memory(), 64);
const textOf = (out: Bytes) => Buffer.concat(out.takeAll()).toString();

/** Writes a list. Returns its parts. */
function partsOf(write: (out: Bytes, from: number) => number): string[] {
  const parts: string[] = [];
  for (let from = 0; from !== DONE; ) {
    const out = newBytes();
    from = write(out, from);
    parts.push(textOf(out));
  }
  return parts;
}

it('writes numbers, of which each part has at most 2,048', () => {
  const list = Array.from({ length: 5000 }, (_, index) => (index % 3 === 0 ? Number.NaN : -index / 7));
  const parts = partsOf((out, from) => writeNumbers(out, list.length, from, (index) => list[index] as number));
  expect(parts.map((part) => part.split(',').length - (part.startsWith(',') ? 1 : 0))).toEqual([2048, 2048, 904]);
  expect(parts.join('')).toBe(JSON.stringify(list));
  expect(partsOf((out, from) => writeNumbers(out, 2048, from, () => -0))).toEqual([
    JSON.stringify(Array(2048).fill(0)),
  ]);
  expect(partsOf((out, from) => writeNumbers(out, 0, from, () => 1))).toEqual(['[]']);
});

it('writes texts, of which each part has about 32,768 characters', () => {
  const list = ['é'.repeat(40_000), ...Array.from({ length: 4000 }, (_, index) => `"${index + 10_000}\\`)];
  const parts = partsOf((out, from) => writeTexts(out, list.length, from, (index) => list[index] as string));
  expect(parts.map(({ length }) => length)).toEqual([40_003, expect.any(Number)]);
  expect(parts.join('')).toBe(JSON.stringify(list));
  expect(partsOf((out, from) => writeTexts(out, 0, from, () => ''))).toEqual(['[]']);
});

const selected = (keys: readonly string[]): Selected => ({
  ...{
    key: '',
    field: '',
    args: {},
    origin: undefined,
    shape: '',
    type: undefined,
    invalid: undefined,
    end: literal(keys.length > 0 ? '}' : '{}'),
  },
  select: keys.map((key, index) => ({
    ...{
      key,
      field: key,
      args: {},
      select: [],
      end: literal(''),
      origin: undefined,
      shape: '',
      type: undefined,
      invalid: undefined,
    },
    prefix: literal(`${index === 0 ? '{' : ','}"${key}":`),
  })),
  prefix: literal(''),
});

it('writes objects for metrics part by part, and begins anew behind one that fails', () => {
  const out = newBytes();
  let failing = false;
  const writer = new MetricsWriter<string>(selected(['a', 'b']), (into, name, { key }, from, metric) => {
    if (failing && key === 'b') {
      if (from === 0) return 1;
      throw new Error('full');
    }
    if (key === 'a' && from < 2) return from + 1;
    into.text(JSON.stringify(key === 'a' ? name : 'x'.repeat(20_000 * metric)));
    return DONE;
  });
  const all = ['m', 'n', 'o'];
  let parts = 1;
  while (writer.write(out, all)) parts += 1;
  // Two for each `a` that is not written at once, and one where it had become long.
  expect(parts).toBe(7);
  const [first, ...others] = JSON.parse(textOf(out));
  expect(first).toEqual({ a: 'm', b: '' });
  expect(others.map(({ a, b }: { a: string; b: string }) => [a, b.length])).toEqual([
    ['n', 20_000],
    ['o', 40_000],
  ]);
  failing = true;
  expect(() => {
    while (writer.write(out, all));
  }).toThrow('full');
  out.rewind(0);
  failing = false;
  while (writer.write(out, all));
  expect(JSON.parse(textOf(out))).toHaveLength(3);
  const empty = new MetricsWriter<string>(selected([]), () => DONE);
  expect(empty.write(out, all)).toBe(false);
  expect(empty.write(out, [])).toBe(false);
  expect(textOf(out)).toBe('[{},{},{}][]');
});

it('writes an object until it is long', () => {
  const out = newBytes();
  const writer = new ObjectWriter(selected(['a', 'b', 'c']));
  const write = ({ key }: Selected) => {
    out.text(JSON.stringify(key === 'a' ? 'x'.repeat(32_768) : key));
    return DONE;
  };
  expect(writer.write(out, write)).toBe(true);
  expect(writer.write(out, write)).toBe(false);
  expect(JSON.parse(textOf(out))).toEqual({ a: 'x'.repeat(32_768), b: 'b', c: 'c' });
});
