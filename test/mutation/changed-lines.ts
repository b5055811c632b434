/**
 * The lines that a diff without context adds or changes, by file.
 *
 * @param diff the output of `git diff --unified=0`
 */
export function changedLines(diff: string): Map<string, Set<number>> {
  const files = new Map<string, Set<number>>();
  let lines = new Set<number>();
  // Lines of the files themselves, which may look like anything.
  let left = 0;
  for (const line of diff.split('\n')) {
    if (left > 0) {
      if (!line.startsWith('\\')) left -= 1;
      continue;
    }
    const file = /^\+\+\+ (?:b\/(.*)|\/dev\/null)$/.exec(line);
    if (file) {
      lines = new Set();
      if (file[1] !== undefined) files.set(file[1], lines);
      continue;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (!hunk) continue;
    const [removed, first, added] = [Number(hunk[1] ?? 1), Number(hunk[2]), Number(hunk[3] ?? 1)];
    for (let number = first; number < first + added; number += 1) lines.add(number);
    left = removed + added;
  }
  return files;
}
