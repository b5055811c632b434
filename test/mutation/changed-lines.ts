/**
 * The lines that a diff adds or changes, by file.
 *
 * @param diff the output of `git diff --unified=0`
 */
export function changedLines(diff: string): Map<string, Set<number>> {
  const files = new Map<string, Set<number>>();
  // Lines of the files themselves begin with a sign.
  for (const section of diff.split(/^diff --git .*\n/m)) {
    const [, file] = /^(?:\w.*\n)*--- .*\n\+\+\+ b\/(.*)$/m.exec(section) ?? [];
    if (file === undefined) continue;
    const lines = new Set<number>();
    for (const [, first, added = 1] of section.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm))
      for (let line = Number(first); line < Number(first) + Number(added); line += 1) lines.add(line);
    files.set(file, lines);
  }
  return files;
}
