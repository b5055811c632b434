import { useCallback, useRef } from 'react';
import { csvOf } from './csv.ts';
import { type PictureOptions, pngOf, svgOf } from './export.ts';
import { LineChart } from './line-chart.tsx';
import { PlaceMap } from './place-map.tsx';
import type { Plot } from './response.ts';
import { fileName, saveFile } from './save.ts';
import { headingOf } from './series.ts';
import type { Colours } from './theme.ts';

/** One dataset's chart and map, with buttons to save the chart. */
export function PlotView({ plot, colours }: { plot: Plot; colours: Colours }) {
  const picture = useRef<() => PictureOptions>(undefined);
  const onChart = useCallback((current: () => PictureOptions) => {
    picture.current = current;
  }, []);
  const savePng = async () => {
    if (picture.current !== undefined) saveFile(fileName(headingOf(plot), 'png'), await pngOf(picture.current()));
  };
  const saveSvg = () => {
    if (picture.current !== undefined) saveFile(fileName(headingOf(plot), 'svg'), svgOf(picture.current()));
  };
  const saveCsv = () => {
    saveFile(fileName(headingOf(plot), 'csv'), new Blob([csvOf(plot)], { type: 'text/csv;charset=utf-8' }));
  };
  return (
    <article className="plot-view">
      <header>
        <h3>{headingOf(plot)}</h3>
        {plot.rows.length > 0 && (
          <fieldset className="plot-save" aria-label="Save">
            <button type="button" onClick={savePng} aria-label="Save as PNG">
              PNG
            </button>
            <button type="button" onClick={saveSvg} aria-label="Save as SVG">
              SVG
            </button>
            <button type="button" onClick={saveCsv} aria-label="Save as CSV">
              CSV
            </button>
          </fieldset>
        )}
      </header>
      {plot.rows.length > 0 && <LineChart plot={plot} colours={colours} onChart={onChart} />}
      {plot.places.length > 0 && <PlaceMap places={plot.places} colours={colours} />}
    </article>
  );
}
