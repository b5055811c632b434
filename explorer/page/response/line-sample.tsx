import type { LineStyle } from './line-style.ts';

/** A sample of a line, before its name. */
export function LineSample({ style }: { style: Pick<LineStyle, 'color' | 'type'> & Partial<LineStyle> }) {
  const { color, type, opacity } = style;
  return <span className="response-sample" style={{ borderTop: `3px ${type} ${color}`, opacity }} />;
}
