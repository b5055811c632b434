import { useSyncExternalStore } from 'react';
import { lineColours, palette } from '../../src/tokens.ts';
import { tipPosition } from './tip-position.ts';

/** The colours of charts and maps. */
export interface Colours {
  readonly lines: readonly string[];
  readonly text: string;
  /** The labels of axes. */
  readonly soft: string;
  readonly faint: string;
  readonly paper: string;
  /** Behind the tooltip. */
  readonly raised: string;
  readonly land: string;
  readonly sea: string;
  /** A value that is far from most. */
  readonly outlier: string;
  /** From the lowest to the highest value of a heat map. */
  readonly heat: readonly (readonly [red: number, green: number, blue: number])[];
}

const light: Colours = {
  lines: lineColours.map(([colour]) => colour),
  text: palette.ink[0],
  soft: palette.softInk[0],
  faint: '#e6eaef',
  paper: palette.paper[0],
  raised: palette.raised[0],
  land: '#f3f2ee',
  sea: '#dde8f1',
  outlier: '#d60590',
  // The first and the last colours of cividis.
  heat: [
    [0, 32, 76],
    [124, 123, 120],
    [255, 234, 70],
  ],
};

const dark: Colours = {
  ...light,
  lines: lineColours.map(([, colour]) => colour),
  text: palette.ink[1],
  soft: palette.softInk[1],
  faint: '#262c37',
  paper: palette.paper[1],
  raised: palette.raised[1],
  land: '#42424a',
  sea: '#0b0e13',
  outlier: '#ff5794',
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
    backgroundColor: colours.raised,
    borderColor: colours.faint,
    textStyle: { color: colours.text, fontSize: 13 },
  };
}
