import stringWidth from 'string-width';

/** The columns that a text takes in a terminal. */
export const widthOf = (text: string): number => stringWidth(text);

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Cuts a text to at most so many columns. A cut text ends in `…`, without Unicode in `~`. */
export function cut(text: string, width: number, unicode: boolean): string {
  if (widthOf(text) <= width) return text;
  return `${split(text, width - 1)[0]}${unicode ? '…' : '~'}`;
}

/** Pads a text with spaces to so many columns. */
export function pad(text: string, width: number, side: 'left' | 'right'): string {
  const spaces = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? `${text}${spaces}` : `${spaces}${text}`;
}

/** Breaks a text into lines of at most so many columns, between words if possible. */
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
      const [first, rest] = split(line, width);
      lines.push(first);
      line = rest;
    }
  }
  return [...lines, line];
}

/** The start of a text that fits so many columns, at least one character, and the rest. */
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
