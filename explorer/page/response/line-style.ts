import type { LineContent } from './line-content.ts';
import { type Colours, lineStyleOf } from './theme.ts';

/** How a line is drawn, and its samples. */
export interface LineStyle {
  readonly color: string;
  readonly type: 'solid' | 'dashed' | 'dotted';
  /** From 0 to 1. */
  readonly opacity: number;
  /** Whether the line stands out from all others. */
  readonly isStrong: boolean;
}

/** How the line of an asset is drawn: by its slot; of years the latest stands out; an earlier time range is dashed; a preview is pale. */
export function styleOf(
  { dataset: { assets, overlay }, slots }: Pick<LineContent, 'dataset' | 'slots'>,
  asset: number,
  colours: Colours,
): LineStyle {
  const style = lineStyleOf(colours, slots.get(asset) ?? 0);
  const { edge, isEarlier = false, isPreview = false } = assets[asset] ?? {};
  if (overlay?.kind === 'years') return { ...style, opacity: isEarlier ? 0.5 : 1, isStrong: !isEarlier };
  if (overlay?.kind === 'ranges')
    return { ...style, type: isEarlier ? 'dashed' : 'solid', opacity: 1, isStrong: false };
  return { ...style, opacity: edge !== undefined ? 0.3 : isPreview ? 0.4 : 1, isStrong: false };
}
