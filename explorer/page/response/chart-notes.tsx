import type { ChartContent } from './content.ts';
import { dateText } from './date-text.ts';
import type { DatasetSummary } from './worker/protocol.ts';

/** What a reader must know of the charts, beside what they show. */
export function ChartNotes({ dataset, content }: { dataset: DatasetSummary; content: ChartContent | undefined }) {
  const notes = [...notesOfDataset(dataset), ...(content === undefined ? [] : notesOfContent(content))];
  return notes.map((note) => (
    <p key={note} className="response-hint">
      {note}
    </p>
  ));
}

function notesOfDataset({ omittedCount, isTime, hasDates }: DatasetSummary): string[] {
  return [
    ...(omittedCount > 0
      ? [
          `${count(omittedCount, 'value is', 'values are')} omitted: of metrics with the same name, or without one, only the first is shown.`,
        ]
      : []),
    ...(hasDates && !isTime
      ? ['The dates are no times that this page knows: they are in their order, at equal steps.']
      : []),
  ];
}

function notesOfContent(content: ChartContent): string[] {
  if ('histograms' in content) {
    const { dataset, assets } = content;
    return [`${histogramNote(dataset, assets.length)} “Histogram” switches to lines.`];
  }
  if (!('lines' in content)) return [];
  const { isReduced, omitted } = content;
  return [
    ...(isReduced
      ? ['The lines have fewer points than the response, and keep every peak. A zoom shows all of a part.']
      : []),
    ...(omitted > 0
      ? [
          `${count(omitted, 'value of zero or less has', 'values of zero or less have')} no place on a logarithmic axis.`,
        ]
      : []),
  ];
}

function histogramNote(dataset: DatasetSummary, assets: number): string {
  const { dateCount, extent, hasDates } = dataset;
  const many = count(assets, 'asset', 'assets');
  if (!hasDates)
    return `${many} with at most ${count(dateCount, 'row', 'rows')} each: a chart shows how many values are in which range.`;
  const dates = [...new Set(extent)].map((x) => dateText(dataset, x)).join(' to ');
  return `${many} with values at ${count(dateCount, 'date', 'dates')} (${dates}): a chart shows how many values are in which range.`;
}

function count(number: number, one: string, several: string): string {
  return `${number} ${number === 1 ? one : several}`;
}
