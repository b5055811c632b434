import { echarts } from './echarts.ts';

/** The name of the registered map. */
export const COASTS = 'coasts';

/** Loads the outlines of all land once: Natural Earth (public domain) from the package `world-atlas`. */
export async function loadCoasts(): Promise<void> {
  if (echarts.getMap(COASTS) !== null && echarts.getMap(COASTS) !== undefined) return;
  const [{ feature }, { default: atlas }] = await Promise.all([
    import('topojson-client'),
    import('world-atlas/land-110m.json'),
  ]);
  // biome-ignore lint/suspicious/noExplicitAny: the library's types do not accept the type that TypeScript infers for the JSON
  const land = feature(atlas as any, atlas.objects.land as any);
  // biome-ignore lint/suspicious/noExplicitAny: as above
  echarts.registerMap(COASTS, land as any);
}
