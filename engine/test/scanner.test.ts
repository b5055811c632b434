import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NUMBERS, STRINGS } from '../../test/support/json-text.ts';
import { randomCases } from '../../test/support/random-cases.ts';
import { BodyError, needsBytes, PADDING, Scanner, viewOf } from '../scanner.ts';
import { inPieces } from './read.ts';

/** The grammar of RFC 8259, as JSON.parse has it. */

/** Lets a scanner read these bytes, from the first one on. */
function give(scanner: Scanner, bytes: Buffer): void {
  const buffer = Buffer.concat([bytes, Buffer.alloc(PADDING)]);
  scanner.read({ buffer, view: viewOf(buffer) }, bytes.length);
}

function scannerOf(text: string): Scanner {
  const scanner = new Scanner();
  give(scanner, Buffer.from(text));
  return scanner;
}

type Outcome = 'whole' | 'cut' | 'invalid';

/** What becomes of reading something, and of white space behind it. */
function outcomeOf(scanner: Scanner, read: () => void): Outcome {
  try {
    read();
    return scanner.next() === 0 && scanner.at === scanner.end ? 'whole' : 'invalid';
  } catch (error) {
    if (error === needsBytes) return 'cut';
    if (error instanceof BodyError && error.kind === 'notJson') return 'invalid';
    throw error;
  }
}

function outcome(text: string): Outcome {
  const scanner = scannerOf(text);
  return outcomeOf(scanner, () => scanner.skip());
}

/** The same for pieces of so many bytes. What was read is gone when the next one comes. */
function outcomeInPieces(text: string, lengths: readonly number[]): Outcome {
  const scanner = new Scanner();
  give(scanner, Buffer.alloc(0));
  scanner.beginSkip();
  let last: Outcome = 'cut';
  for (const piece of inPieces(Buffer.from(text), lengths)) {
    give(scanner, Buffer.concat([scanner.bytes.subarray(scanner.at, scanner.end), piece]));
    if (last !== 'cut') {
      if (scanner.next() !== 0 || scanner.at < scanner.end) return 'invalid';
    } else last = outcomeOf(scanner, () => scanner.skipOn());
    if (last === 'invalid') return last;
  }
  return last;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const spaces = ['', '', '', ' ', '\n', '\r\n\t'];
const leaves = [...STRINGS, ...NUMBERS, 'true', 'false', 'null', '"a"', '"\\u00e9\\b\\f\\r\\t"', '"é💥"', '-1e-7'];

/** Lists and objects of everything. */
const texts = fc.letrec<{ value: string; list: string; object: string }>((tie) => {
  const space = fc.constantFrom(...spaces);
  const joined = (open: string, close: string, items: fc.Arbitrary<string[]>) =>
    fc.tuple(space, items).map(([gap, all]) => `${open}${gap}${all.join(`${gap},`)}${close}${gap}`);
  const member = fc.tuple(fc.constantFrom('"a"', '""', '"\\u0041é"'), space, tie('value'));
  return {
    value: fc.oneof({ maxDepth: 4, withCrossShrink: true }, fc.constantFrom(...leaves), tie('list'), tie('object')),
    list: joined('[', ']', fc.array(tie('value'), { maxLength: 4 })),
    object: joined(
      '{',
      '}',
      fc.array(
        member.map(([name, gap, value]) => `${gap}${name}${gap}:${gap}${value}`),
        { maxLength: 4 },
      ),
    ),
  };
});
const text = fc.oneof(texts.list, texts.object);

const changes = [...'{}[]",:\\u/bfnrtx0189-+.eEals \t\u0000\u0001\u001f\u007f\u00a0\ufeff\u2028', ''];
const changed = fc
  .tuple(text, fc.array(fc.tuple(fc.nat(), fc.constantFrom(...changes), fc.nat(2)), { minLength: 1, maxLength: 3 }))
  .map(([original, edits]) =>
    edits.reduce((before, [position, change, removed]) => {
      const at = position % before.length;
      return before.slice(0, at) + change + before.slice(at + removed) || '[';
    }, original),
  );
const lengths = fc.oneof(fc.constant([1]), fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 3 }));

describe('The scanner', () => {
  it('takes each text that JSON.parse takes, and no other, in any pieces', {
    tags: ['random'],
    timeout: 600_000,
  }, () => {
    let valid = 0;
    let invalid = 0;
    fc.assert(
      fc.property(fc.oneof(changed, text), lengths, (json, pieces) => {
        // A number at the end may go on: the bytes are those of a list or an object.
        const whole = /^\s*[[{]/.test(json) ? json : `[${json}]`;
        const isValid = isJson(whole);
        if (isValid) valid += 1;
        else invalid += 1;
        expect(outcome(whole) === 'whole').toBe(isValid);
        expect(outcomeInPieces(whole, pieces) === 'whole').toBe(isValid);
      }),
      { numRuns: randomCases(30_000) },
    );
    expect(Math.min(valid, invalid)).toBeGreaterThan(0);
  });

  it('says of each text that is cut anywhere that it goes on', { tags: ['random'], timeout: 600_000 }, () => {
    fc.assert(
      fc.property(text, (padded) => {
        const json = padded.trim();
        for (let at = 0; at < json.length; at += 1) expect(outcome(json.slice(0, at)), json.slice(0, at)).toBe('cut');
        expect(outcome(json)).toBe('whole');
      }),
      { numRuns: randomCases(3_000) },
    );
  });

  it.each([
    [
      'numbers',
      ['01', '-', '-01', '+1', '.5', '1.', '1.e5', '1e', '1e+', '0x1', '1_0', 'NaN', 'Infinity', '-Infinity'],
    ],
    ['words', ['nul', 'nulll', 'True', 'truefalse', 'undefined']],
    ['strings', [`'a'`, '"\\x"', '"\\u12g4"', '"\\u12"', '"\n"', '"\t"', '"\u0000"', '"\u001f"', '"a""b"', '"\\']],
    ['lists', ['[1,]', '[,1]', '[1 2]', '[1,,2]', '[', ']', '[}', '[1]]']],
    ['objects', ['{"a"}', '{"a":}', '{a:1}', '{"a":1,}', '{,"a":1}', '{"a":1 "b":2}', '{1:2}', '{]', '{"a" 1}']],
    ['white space', ['[\u00a01]', '[\u000b1]', '[\u000c1]', '\ufeff[]', '[\u2028]', '[1/**/]']],
  ])('takes no other %s', (_, invalid) => {
    expect(invalid.filter((each) => isJson(`[${each}]`))).toEqual([]);
    expect(invalid.filter((each) => outcome(`[${each}]`) === 'whole')).toEqual([]);
    expect(invalid.filter((each) => outcomeInPieces(`[${each}]`, [1]) === 'whole')).toEqual([]);
  });

  it('does not take a zero for the end of the bytes', () => {
    expect(() => scannerOf('[1\u0000').skip()).toThrow(new BodyError('notJson'));
    expect(() => scannerOf('[1').skip()).toThrow(needsBytes);
  });

  it.each([
    ['lists', (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
    ['objects', (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`],
  ])('skips %s that are nested 1,000 deep, and no deeper', (_, nested) => {
    expect(outcome(nested(1000))).toBe('whole');
    expect(outcomeInPieces(nested(1000), [1])).toBe('whole');
    for (const skip of [outcome, (json: string) => outcomeInPieces(json, [1])])
      expect(() => skip(nested(1001))).toThrow(new BodyError('tooDeep'));
  });

  it('needs none of the bytes before where it goes on', () => {
    const scanner = scannerOf('');
    scanner.beginSkip();
    let most = 0;
    const json = JSON.stringify({ a: ['x'.repeat(10_000), { b: [1, 2.5, true, null] }, 'é\n'.repeat(5000)] });
    for (const byte of inPieces(Buffer.from(json), [1])) {
      const rest = scanner.bytes.subarray(scanner.at, scanner.end);
      most = Math.max(most, rest.length);
      give(scanner, Buffer.concat([rest, byte]));
      outcomeOf(scanner, () => scanner.skipOn());
    }
    expect(scanner.at).toBe(scanner.end);
    expect(most).toBeLessThan(8);
  });
});

describe('Names', () => {
  const names = ['a', 'ab', 'value_date', ''].map((name) => Buffer.from(name));

  it.each([
    ['"a":1', 0],
    [' "ab" : 1', 1],
    ['"value_date"\n:\t1', 2],
    ['"":1', 3],
    ['"\\u0061":1', 0],
    ['"\\u0061\\u0062":1', 1],
    ['"value\\u005fdate":1', 2],
    ['"A":1', -1],
    ['"abc":1', -1],
    ['"b":1', -1],
    ['"a\\u0000":1', -1],
    ['"\\ud800":1', -1],
    ['"\\"a":1', -1],
    ['"value_data":1', -1],
  ])('%s is name %i', (json, index) => {
    const scanner = scannerOf(json);
    expect(scanner.name(names)).toBe(index);
    expect(scanner.bytes[scanner.at]).toBe(0x31);
    for (let at = 0; at < json.length - 1; at += 1)
      expect(() => scannerOf(json.slice(0, at)).name(names), json.slice(0, at)).toThrow(needsBytes);
  });

  it.each(['a:1', '"a" 1', '"a"=1', '"a\u0000":1', '"a":\u0000', '1:1'])('%j is none', (json) => {
    expect(() => scannerOf(json).name(names)).toThrow(new BodyError('notJson'));
  });
});
