import type { Colours } from './theme.ts';
import { outlierMark, outlierSide, type Scale, valueColour } from './value-colour.ts';
import { valueText } from './value-text.ts';

/** The number of bars. */
const BARS = 24;

/** The colours of the values with their numbers, and how many places have each: a histogram. */
export function MapLegend({ values, scale, colours }: { values: Float64Array; scale: Scale; colours: Colours }) {
  const { min, max } = scale;
  if (min > max) return <p className="response-hint">No place has a value of this metric.</p>;
  const counts = countsOf(values, scale);
  const highest = Math.max(1, ...counts);
  const width = (max - min) / BARS;
  const shown = values.filter((value) => !Number.isNaN(value)).sort();
  const missing = values.length - shown.length;
  const [below, above] = [-1, 1].map((side) => shown.filter((value) => outlierSide(scale, value) === side).length);
  const text = [
    shown.length === 0
      ? 'No place has a value.'
      : `${shown.length} ${shown.length === 1 ? 'place has a value' : 'places have values'} from ${valueText(shown[0] ?? 0)} to ${valueText(shown.at(-1) ?? 0)}.`,
    ...(above ? [`${outlierMark(1)} ${above} far above most.`] : []),
    ...(below ? [`${outlierMark(-1)} ${below} far below most.`] : []),
  ].join(' ');
  return (
    <figure className="response-scale">
      <div role="img" aria-label={`Histogram of the values. ${text}`}>
        <div className="response-bars">
          {counts.map((count, bar) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its position
              key={bar}
              title={`${valueText(min + bar * width)} to ${valueText(min + (bar + 1) * width)}: ${count}`}
              className={count > 0 ? 'response-bar-of-values' : undefined}
              style={{
                height: `${(count / highest) * 100}%`,
                background: valueColour(colours, scale, min + (bar + 0.5) * width),
              }}
            />
          ))}
        </div>
        <div
          className="response-gradient"
          style={{
            background: `linear-gradient(to right, ${colours.heat.map((colour) => `rgb(${colour.join(', ')})`).join(', ')})`,
          }}
        />
        <div className="response-ticks">
          <span>{`${below ? '≤ ' : ''}${valueText(min)}`}</span>
          <span>{valueText((min + max) / 2)}</span>
          <span>{`${above ? '≥ ' : ''}${valueText(max)}`}</span>
        </div>
      </div>
      <figcaption>
        {text}
        {missing > 0 && ` ${missing} without a value.`}
      </figcaption>
    </figure>
  );
}

/** The number of values in each of equal parts of the scale. Missing values and outliers are in none. */
function countsOf(values: Float64Array, { min, max }: Scale): number[] {
  const counts = new Array<number>(BARS).fill(0);
  for (const value of values) {
    if (!(value >= min && value <= max)) continue;
    const bar =
      max === min ? Math.floor(BARS / 2) : Math.min(Math.floor(((value - min) / (max - min)) * BARS), BARS - 1);
    counts[bar] = (counts[bar] ?? 0) + 1;
  }
  return counts;
}
