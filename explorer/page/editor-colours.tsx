import { pick, useGraphiQL, useMonaco } from '@graphiql/react';
import { useEffect } from 'react';
import { palette } from '../src/tokens.ts';

/** The names of the editors' themes. */
export const editorTheme = { light: 'readable-light', dark: 'readable-dark' } as const;

/** GraphiQL's colours, except for those that are too close to their background for many readers. */
const palettes = {
  light: {
    base: 'vs',
    paper: palette.paper[0],
    strong: palette.strong[0],
    lineNumber: palette.softInk[0],
    tokens: { number: '07724b', comment: '007000', 'argument.identifier.gql': '5d5ac4' },
  },
  dark: {
    base: 'vs-dark',
    paper: palette.paper[1],
    strong: palette.strong[1],
    lineNumber: palette.softInk[1],
    tokens: { number: 'b5cea8', comment: '7fb56b', 'argument.identifier.gql': '9f9aff' },
  },
} as const;

/** Sets the colours of the editors. */
export function EditorColours() {
  const monaco = useMonaco((store) => store.monaco);
  const { monacoTheme } = useGraphiQL(pick('monacoTheme'));
  useEffect(() => {
    if (monaco === undefined) return;
    for (const name of ['light', 'dark'] as const) {
      const { base, paper, strong, lineNumber, tokens } = palettes[name];
      monaco.editor.defineTheme(editorTheme[name], {
        base,
        inherit: true,
        rules: Object.entries(tokens).map(([token, foreground]) => ({ token, foreground })),
        colors: {
          // The panes behind the editors have colours of their own.
          'editor.background': '#ffffff00',
          'scrollbar.shadow': '#ffffff00',
          'editorLineNumber.foreground': lineNumber,
          'editorWidget.background': paper,
          'editorHoverWidget.background': paper,
          'editorSuggestWidget.background': paper,
          'editorSuggestWidget.selectedBackground': `${strong}19`,
          'editorSuggestWidget.selectedForeground': strong,
          'list.hoverBackground': `${strong}19`,
          'list.highlightForeground': strong,
          'list.focusHighlightForeground': strong,
          'menu.background': paper,
          'quickInput.background': paper,
          'textLink.foreground': strong,
          'textLink.activeForeground': strong,
          'editorLink.activeForeground': strong,
          focusBorder: strong,
        },
      });
    }
    // An editor that was made before has the colours of Monaco.
    if (monacoTheme !== undefined) monaco.editor.setTheme(monacoTheme);
  }, [monaco, monacoTheme]);
  return null;
}
