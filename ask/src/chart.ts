import { styleText } from 'node:util';
import { instantOf, timeAt } from '../../src/core/dates.ts';
import { cut, pad, widthOf } from './layout.ts';
import { bold } from './table.ts';
import type { Display } from './terminal.ts';

/** The points of one line of a chart. */
export interface Series {
  readonly name: string;
  readonly dates: readonly (string | null)[];
  /** One value for each date; null is a gap. */
  readonly values: readonly (number | null)[];
}

/** The maximum number of lines that readers can tell apart. */
export const MAX_SERIES = 6;

const COLOURS = ['cyan', 'yellow', 'magenta', 'green', 'red', 'blue'] as const;
const SYMBOLS = '*+ox#@';

/** The size of a chart without a terminal. */
const PLAIN = { width: 80, height: 24 };
const MIN = { width: 30, rows: 5 };
const MAX_ROWS = 20;
/** Lines besides the plot and the legend: title, axis, dates, and the shell's next prompt. */
const OTHER_LINES = 4;

/**
 * Draws a line chart as lines of text that fit the terminal. With colours, or with a single series, it draws dots, eight
 * per character (Unicode's braille patterns). Otherwise each series has a symbol.
 *
 * @param series at least one value, and at most `MAX_SERIES` series
 */
export function chart(title: string, series: readonly Series[], display: Display): string[] {
  const dots = display.unicode && (display.styled || series.length === 1);
  const columns = Math.max(MIN.width, display.width ?? PLAIN.width);
  const lines = (display.height ?? PLAIN.height) - OTHER_LINES - series.length;
  const rows = Math.min(MAX_ROWS, Math.max(MIN.rows, lines));
  const scale = scaleOf(series);
  const ticks = ticksOf(scale, rows);
  const labelWidth = Math.max(...[...ticks.values()].map(widthOf));
  const width = columns - labelWidth - 2;
  const canvas = dots ? new Canvas(width, rows, 2, 4) : new Canvas(width, rows, 1, 1);
  const time = timeOf(series);
  for (const [index, { dates, values }] of series.entries()) {
    let last: readonly [number, number] | undefined;
    for (const [row, value] of values.entries()) {
      const x = time.at(dates[row] ?? null, row);
      if (value === null || x === undefined) {
        last = undefined;
        continue;
      }
      const point = [x, scale.fraction(value)] as const;
      canvas.line(last ?? point, point, index);
      last = point;
    }
  }
  const draw = (text: string, index: number) => {
    const colour = COLOURS[index];
    return display.styled && colour !== undefined ? styleText(colour, text, { validateStream: false }) : text;
  };
  const [side, tick, corner, bottom] = display.unicode ? '│┤└─' : '|++-';
  const plot = canvas.rows().map((cells, row) => {
    const label = ticks.get(row);
    const drawn = cells.map(({ dots: set, series: index }) => {
      if (set === 0) return ' ';
      return draw(dots ? String.fromCodePoint(0x2800 + set) : (SYMBOLS[index] ?? ''), index);
    });
    return `${pad(label ?? '', labelWidth, 'right')} ${label === undefined ? side : tick}${drawn.join('').trimEnd()}`;
  });
  const legend = series.map(({ name }, index) => {
    const mark = draw(dots ? '⠒⠒' : (SYMBOLS[index] ?? ''), index);
    return `${' '.repeat(labelWidth + 2)}${mark} ${cut(name, columns - labelWidth - 5, display.unicode)}`;
  });
  return [
    bold(cut(title, columns, display.unicode), display),
    ...plot,
    `${' '.repeat(labelWidth + 1)}${corner}${(bottom ?? '').repeat(width)}`,
    `${' '.repeat(labelWidth + 2)}${ends(time.first, time.last, width)}`,
    ...legend,
  ];
}

/** A text at each end of a line; only the first if both do not fit. */
function ends(first: string, last: string, width: number): string {
  const gap = width - widthOf(first) - widthOf(last);
  if (first === last || gap < 1) return cut(first, width, false);
  return `${first}${' '.repeat(gap)}${last}`;
}

interface Scale {
  readonly min: number;
  readonly max: number;
  /** The relative height of a value, from 0 to 1. */
  fraction(value: number): number;
}

/** The scale from the smallest value to the largest. */
function scaleOf(series: readonly Series[]): Scale {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const { values } of series) {
    for (const value of values) {
      if (value === null) continue;
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
  }
  if (min === max) {
    const margin = Math.abs(min) / 10 || 1;
    min = Math.max(-Number.MAX_VALUE, min - margin);
    max = Math.min(Number.MAX_VALUE, max + margin);
  }
  const span = max - min;
  // The difference of two doubles may overflow.
  if (span === Number.POSITIVE_INFINITY) {
    return { min, max, fraction: (value) => (value / 2 - min / 2) / (max / 2 - min / 2) };
  }
  return { min, max, fraction: (value) => (value - min) / span };
}

/** Round numbers as labels by their row, at least three rows apart. */
function ticksOf({ min, max, fraction }: Scale, rows: number): Map<number, string> {
  const rough = (max / 2 - min / 2) * (6 / (rows - 1));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power;
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const maxAbs = Math.max(Math.abs(min), Math.abs(max));
  // Enough digits to tell neighbouring labels apart.
  const digits = Math.min(16, Math.max(1, Math.floor(Math.log10(maxAbs)) - Math.floor(Math.log10(step))));
  const plain = decimals <= 6 && maxAbs < 1e9;
  const label = (value: number) => (plain ? value.toFixed(decimals) : value.toExponential(digits));
  const ticks = new Map<number, string>();
  const first = Math.ceil(min / step);
  // At most one step per row: a step may be too small to change a large number.
  for (let count = 0; count < rows; count += 1) {
    const value = (first + count) * step;
    if (!(value <= max)) break;
    ticks.set(rows - 1 - Math.round(fraction(value) * (rows - 1)), label(value === 0 ? 0 : value));
  }
  // If the step overflows, only the ends have labels.
  return ticks.size > 0 ? ticks : ticks.set(0, label(max)).set(rows - 1, label(min));
}

interface TimeAxis {
  readonly first: string;
  readonly last: string;
  /** The relative position of a row, from 0 to 1; undefined for a row without a date if others have dates. */
  at(date: string | null, row: number): number | undefined;
}

/**
 * The service does not document the format of a value's date. If all dates can be read, the axis is linear in time. Otherwise the
 * rows follow one another in their order.
 */
function timeOf(series: readonly Series[]): TimeAxis {
  const times = new Map<string, number>();
  let longestDates: readonly (string | null)[] = [];
  for (const { dates } of series) {
    if (dates.length > longestDates.length) longestDates = dates;
    for (const date of dates) {
      if (date === null || times.has(date)) continue;
      const instant = instantOf(date);
      times.set(date, instant === undefined ? Number.NaN : timeAt(instant));
    }
  }
  const inOrder = [...times].toSorted(([, one], [, other]) => one - other);
  const [first, last] = [inOrder[0], inOrder.at(-1)];
  if (first === undefined || last === undefined || inOrder.some(([, time]) => Number.isNaN(time))) {
    return {
      first: longestDates[0] ?? '',
      last: longestDates.at(-1) ?? '',
      at: (_, row) => row / Math.max(1, longestDates.length - 1),
    };
  }
  const span = last[1] - first[1] || 1;
  return {
    first: first[0],
    last: last[0],
    at: (date) => {
      const time = date === null ? undefined : times.get(date);
      return time === undefined ? undefined : (time - first[1]) / span;
    },
  };
}

interface Cell {
  /** The dots that are set: the low byte of the braille pattern. Without dots, 1 for a symbol. */
  dots: number;
  /** The series drawn last in this cell. */
  series: number;
}

/** The bit of each dot of a braille pattern, column by column from the top. */
const BITS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
];

/** A grid of cells to draw lines on. Points are fractions of its width and, from the bottom, of its height. */
class Canvas {
  readonly #cells: Cell[][];
  readonly #dotsAcross: number;
  readonly #dotsDown: number;

  constructor(width: number, height: number, dotsAcross: number, dotsDown: number) {
    this.#cells = Array.from({ length: height }, () => Array.from({ length: width }, () => ({ dots: 0, series: 0 })));
    this.#dotsAcross = dotsAcross;
    this.#dotsDown = dotsDown;
  }

  rows(): readonly (readonly Cell[])[] {
    return this.#cells;
  }

  line(from: readonly [number, number], to: readonly [number, number], series: number): void {
    const [x, y] = this.#dot(from);
    const [toX, toY] = this.#dot(to);
    const steps = Math.max(1, Math.abs(toX - x), Math.abs(toY - y));
    for (let step = 0; step <= steps; step += 1) {
      this.#set(x + Math.round(((toX - x) * step) / steps), y + Math.round(((toY - y) * step) / steps), series);
    }
  }

  #dot([across, up]: readonly [number, number]): [number, number] {
    const width = (this.#cells[0]?.length ?? 0) * this.#dotsAcross;
    const height = this.#cells.length * this.#dotsDown;
    return [Math.round(across * (width - 1)), Math.round((1 - up) * (height - 1))];
  }

  #set(x: number, y: number, series: number): void {
    const cell = this.#cells[Math.floor(y / this.#dotsDown)]?.[Math.floor(x / this.#dotsAcross)];
    if (cell === undefined) return;
    cell.dots |= BITS[x % this.#dotsAcross]?.[y % this.#dotsDown] ?? 0;
    cell.series = series;
  }
}
