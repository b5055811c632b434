import { dateText } from './date-text.ts';
import type { HeatContent } from './heat-content.ts';
import { valueText } from './value-text.ts';
import type { HeatMap } from './worker/protocol.ts';

/**
 * The asset, the dates and the value of a cell of a heat map.
 *
 * @param assetCount the number of assets of which the cell is shown
 */
export function cellText({ dataset, heat, assets }: HeatContent, map: HeatMap, cell: number, assetCount = 1): string {
  const label = dataset.assets[assets[Math.floor(cell / map.columns)] ?? -1]?.label ?? '';
  const count = map.counts[cell] ?? 0;
  if (count === 0) {
    const x = heat.columnXs?.[cell % map.columns];
    return `${label}${x === undefined ? '' : `, ${dateText(dataset, x)}`}: no value`;
  }
  const dates = [map.firsts, map.lasts].map((indexes) => dateText(dataset, heat.xs[indexes[cell] ?? 0] ?? 0));
  const others = [...(count > 1 ? [`${count} values`] : []), ...(assetCount > 1 ? [`${assetCount} assets`] : [])];
  const note = others.length === 0 ? '' : ` (of ${others.join(' of ')}, the farthest from the median)`;
  return `${label}, ${[...new Set(dates)].join(' to ')}: ${valueText(map.cells[cell] ?? Number.NaN)}${note}`;
}
