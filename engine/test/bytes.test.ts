import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomCases } from '../../test/support/random-cases.ts';
import { Bytes, literal } from '../bytes.ts';
import { FieldError } from '../errors.ts';
import { Memory, PIECE_BYTES, sizeOf } from '../memory.ts';

/** Bytes are those that were written, in pieces that move and count. */

const unlimited = { work: Number.POSITIVE_INFINITY };

type Step =
  | ['text' | 'literal' | 'other', number]
  | ['byte' | 'adopt' | 'append' | 'take' | 'takeOut']
  | ['rewind', number];

const sizes = fc.oneof(
  { weight: 3, arbitrary: fc.oneof(fc.nat(40), fc.nat(3000)) },
  { weight: 1, arbitrary: fc.oneof(fc.nat(200_000), fc.constantFrom(PIECE_BYTES - 8, PIECE_BYTES)) },
);
const steps = fc.array(
  fc.oneof(
    fc.tuple(fc.constantFrom('text', 'literal', 'other'), sizes),
    fc.tuple(fc.constantFrom('byte', 'adopt', 'append', 'take', 'takeOut')),
    fc.tuple(fc.constant('rewind'), fc.double({ min: 0, max: 1, noNaN: true })),
  ) as fc.Arbitrary<Step>,
  { maxLength: 12 },
);

const sizeOfAll = (pieces: readonly Buffer[]) => pieces.reduce((bytes, piece) => bytes + sizeOf(piece), 0);

describe('Bytes', () => {
  it('are what was written, and memory counts what they hold', { tags: ['random'], timeout: 600_000 }, () => {
    fc.assert(
      fc.property(steps, fc.constantFrom(64, 1024, 4096, 8192, 100_000), (all, capacity) => {
        const memory = new Memory();
        const [bytes, others] = [new Bytes(memory, capacity, false), new Bytes(memory, 64, false)];
        const nothing = bytes.buffer;
        let [written, ofOthers, letter] = ['', '', 0];
        /** What has left them, but still counts. */
        const taken: Buffer[] = [];
        const check = (pieces: readonly Buffer[]) => {
          expect(Buffer.concat(pieces).toString()).toBe(written);
          written = '';
          return pieces;
        };
        for (const [step, size = 0] of all) {
          letter = (letter + 1) % 26;
          const text = String.fromCharCode(0x61 + letter).repeat(step === 'rewind' ? 0 : size);
          if (step === 'text') bytes.text(text);
          if (step === 'literal') bytes.literal(literal(text));
          if (step === 'text' || step === 'literal') written += text;
          if (step === 'other') {
            others.text(text);
            ofOthers += text;
          }
          if (step === 'byte') {
            bytes.byte(0x21);
            written += '!';
          }
          if (step === 'append') bytes.append(others);
          if (step === 'adopt') bytes.adopt(others);
          if (step === 'append' || step === 'adopt') written += ofOthers;
          if (step === 'adopt') {
            others.rewind(0);
            ofOthers = '';
          }
          if (step === 'rewind') {
            const to = Math.floor(size * written.length);
            bytes.rewind(to);
            written = written.slice(0, to);
          }
          if (step === 'take') taken.push(...check(bytes.takeAll()));
          if (step === 'takeOut') check(bytes.takeOut());
          expect(bytes.position).toBe(written.length);
          expect(others.position).toBe(ofOthers.length);
        }
        taken.push(...check(bytes.takeAll()), ...others.takeAll());
        for (const piece of taken) memory.give(piece);
        // What was not taken had no bytes; what waits to be used again still counts.
        const empty = [bytes, others].map(({ buffer }) => buffer).filter((buffer) => buffer !== nothing);
        expect(memory.bytes).toBe(memory.spareBytes + sizeOfAll(empty));
      }),
      { numRuns: randomCases(10_000) },
    );
  });

  it('beyond the limit of memory are a failure of their field, and stay what they are', () => {
    const memory = new Memory();
    memory.begin({ ...unlimited, memory: 3 * PIECE_BYTES });
    const bytes = new Bytes(memory, 64);
    const write = () => {
      for (;;) bytes.text('0123456789');
    };
    expect(write).toThrow(new FieldError('memoryExceeded'));
    expect(memory.bytes).toBeLessThanOrEqual(3 * PIECE_BYTES);
    expect(Buffer.concat(bytes.takeOut()).toString()).toMatch(/^(?:0123456789){50000,}$/);
    expect(memory.bytes).toBe(memory.spareBytes);
  });
});
