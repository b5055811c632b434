import { styleText } from 'node:util';
import { cut, pad, widthOf, wrap } from './layout.ts';
import type { Display } from './terminal.ts';

/** A column of a table. */
export interface Column {
  readonly title: string;
  /** The alignment: right for numbers. */
  readonly side: 'left' | 'right';
  /** Whether a narrow terminal cuts its texts. Ids are never cut, because the next query needs them. */
  readonly shrinks: boolean;
}

const GAP = '  ';
/** A narrower column would be unreadable. */
const MIN_WIDTH = 8;
/** The minimum width of the texts in a list. */
const MIN_LINE = 20;

/**
 * A table as lines. It omits empty columns. If the table does not fit the terminal even with cut texts, each row becomes a
 * list.
 */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], display: Display): string[] {
  const kept = columns
    .map((column, index) => ({ ...column, index }))
    .filter(({ index }) => rows.some((row) => row[index] !== ''));
  const widths = kept.map(({ title, index }) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? '')), widthOf(title)),
  );
  const fitted = narrowed(
    widths,
    kept.map(({ shrinks }) => shrinks),
    display.width,
  );
  if (fitted === undefined) {
    return rows.flatMap((row, number) => [
      ...(number === 0 ? [] : ['']),
      ...list(
        kept.map(({ title, index }) => [title, row[index] ?? '']),
        display,
      ),
    ]);
  }
  const line = (texts: readonly string[]) =>
    kept
      .map(({ side }, index) => {
        const width = fitted[index] ?? 0;
        return pad(cut(texts[index] ?? '', width, display.unicode), width, side);
      })
      .join(GAP)
      .trimEnd();
  return [
    bold(line(kept.map(({ title }) => title)), display),
    ...rows.map((row) => line(kept.map(({ index }) => row[index] ?? ''))),
  ];
}

/** Names and texts as lines. It wraps long texts and omits empty ones. */
export function list(entries: readonly (readonly [string, string])[], display: Display): string[] {
  const kept = entries.filter(([, text]) => text !== '');
  const indent = Math.max(0, ...kept.map(([name]) => widthOf(name))) + GAP.length;
  return kept.flatMap(([name, text]) => {
    const lines = display.width === undefined ? [text] : wrap(text, Math.max(MIN_LINE, display.width - indent));
    return lines.map(
      (line, number) => `${number === 0 ? bold(pad(name, indent, 'left'), display) : ' '.repeat(indent)}${line}`,
    );
  });
}

/** Bold text, if the display has styles. */
export function bold(text: string, { styled }: Display): string {
  return styled ? styleText('bold', text, { validateStream: false }) : text;
}

/** The widths of columns that fit the terminal, by narrowing the widest first; undefined if they cannot fit. */
function narrowed(
  widths: readonly number[],
  shrinks: readonly boolean[],
  width: number | undefined,
): readonly number[] | undefined {
  const fitted = [...widths];
  const gaps = GAP.length * (fitted.length - 1);
  for (;;) {
    const total = fitted.reduce((sum, each) => sum + each, gaps);
    if (width === undefined || total <= width) return fitted;
    const widest = fitted.reduce(
      (best, each, index) =>
        shrinks[index] && each > MIN_WIDTH && (best === -1 || each > (fitted[best] ?? 0)) ? index : best,
      -1,
    );
    if (widest === -1) return undefined;
    fitted[widest] = (fitted[widest] ?? 0) - 1;
  }
}
