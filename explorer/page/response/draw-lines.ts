import { type DrawApi, type DrawParams, echarts } from './echarts.ts';
import { firstRowFrom } from './worker/points.ts';
import type { Envelope, Line } from './worker/protocol.ts';

/** Makes pixels of numbers. */
type ToPixels = (value: number) => number;

/** The visible rows of a line. They are one object, because ECharts copies lists and functions within a shape. */
interface VisibleRows {
  readonly line: Line;
  readonly from: number;
  readonly to: number;
  readonly toX: ToPixels;
  readonly toY: ToPixels;
}

/** What draws a path. */
interface Pen {
  closePath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  arc(x: number, y: number, radius: number, from: number, to: number): void;
}

const AREA = 'response-area';
const LINE = 'response-line';
const MARKS = 'response-marks';

/** The radius of the mark of a point, in pixels. */
const MARK_RADIUS = 2.5;

echarts.graphic.registerShape(
  LINE,
  echarts.graphic.extendShape({
    shape: {},
    buildPath(pen: Pen, { rows }: { rows: VisibleRows }) {
      const {
        line: { points, starts },
        from,
        to,
        toX,
        toY,
      } = rows;
      let isDown = false;
      for (let row = from; row < to; row++) {
        const x = toX(points[row * 2] ?? 0);
        const y = toY(points[row * 2 + 1] ?? Number.NaN);
        if (!Number.isFinite(y)) isDown = false;
        else if (isDown && starts[row] === 0) pen.lineTo(x, y);
        else {
          pen.moveTo(x, y);
          isDown = true;
        }
      }
    },
  }),
);

echarts.graphic.registerShape(
  MARKS,
  echarts.graphic.extendShape({
    shape: {},
    buildPath(pen: Pen, { rows, onlyLonely }: { rows: VisibleRows; onlyLonely: boolean }) {
      const {
        line: { points },
        from,
        to,
        toX,
        toY,
      } = rows;
      for (let row = from; row < to; row++) {
        const y = toY(points[row * 2 + 1] ?? Number.NaN);
        if (!Number.isFinite(y) || (onlyLonely && !isLonely(rows, row))) continue;
        const x = toX(points[row * 2] ?? 0);
        pen.moveTo(x + MARK_RADIUS, y);
        pen.arc(x, y, MARK_RADIUS, 0, 2 * Math.PI);
      }
    },
  }),
);

/** The other edge has the same rows. */
echarts.graphic.registerShape(
  AREA,
  echarts.graphic.extendShape({
    shape: {},
    buildPath(pen: Pen, { rows, high }: { rows: VisibleRows; high: Line }) {
      const { line, to, toX } = rows;
      const above = { ...rows, line: high };
      const xOf = (row: number) => toX(line.points[row * 2] ?? 0);
      const isBetween = (row: number) => isDrawn(rows, row) && isDrawn(above, row);
      for (let first = rows.from; first < to; first++) {
        if (!isBetween(first)) continue;
        let last = first;
        pen.moveTo(xOf(first), yOf(rows, first));
        for (; last + 1 < to && isBetween(last + 1) && line.starts[last + 1] === 0; last++) {
          pen.lineTo(xOf(last + 1), yOf(rows, last + 1));
        }
        for (let row = last; row >= first; row--) pen.lineTo(xOf(row), yOf(above, row));
        pen.closePath();
        first = last;
      }
    },
  }),
);

/** A line, and the pixels of its values. */
type Values = Pick<VisibleRows, 'line' | 'toY'>;

/** The pixel of the value of a row; not finite without one. */
function yOf({ line: { points }, toY }: Values, row: number): number {
  return toY(points[row * 2 + 1] ?? Number.NaN);
}

function isDrawn(values: Values, row: number): boolean {
  return Number.isFinite(yOf(values, row));
}

/** Whether a row with a value is on no line, so that only a mark can show it. */
function isLonely(values: Values, row: number): boolean {
  const { starts } = values.line;
  const isJoined = (later: number) => starts[later] === 0 && isDrawn(values, later - 1) && isDrawn(values, later);
  return !isJoined(row) && !isJoined(row + 1);
}

/** A line with more visible points has marks only where a point is on no line. */
const MAX_MARKS = 60;

/** The most marks of all lines of a chart together. */
const MAX_ALL_MARKS = 1000;

/** How a line is drawn. */
export interface Stroke {
  readonly color: string;
  readonly type: string;
  readonly width: number;
  readonly opacity: number;
}

/** The area between two lines, which have the same rows. */
export interface Area {
  readonly low: Line;
  readonly high: Line;
  readonly color: string;
}

const AREA_OPACITY = 0.2;

/**
 * Draws all lines of a chart as one item of a custom series: ECharts takes several times as long for a series for each line.
 *
 * @param area what is below the lines
 * @param strokeOf how a line is drawn
 */
export function drawLines(
  lines: readonly Line[],
  area: Area | undefined,
  { min, max }: Envelope,
  isLogarithmic: boolean,
  strokeOf: (line: Line) => Stroke,
) {
  const scaled = isLogarithmic ? Math.log : (value: number) => value;
  const withLonely = new Set(lines.filter((line) => hasLonely(line, scaled)));
  return ({ coordSys }: DrawParams, api: DrawApi) => {
    // Without a value there is nothing to draw.
    if (min > max) return undefined;
    const [first, last] = [api.value(0), api.value(1)];
    const [x0, y0] = api.coord([first, min]);
    const [x1] = api.coord([last, min]);
    // ECharts has no place for other dates where one text alone is visible.
    if (x0 === x1 && first < last) return undefined;
    const perX = last > first ? (x1 - x0) / (last - first) : 0;
    // Another value for the scale. Large numbers have no neighbour at the distance one.
    const high = max > min ? max : isLogarithmic ? min * 10 : min + Math.max(1, Math.abs(min) / 2);
    const [, y1] = api.coord([first, high]);
    const perY = (y1 - y0) / (scaled(high) - scaled(min));
    const toX = (x: number) => x0 + (x - first) * perX;
    const toY = (y: number) => y0 + (scaled(y) - scaled(min)) * perY;
    const xAt = (pixel: number) => (perX === 0 ? first : first + (pixel - x0) / perX);
    const rowsOf = (line: Line): VisibleRows => {
      const { points } = line;
      // With the points before and after the visible ones.
      const from = Math.max(0, firstRowFrom(points, xAt(coordSys.x)) - 1);
      const to = Math.min(points.length / 2, firstRowFrom(points, xAt(coordSys.x + coordSys.width)) + 1);
      return { line, from, to, toX, toY };
    };
    const common = { silent: true, emphasisDisabled: true };
    const areas = area === undefined ? [] : [{ ...common, ...areaOf(area, rowsOf(area.low)) }];
    const strokes = lines.flatMap((line) => {
      const rows = rowsOf(line);
      const onlyLonely = rows.to - rows.from > Math.min(MAX_MARKS, MAX_ALL_MARKS / lines.length);
      const { color, type, width, opacity } = strokeOf(line);
      const style = { fill: 'none', stroke: color, opacity, lineWidth: width, lineDash: type, lineJoin: 'bevel' };
      return [
        { ...common, type: LINE, shape: { rows }, style },
        ...(onlyLonely && !withLonely.has(line)
          ? []
          : [{ ...common, type: MARKS, shape: { rows, onlyLonely }, style: { fill: color, opacity, stroke: 'none' } }]),
      ];
    });
    return {
      type: 'group',
      children: [...areas, ...strokes],
      clipPath: { type: 'rect', shape: enlargedBy(coordSys, MARK_RADIUS) },
    };
  };
}

function areaOf({ high, color }: Area, rows: VisibleRows) {
  return { type: AREA, shape: { rows, high }, style: { fill: color, opacity: AREA_OPACITY, stroke: 'none' } };
}

function hasLonely(line: Line, toY: ToPixels): boolean {
  const values = { line, toY };
  for (let row = 0; row * 2 < line.points.length; row++) {
    if (isDrawn(values, row) && isLonely(values, row)) return true;
  }
  return false;
}

/** A box with a margin, so that the marks of the first and the last point are whole. */
function enlargedBy({ x, y, width, height }: DrawParams['coordSys'], margin: number): DrawParams['coordSys'] {
  return { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin };
}
