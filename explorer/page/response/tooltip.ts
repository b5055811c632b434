import { dateText } from './date-text.ts';
import { echarts } from './echarts.ts';
import type { LineContent } from './line-content.ts';
import { styleOf } from './line-style.ts';
import type { Colours } from './theme.ts';
import { valueText } from './value-text.ts';
import { valuesAt } from './worker/points.ts';
import type { Line } from './worker/protocol.ts';

/** The maximum number of values in the tooltip. More would be higher than a single chart. */
const MAX_VALUES = 12;

/** A screen as narrow as a phone. */
const narrowScreen = matchMedia('(max-width: 760px)');

/** A position on the axes of a chart. */
export interface ChartPoint {
  readonly x: number;
  readonly y: number;
}

interface TooltipItem {
  readonly value: readonly [x: number, y: number];
  /** The chart of the item, from the top. */
  readonly axisIndex: number;
}

/** The value of a line at a date. */
interface Value {
  readonly line: Line;
  readonly y: number;
}

/**
 * The text of the tooltip: the date, and values of each metric. The lines nearest to the pointer come first, and in the other
 * charts the same assets. The date is that of the chart under the pointer. The other items may have other dates, so the values come
 * from the lines. On a narrow screen it has the chart under the pointer alone, because it would cover the others.
 *
 * @param pointer the position of the pointer on the axes of a chart; undefined where there is none
 */
export function tooltipOf(
  content: LineContent,
  colours: Colours,
  pointer: (chart: number) => ChartPoint | undefined,
): (items: readonly TooltipItem[]) => string {
  const { dataset, lines, metrics } = content;
  const encode = echarts.format.encodeHTML;
  const perMetric = Math.max(1, Math.floor(MAX_VALUES / metrics.length));
  return (items) => {
    const [first] = items;
    if (first === undefined) return '';
    const [x] = first.value;
    const values = lines.flatMap((line) => valuesAt(line.points, x).map((y) => ({ line, y })));
    const ofMetric = (metric: number | undefined) => values.filter(({ line }) => line.metric === metric);
    const near = byDistance(ofMetric(metrics[first.axisIndex]), pointer(first.axisIndex), content.isLogarithmic);
    const ranks = new Map(near.map(({ line }, rank) => [line.asset, rank]));
    const rankOf = ({ line }: Value) => ranks.get(line.asset) ?? ranks.size;
    const charts = narrowScreen.matches ? metrics.slice(first.axisIndex, first.axisIndex + 1) : metrics;
    const rows = charts.flatMap((metric) => {
      const sorted = ofMetric(metric).sort((a, b) => missingLast(a, b) || rankOf(a) - rankOf(b) || b.y - a.y);
      const shown = sorted.slice(0, perMetric).map((value) => rowOf(value, content, colours));
      const more = sorted.length > perMetric ? [`<div>and ${sorted.length - perMetric} more</div>`] : [];
      return sorted.length === 0 ? [] : [`<div>${encode(dataset.labels[metric] ?? '')}</div>`, ...shown, ...more];
    });
    return `<div>${encode(dateText(dataset, x))}</div>${rows.join('')}`;
  };
}

/** The values of one chart from the nearest to the farthest, as the axis shows distances; without a pointer, from the highest. */
function byDistance(values: readonly Value[], pointer: ChartPoint | undefined, isLogarithmic: boolean): Value[] {
  const heightOf = (y: number) => (isLogarithmic ? Math.log(Math.max(y, 0)) : y);
  const at = pointer === undefined ? Number.POSITIVE_INFINITY : heightOf(pointer.y);
  const distanceOf = ({ y }: Value) => (Number.isFinite(at) ? Math.abs(heightOf(y) - at) : -y);
  return [...values].sort((a, b) => missingLast(a, b) || distanceOf(a) - distanceOf(b));
}

function missingLast(a: Value, b: Value): number {
  return Number(Number.isNaN(a.y)) - Number(Number.isNaN(b.y));
}

function rowOf({ line, y }: Value, content: LineContent, colours: Colours): string {
  const { color, opacity } = styleOf(content, line.asset, colours);
  const label = echarts.format.encodeHTML(content.dataset.assets[line.asset]?.label ?? '');
  const swatch = `<i class="response-swatch" style="background:${color};opacity:${opacity}"></i>`;
  return `<div>${swatch}<span>${label}</span> <b>${valueText(y)}</b></div>`;
}
