import type { GraphiQLPlugin } from '@graphiql/react';
import { PlotPane } from './plot-pane.tsx';

/** The pane of GraphiQL that draws responses. */
export const plotPlugin: GraphiQLPlugin = {
  title: 'Plot',
  icon: () => (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
      <path d="M3 3v18h18" />
      <path d="M6 16l5-6 4 3 6-8" />
    </svg>
  ),
  content: PlotPane,
};
