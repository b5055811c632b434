import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** The most lines of a file. A file whose header comment has a sentence that starts with "Over 300 lines:" may have more. */
const MAX_LINES = 300;

const files = ['src', 'ask', 'explorer', 'simulator', 'test']
  .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,js,cjs,mjs}`))
  .filter((file) => !/^src\/generated\/|\/node_modules\//.test(file));

/** Whether a file has too many lines, and no reason for it in the comment at its start. */
function isTooLong(text: string): boolean {
  const [header = ''] = /^(?:\s*(?:\/\/.*|\/\*[\s\S]*?\*\/))*/.exec(text) ?? [];
  return text.split('\n').length - 1 > MAX_LINES && !/(?:^|[.:*/]\s+)Over 300 lines: \S/m.test(header);
}

describe('The length of files', () => {
  it('is 300 lines or fewer, or the header of the file says why', () => {
    expect(files.length).toBeGreaterThan(250);
    const tooLong = files.filter((file) => isTooLong(readFileSync(file, 'utf8')));
    expect(tooLong).toEqual([]);
  });

  it.each([
    ['300 lines', 'a\n'.repeat(300), false],
    ['301 lines', 'a\n'.repeat(301), true],
    ['301 lines with a reason', `// Over 300 lines: it is one table.\n${'a\n'.repeat(300)}`, false],
    [
      'a reason after another sentence',
      `/**\n * A table. Over 300 lines: it is one.\n */\n${'a\n'.repeat(300)}`,
      false,
    ],
    [
      'a reason in a line of its own',
      `/**\n * A table.\n * Over 300 lines: it is one.\n */\n${'a\n'.repeat(300)}`,
      false,
    ],
    ['no reason', `// Over 300 lines: \n${'a\n'.repeat(300)}`, true],
    ['a reason that is not in the header', `a\n// Over 300 lines: it is one table.\n${'a\n'.repeat(300)}`, true],
  ])('counts %s', (_what, text, tooLong) => expect(isTooLong(text)).toBe(tooLong));
});
