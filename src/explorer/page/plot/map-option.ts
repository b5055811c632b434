import { COASTS } from './coasts.ts';
import { type ChartOption, echarts } from './echarts.ts';
import type { Place } from './response.ts';
import { type Colours, tooltipStyle } from './theme.ts';

/** The minimum margin around the places, in degrees. */
const MIN_MARGIN = 8;

/** The margin at the sides, relative to the width of all places. It makes space for their names. */
const MARGIN_OF_WIDTH = 0.3;

/** With so many places or more, names show only at the pointer. */
const MAX_LABELS = 12;

/** The chart option for a map with these places. */
export function mapOption(places: readonly Place[], colours: Colours): ChartOption {
  const latitudes = places.map(({ latitude }) => latitude);
  const longitudes = places.map(({ longitude }) => longitude);
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)];
  const sideMargin = Math.max(MIN_MARGIN, (east - west) * MARGIN_OF_WIDTH);
  return {
    animation: false,
    textStyle: { color: colours.text, fontFamily: 'system-ui, sans-serif' },
    tooltip: {
      ...tooltipStyle(colours),
      formatter: ({ data }: { data: { name: string; value: number[] } }) =>
        echarts.format.encodeHTML(`${data.name} ${data.value[1]}, ${data.value[0]}`),
    },
    geo: {
      map: COASTS,
      roam: true,
      silent: true,
      left: 0,
      right: 0,
      top: 0,
      bottom: 0,
      preserveAspect: 'contain',
      boundingCoords: [
        [west - sideMargin, Math.min(Math.max(...latitudes) + MIN_MARGIN, 89)],
        [east + sideMargin, Math.max(Math.min(...latitudes) - MIN_MARGIN, -89)],
      ],
      itemStyle: { areaColor: colours.land, borderColor: colours.text, borderWidth: 0.5 },
    },
    series: {
      type: 'scatter',
      coordinateSystem: 'geo',
      symbolSize: 10,
      itemStyle: { color: colours.lines[0], opacity: 1 },
      label: { show: places.length < MAX_LABELS, formatter: '{b}', position: 'top', color: colours.text },
      labelLayout: { hideOverlap: true },
      data: places.map(({ name, latitude, longitude }) => ({ name, value: [longitude, latitude] })),
    },
  };
}
