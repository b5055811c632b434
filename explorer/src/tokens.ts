/** The colours of all pages, each in light and in dark. Charts and editors draw with the same ones. */
export const palette = {
  ink: ['#3b4b68', '#b7c2d7'],
  softInk: ['#5c6a84', '#98a5bd'],
  /** Lines between things. */
  rule: ['#b3bccb', '#4c5a75'],
  /** The borders of controls, with a contrast of 3 to the paper. */
  edge: ['#7a869c', '#8593ad'],
  paper: ['#ffffff', '#212a3b'],
  wash: ['#f0f2f5', '#2b3549'],
  /** Links, and what is most important. */
  strong: ['#d60590', '#ff5794'],
} as const;

/** The font of all texts. */
export const font = 'Roboto, system-ui, sans-serif';

const colour = (name: keyof typeof palette) => `light-dark(${palette[name].join(', ')})`;

/** The style sheet that defines the look of all pages: colours, one scale of type, spaces, and corners. */
export const tokens = `:root {
  --ink: ${colour('ink')};
  --soft-ink: ${colour('softInk')};
  --rule: ${colour('rule')};
  --edge: ${colour('edge')};
  --paper: ${colour('paper')};
  --wash: ${colour('wash')};
  --strong: ${colour('strong')};
  --shadow: 0 4px 16px rgb(0 0 0 / 30%);
  --font: ${font};
  --text-small: 0.8125rem;
  --text: 0.875rem;
  --text-large: 1.125rem;
  --text-title: 1.5rem;
  --space-small: 0.25rem;
  --space: 0.5rem;
  --space-large: 1rem;
  --space-huge: 2rem;
  --radius: 4px;
  --radius-large: 8px;
}
`;
