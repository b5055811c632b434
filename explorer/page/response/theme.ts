import { useSyncExternalStore } from 'react';
import { palette } from '../../src/tokens.ts';
import { tipPosition } from './tip-position.ts';

/** The colours of charts and maps. */
export interface Colours {
  readonly lines: readonly string[];
  readonly text: string;
  readonly faint: string;
  readonly paper: string;
  readonly land: string;
  readonly sea: string;
  /** A value that is far from most. */
  readonly outlier: string;
  /** From the lowest to the highest value of a heat map. */
  readonly heat: readonly (readonly [red: number, green: number, blue: number])[];
}

// After the palette of Okabe and Ito, which colour-blind people can distinguish, each with a contrast of 3 to the paper.
const light: Colours = {
  lines: ['#d55e00', '#0072b2', '#009e73', '#b3508a', '#a87000', '#2f8fc4', '#5d4a9c', '#6f6f2a'],
  text: palette.ink[0],
  faint: '#d8dde6',
  paper: palette.paper[0],
  land: '#f7f6f2',
  sea: '#cbdcec',
  outlier: palette.strong[0],
  // The first and the last colours of cividis.
  heat: [
    [0, 32, 76],
    [124, 123, 120],
    [255, 234, 70],
  ],
};

const dark: Colours = {
  ...light,
  lines: ['#ff8c42', '#56b4e9', '#2fc99b', '#e79fc6', '#f0c24b', '#8ecdf2', '#a89be0', '#c9a96a'],
  text: palette.ink[1],
  faint: '#3a465c',
  paper: palette.paper[1],
  land: '#42424a',
  sea: '#172133',
  outlier: palette.strong[1],
};

/** The dashes of lines. With the colours they make each of 24 lines different. */
const dashes = ['solid', 'dashed', 'dotted'] as const;

/** How the line in a slot is drawn. */
export function lineStyleOf({ lines }: Colours, slot: number): { color: string; type: (typeof dashes)[number] } {
  return {
    color: lines[slot % lines.length] ?? '#000000',
    type: dashes[Math.floor(slot / lines.length) % dashes.length] ?? 'solid',
  };
}

const darkSystem = matchMedia('(prefers-color-scheme: dark)');

function subscribe(onChange: () => void): () => void {
  darkSystem.addEventListener('change', onChange);
  return () => darkSystem.removeEventListener('change', onChange);
}

/** The colours of a theme; by default of the system's. */
export function useThemeColours(theme: 'light' | 'dark' | null): Colours {
  const isSystemDark = useSyncExternalStore(subscribe, () => darkSystem.matches);
  return (theme ?? (isSystemDark ? 'dark' : 'light')) === 'dark' ? dark : light;
}

/** The style of the tooltip, which stays within what is visible of the pane. */
export function tooltipStyle(colours: Colours): object {
  return {
    className: 'response-tip',
    position: tipPosition,
    backgroundColor: colours.paper,
    borderColor: colours.faint,
    textStyle: { color: colours.text },
  };
}
