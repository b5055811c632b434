import { type Ring, splitRing } from './antimeridian.ts';

/** An outline on the map, which is filled: land, or water within land. */
export interface Coast {
  readonly ring: Ring;
  readonly isLand: boolean;
}

/** The part of GeoJSON that the outlines of land use. */
interface Land {
  readonly features: readonly { readonly geometry: { readonly coordinates: readonly (readonly Ring[])[] } }[];
}

let loaded: Promise<readonly Coast[]> | undefined;

/** Loads the outlines of all land once: Natural Earth (public domain) from the package `world-atlas`. Water follows its land. */
export function loadCoasts(): Promise<readonly Coast[]> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<readonly Coast[]> {
  const [{ feature }, { default: atlas }] = await Promise.all([
    import('topojson-client'),
    import('world-atlas/land-110m.json'),
  ]);
  // biome-ignore lint/suspicious/noExplicitAny: the library's types do not accept the type that TypeScript infers for the JSON
  const land = feature(atlas as any, atlas.objects.land as any) as unknown as Land;
  const polygons = land.features.flatMap(({ geometry }) => geometry.coordinates);
  return polygons.flatMap((rings) =>
    rings.flatMap((outline, index) => splitRing(outline).map((ring) => ({ ring, isLand: index === 0 }))),
  );
}
