import { echarts } from './echarts.ts';

/** The name under which maps find the coasts. */
export const COASTS = 'coasts';

/** Fetches the outlines of all land, of Natural Earth (public domain, as `world-atlas` has it), once. */
export async function loadCoasts(): Promise<void> {
  if (echarts.getMap(COASTS) !== null && echarts.getMap(COASTS) !== undefined) return;
  const [{ feature }, { default: atlas }] = await Promise.all([
    import('topojson-client'),
    import('world-atlas/land-110m.json'),
  ]);
  // biome-ignore lint/suspicious/noExplicitAny: the library's types do not take the JSON as TypeScript reads it
  const land = feature(atlas as any, atlas.objects.land as any);
  // biome-ignore lint/suspicious/noExplicitAny: as above
  echarts.registerMap(COASTS, land as any);
}
