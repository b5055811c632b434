import { useGraphiQL } from '@graphiql/react';
import { useSyncExternalStore } from 'react';

/** The colours of charts and maps. */
export interface Colours {
  readonly lines: readonly string[];
  readonly text: string;
  readonly faint: string;
  readonly paper: string;
  readonly land: string;
}

// The palette of Okabe and Ito, which colour-blind people can distinguish.
const light: Colours = {
  lines: ['#d55e00', '#0072b2', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#5d4a9c', '#8c6d31'],
  text: '#3b4b68',
  faint: '#d8dde6',
  paper: '#ffffff',
  land: '#e3e7ee',
};

const dark: Colours = {
  lines: ['#ff8c42', '#56b4e9', '#2fc99b', '#e79fc6', '#f0c24b', '#8ecdf2', '#a89be0', '#c9a96a'],
  text: '#b7c2d7',
  faint: '#3a465c',
  paper: '#212a3b',
  land: '#313d54',
};

const darkSystem = matchMedia('(prefers-color-scheme: dark)');

function subscribe(onChange: () => void): () => void {
  darkSystem.addEventListener('change', onChange);
  return () => darkSystem.removeEventListener('change', onChange);
}

/** The colours of GraphiQL's theme, by default of the system's theme. */
export function useColours(): Colours {
  const theme = useGraphiQL((state) => state.theme);
  const isSystemDark = useSyncExternalStore(subscribe, () => darkSystem.matches);
  return (theme ?? (isSystemDark ? 'dark' : 'light')) === 'dark' ? dark : light;
}

/** The style of the tooltip. */
export function tooltipStyle(colours: Colours): object {
  return {
    className: 'plot-tip',
    confine: true,
    backgroundColor: colours.paper,
    borderColor: colours.faint,
    textStyle: { color: colours.text },
  };
}
