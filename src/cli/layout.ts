import stringWidth from 'string-width';

/** Columns that a text takes in a terminal. */
export const widthOf = (text: string): number => stringWidth(text);

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A text in at most so many columns; one that is cut ends in `…` or, without Unicode, in `~`. */
export function cut(text: string, width: number, unicode: boolean): string {
  if (widthOf(text) <= width) return text;
  return `${split(text, width - 1)[0]}${unicode ? '…' : '~'}`;
}

/** A text and spaces that make it so many columns wide; numbers stand at the right. */
export function pad(text: string, width: number, side: 'left' | 'right'): string {
  const spaces = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? `${text}${spaces}` : `${spaces}${text}`;
}

/** A text in lines of at most so many columns, broken between words where that is possible. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (widthOf(line) > width) {
      const [head, rest] = split(line, width);
      lines.push(head);
      line = rest;
    }
  }
  return [...lines, line];
}

/** Private. As much of a text as goes into so many columns, one character at least, and what is left. */
function split(text: string, width: number): [string, string] {
  let length = 0;
  let columns = 0;
  for (const { segment } of segmenter.segment(text)) {
    columns += widthOf(segment);
    if (columns > width && length > 0) break;
    length += segment.length;
  }
  return [text.slice(0, length), text.slice(length)];
}
