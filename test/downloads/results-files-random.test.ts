import { describe, it } from 'vitest';
import { timeLimit } from '../oracle/field.ts';
import { compareFile } from '../oracle/file.ts';
import { bodies } from '../support/fast-path-bodies.ts';

/** How many bodies are tried: a twentieth of `FAST_PATH_CASES`, and 100 at least. */
const CASES = Math.max(100, Number(process.env.FAST_PATH_CASES ?? 0) / 20);

describe('A file of random results', () => {
  it('has exactly their rows, or is an error', { timeout: timeLimit(CASES) }, async () => {
    await compareFile({
      cases: CASES,
      bodies,
      settings: [{}, { holdBytes: 1024 }],
      file: ({ dice }) => ({
        format: dice.of(['ndjson', 'ndjson', 'csv', 'arrow']),
        layout: dice.of(['long', 'wide']),
      }),
    });
  });
});
