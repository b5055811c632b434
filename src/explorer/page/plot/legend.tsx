import type { Colours } from './theme.ts';

/** The names of the lines. Each is a button that shows or hides its line. */
export function Legend(props: {
  names: readonly string[];
  off: ReadonlySet<string>;
  colours: Colours;
  onToggle: (name: string) => void;
}) {
  const { names, off, colours, onToggle } = props;
  return (
    <ul className="plot-legend" aria-label="Lines">
      {names.map((name, index) => (
        <li key={name}>
          <button type="button" aria-pressed={!off.has(name)} onClick={() => onToggle(name)}>
            <span className="plot-swatch" style={{ background: colours.lines[index % colours.lines.length] }} />
            {name}
          </button>
        </li>
      ))}
    </ul>
  );
}
