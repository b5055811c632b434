import { describe, it } from 'vitest';
import { timeLimit } from '../oracle/field.ts';
import { compareFile } from '../oracle/file.ts';
import { bodies } from '../support/random-bodies.ts';
import { randomCases } from '../support/random-cases.ts';

/** How many bodies are tried. */
const CASES = randomCases(400);

describe('A file of random results', () => {
  it('has exactly their rows, or is an error', { tags: ['random'], timeout: timeLimit(CASES) }, async () => {
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
