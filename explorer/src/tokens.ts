/** The colours of all pages, each in light and in dark. Charts and editors draw with the same ones. */
export const palette = {
  ink: ['#1d2635', '#dfe4ec'],
  softInk: ['#535e6e', '#9aa5b6'],
  /** Lines between things. */
  rule: ['#dde2e9', '#282e39'],
  /** The borders of fields, with a contrast of 3 to the paper. */
  edge: ['#808a99', '#667285'],
  paper: ['#ffffff', '#101319'],
  /** Behind controls, and what the pointer is on. */
  wash: ['#f4f6f8', '#1b1f28'],
  /** What lies above the paper, such as menus. */
  raised: ['#ffffff', '#181d25'],
  /** Links, and what is most important. */
  strong: ['#3d36c9', '#a8a9fa'],
} as const;

/**
 * The colours of lines, in light and in dark. After the palette of Okabe and Ito, which colour-blind people can distinguish, each with
 * a contrast of 3 to the paper.
 */
export const lineColours = [
  ['#d55e00', '#ff8c42'],
  ['#0072b2', '#56b4e9'],
  ['#009e73', '#2fc99b'],
  ['#b3508a', '#e79fc6'],
  ['#a87000', '#f0c24b'],
  ['#2f8fc4', '#8ecdf2'],
  ['#5d4a9c', '#a89be0'],
  ['#6f6f2a', '#c9a96a'],
] as const;

/** The font of all texts. */
export const font = 'Roboto, system-ui, sans-serif';

const colour = (name: keyof typeof palette) => `light-dark(${palette[name].join(', ')})`;
/** The small charts of the start page have two lines at most. */
const lines = lineColours.slice(0, 2).map((both, index) => `  --line-${index + 1}: light-dark(${both.join(', ')});`);

/** The style sheet that defines the look of all pages: colours, one scale of type, spaces, and corners. */
export const tokens = `:root {
  --ink: ${colour('ink')};
  --soft-ink: ${colour('softInk')};
  --rule: ${colour('rule')};
  --edge: ${colour('edge')};
  --paper: ${colour('paper')};
  --wash: ${colour('wash')};
  --raised: ${colour('raised')};
  --strong: ${colour('strong')};
${lines.join('\n')}
  --shadow: 0 0 0 1px var(--rule), 0 8px 24px rgb(0 0 0 / 18%);
  --font: ${font};
  --text-small: 0.8125rem;
  --text: 0.875rem;
  --text-large: 1rem;
  --text-figure: 1.25rem;
  --text-title: 1.375rem;
  --space-small: 0.25rem;
  --space: 0.5rem;
  --space-large: 1rem;
  --space-huge: 2rem;
  --radius: 6px;
  --radius-large: 10px;
}
`;
