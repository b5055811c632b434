import { type Ring, splitRing } from './antimeridian.ts';
import { echarts } from './echarts.ts';

/** The name of the registered map. */
export const COASTS = 'coasts';

/** The part of GeoJSON that the outlines of land use. */
interface Land {
  readonly features: readonly { readonly geometry: { readonly coordinates: readonly (readonly Ring[])[] } }[];
}

/** Loads the outlines of all land once: Natural Earth (public domain) from the package `world-atlas`. */
export async function loadCoasts(): Promise<void> {
  if (echarts.getMap(COASTS) !== null && echarts.getMap(COASTS) !== undefined) return;
  const [{ feature }, { default: atlas }] = await Promise.all([
    import('topojson-client'),
    import('world-atlas/land-110m.json'),
  ]);
  // biome-ignore lint/suspicious/noExplicitAny: the library's types do not accept the type that TypeScript infers for the JSON
  const land = feature(atlas as any, atlas.objects.land as any) as unknown as Land;
  const polygons = land.features.flatMap(({ geometry }) => geometry.coordinates);
  // A hole belongs to the part around it. The only one is a lake, the Caspian Sea, far from 180 degrees.
  const coordinates = polygons.flatMap(([outer = [], ...holes]) =>
    splitRing(outer).map((part) => [part, ...holes.filter((hole) => isWithin(hole, part))]),
  );
  echarts.registerMap(COASTS, {
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        properties: { name: 'land' },
        // biome-ignore lint/suspicious/noExplicitAny: the library's type has changeable arrays
        geometry: { type: 'MultiPolygon', coordinates: coordinates as any },
      },
    ],
  });
}

/** Whether a ring begins between the west and the east end of another one. */
function isWithin([start]: Ring, ring: Ring): boolean {
  const longitudes = ring.map(([longitude]) => longitude);
  return start !== undefined && start[0] >= Math.min(...longitudes) && start[0] <= Math.max(...longitudes);
}
