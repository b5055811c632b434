/** A point on the map: longitude and latitude in degrees. */
export type Position = readonly [longitude: number, latitude: number];

/** A closed line. The first and the last position are equal. */
export type Ring = readonly Position[];

/**
 * Splits a ring at 180 degrees, so that a flat map has no line across it. A ring around a pole is closed along the pole.
 *
 * @returns the parts, each within 180 degrees west and 180 degrees east
 */
export function splitRing(ring: Ring): Ring[] {
  const unwrapped = closedAtPole(unwrap(ring));
  const longitudes = unwrapped.map(([longitude]) => longitude);
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)];
  const parts: Ring[] = [];
  // The worlds that the ring is in: the map repeats each 360 degrees.
  for (let world = Math.floor((west + 180) / 360); world * 360 - 180 < east; world++) {
    const [from, to] = [world * 360 - 180, world * 360 + 180];
    const part = clip(clip(unwrapped, from, 1), to, -1);
    if (part.length > 3) parts.push(part.map(([longitude, latitude]) => [longitude - world * 360, latitude]));
  }
  return parts;
}

/** The ring with longitudes that never jump: a step is at most 180 degrees. */
function unwrap(ring: Ring): Position[] {
  let turns = 0;
  return ring.map(([longitude, latitude], index) => {
    const step = longitude - (ring[index - 1]?.[0] ?? longitude);
    if (step > 180) turns -= 360;
    else if (step < -180) turns += 360;
    return [longitude + turns, latitude];
  });
}

/** A ring around a pole ends one turn beside its start. Its end and its start are joined along that pole. */
function closedAtPole(ring: readonly Position[]): readonly Position[] {
  const [first, last] = [ring.at(0), ring.at(-1)];
  if (first === undefined || last === undefined || Math.abs(last[0] - first[0]) < 180) return ring;
  const pole = last[1] < 0 ? -90 : 90;
  return [...ring, [last[0], pole], [first[0], pole], first];
}

/** The part of a ring on one side of a meridian (Sutherland and Hodgman): east of it for 1, west of it for -1. */
function clip(ring: readonly Position[], meridian: number, side: 1 | -1): Position[] {
  const isInside = ([longitude]: Position) => (longitude - meridian) * side >= 0;
  const clipped = ring.flatMap((position, index): Position[] => {
    const previous = ring[index - 1];
    if (previous === undefined || isInside(previous) === isInside(position))
      return isInside(position) ? [position] : [];
    const part = (meridian - previous[0]) / (position[0] - previous[0]);
    const crossing: Position = [meridian, previous[1] + part * (position[1] - previous[1])];
    return isInside(position) ? [crossing, position] : [crossing];
  });
  const [first] = clipped;
  return first === undefined ? [] : [...clipped, first];
}
