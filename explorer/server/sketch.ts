/** A metric over the whole time, in a few points. */
export interface Sketch {
  readonly metric: string;
  /** A line for each of some assets, at equal steps of time. Null breaks it. */
  readonly lines: readonly (readonly (number | null)[])[];
}

/** The size of a sketch, in its own units, and the space above and below the lines. */
const WIDTH = 240;
const HEIGHT = 48;
const MARGIN = 2;

/** The lines of a sketch as an SVG, which stretches. Its text alternative is what stands beside it. */
export function sketchSvg({ lines }: Sketch): string {
  const values = lines.flat().filter((value) => value !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const perValue = (HEIGHT - 2 * MARGIN) / (high - low || 1);
  const pathOf = (line: Sketch['lines'][number]) =>
    line
      .map((value, index) => {
        if (value === null) return '';
        const isStart = (line[index - 1] ?? null) === null;
        const x = (index / Math.max(1, line.length - 1)) * WIDTH;
        return `${isStart ? 'M' : 'L'}${x.toFixed(1)} ${(HEIGHT - MARGIN - (value - low) * perValue).toFixed(1)}`;
      })
      .join('');
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${lines
    .map((line) => `<path d="${pathOf(line)}"/>`)
    .join('')}</svg>`;
}
