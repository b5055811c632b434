import { readFileSync } from 'node:fs';

/** A fenced block of a page in Markdown. */
export interface Block {
  /** The first word after the fence. */
  readonly language: string;
  /** What follows that word; mostly empty. */
  readonly label: string;
  readonly code: string;
  /** The text between the fence before it and its own. */
  readonly before: string;
}

/** The fenced blocks of a page, in their order. */
export function blocksOf(path: string): Block[] {
  const parts = readFileSync(path, 'utf8').split(/^```(.*)\n/m);
  const blocks: Block[] = [];
  // Text, opening fence, code, closing fence, text, …
  for (let index = 1; index + 1 < parts.length; index += 4) {
    const [before = '', info = '', code = ''] = parts.slice(index - 1, index + 2);
    const [language = '', ...label] = info.split(' ');
    blocks.push({ language, label: label.join(' '), code, before });
  }
  return blocks;
}

/** The rows of the tables of a page whose head begins with these columns; of each row the texts of its cells. */
export function rowsOf(path: string, ...columns: readonly string[]): string[][] {
  const rows: string[][] = [];
  for (const table of readFileSync(path, 'utf8').split(/\n{2,}/)) {
    const [head, , ...lines] = table.split('\n').filter((line) => line.startsWith('|'));
    if (head?.startsWith(`| ${columns.join(' | ')} |`)) rows.push(...lines.map(cells));
  }
  return rows;
}

/** The texts within `code` marks. */
export function names(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

function cells(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}
