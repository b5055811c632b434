import type { Place } from './worker/protocol.ts';

/** Where something is on the map, in degrees. */
export type Position = Pick<Place, 'latitude' | 'longitude'>;

/** The part of the world that a map shows. */
export interface MapArea extends Position {
  /** The degrees of latitude in a pixel. The position is that of the middle. */
  readonly degrees: number;
}

/** Reads an area in a link; undefined if it is none. */
export function mapAreaIn(text: string | null): MapArea | undefined {
  const [latitude = Number.NaN, longitude = Number.NaN, degrees = Number.NaN] = (text ?? '').split(' ').map(Number);
  const isArea = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && degrees >= MIN_DEGREES && degrees <= 1;
  return isArea ? { latitude, longitude, degrees } : undefined;
}

/** An area in a link: the middle to a decimetre, and the scale. */
export function mapAreaText({ latitude, longitude, degrees }: MapArea): string {
  return [latitude.toFixed(6), longitude.toFixed(6), degrees.toPrecision(4)].map(Number).join(' ');
}

/** The ends of a part of the world, in degrees. */
export interface Ends {
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
}

/** What the area of a map depends on. */
export interface MapFrame {
  readonly places: readonly Place[];
  /** The ends of the least box around the places, in degrees. */
  readonly box: Ends;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** The length of a degree of longitude in the middle of the places, compared with one of latitude. */
  readonly aspect: number;
}

/** The area that a single place is shown in, in degrees of latitude: the coasts say where it is. */
const SINGLE_PLACE = 12;

/** The most detailed area, in degrees of latitude in a pixel: about 20 centimetres. */
const MIN_DEGREES = 2e-6;

/** How far from the edge of the map a place is at least that has to be visible, in pixels. */
const EDGE = 24;

/** With so many visible places or more, names show only at the pointer. */
export const MAX_NAMES = 12;

/** The space for names beside the outer places, in pixels. */
const NAMES = { x: 90, y: 56 };

/** The frame of a map of some places. */
export function frameOf(places: readonly Place[], width: number, height: number): MapFrame {
  const box = boxOf(places);
  return { places, box, width, height, aspect: Math.cos((((box.south + box.north) / 2) * Math.PI) / 180) || 1 };
}

/** The area that shows all places, and their names if they are few. */
export function areaOfAll({ places, box, width, height, aspect }: MapFrame): MapArea {
  const { west, east, south, north } = box;
  const margin = places.length < MAX_NAMES ? NAMES : { x: EDGE, y: EDGE };
  const degrees = Math.max(
    ((east - west) * aspect) / (width - 2 * Math.min(margin.x, width / 4)),
    (north - south) / (height - 2 * Math.min(margin.y, height / 4)),
  );
  return {
    longitude: (west + east) / 2,
    latitude: (south + north) / 2,
    degrees: degrees === 0 ? SINGLE_PLACE / height : Math.max(degrees, MIN_DEGREES),
  };
}

/** The ends of an area, in degrees. */
export function endsOf({ longitude, latitude, degrees }: MapArea, { width, height, aspect }: MapFrame): Ends {
  const [x, y] = [((width / 2) * degrees) / aspect, (height / 2) * degrees];
  return { west: longitude - x, east: longitude + x, south: latitude - y, north: latitude + y };
}

/** An area whose content is moved by so many pixels. */
export function movedBy(area: MapArea, { aspect }: MapFrame, x: number, y: number): MapArea {
  const { longitude, latitude, degrees } = area;
  return { degrees, longitude: longitude - (x * degrees) / aspect, latitude: latitude + y * degrees };
}

/**
 * An area with so many times the degrees, as far as the map has them: at most those of the whole world. Where they are more than
 * before, all places become visible as soon as they fit.
 *
 * @param x how far from the middle the point is that stays where it is, in pixels
 */
export function zoomedBy(area: MapArea, frame: MapFrame, factor: number, x = 0, y = 0): MapArea {
  const world = Math.max((360 * frame.aspect) / frame.width, 180 / frame.height);
  const max = Math.max(world, areaOfAll(frame).degrees);
  const degrees = Math.min(Math.max(area.degrees * factor, MIN_DEGREES), max);
  const middle = movedBy(area, frame, -x, -y);
  const zoomed = movedBy({ ...middle, degrees }, frame, x, y);
  if (factor <= 1) return zoomed;
  const [halfWidth, halfHeight] = halvesOf(zoomed, frame);
  const { west, east, south, north } = frame.box;
  return {
    degrees,
    longitude: middleWith(west, east, zoomed.longitude, halfWidth),
    latitude: middleWith(south, north, zoomed.latitude, halfHeight),
  };
}

/** Half of the width and of the height of an area without its edge, in degrees. */
function halvesOf({ degrees }: MapArea, { width, height, aspect }: MapFrame): [longitudes: number, latitudes: number] {
  return [((width / 2 - EDGE) * degrees) / aspect, (height / 2 - EDGE) * degrees];
}

/** The closest middle of what has a range, if that fits. */
function middleWith(low: number, high: number, middle: number, half: number): number {
  return high - low > 2 * half ? middle : Math.min(Math.max(middle, high - half), low + half);
}

/**
 * An area with one of some places at least, so that it is never empty. Without any it moves to the closest one.
 *
 * @param to whether that comes to the edge of the area or to its middle
 */
export function withPlace(area: MapArea, frame: MapFrame, places: readonly Position[], to: 'edge' | 'middle'): MapArea {
  const [halfWidth, halfHeight] = halvesOf(area, frame);
  let [closest, least] = [area, Number.POSITIVE_INFINITY];
  for (const { longitude, latitude } of places) {
    const atEdge = {
      longitude: middleWith(longitude, longitude, area.longitude, halfWidth),
      latitude: middleWith(latitude, latitude, area.latitude, halfHeight),
    };
    const [east, north] = [atEdge.longitude - area.longitude, atEdge.latitude - area.latitude];
    const distance = Math.hypot(east * frame.aspect, north);
    if (distance === 0) return area;
    if (distance >= least) continue;
    least = distance;
    closest = { degrees: area.degrees, ...(to === 'edge' ? atEdge : { longitude, latitude }) };
  }
  return closest;
}

/** Half of all places have another one within so many degrees of latitude. */
export function spacingOf({ places, aspect }: MapFrame): number {
  const sorted = places.toSorted((a, b) => a.latitude - b.latitude);
  const distances = sorted.map((place, index) => {
    let least = Number.POSITIVE_INFINITY;
    for (const step of [-1, 1]) {
      for (let other = sorted[index + step], at = index + step; other !== undefined; at += step, other = sorted[at]) {
        const north = other.latitude - place.latitude;
        if (Math.abs(north) >= least) break;
        least = Math.min(least, Math.hypot(north, (other.longitude - place.longitude) * aspect));
      }
    }
    return least;
  });
  return distances.sort((a, b) => a - b)[Math.floor((distances.length - 1) / 2)] ?? Number.POSITIVE_INFINITY;
}

/** The metres in a degree of latitude. */
const METRES = 111_195;

/** The longest of some round lengths that has at most so many pixels. */
export function scaleBarOf(
  { degrees }: MapArea,
  maxPixels: number,
): { readonly pixels: number; readonly text: string } {
  const metresOfPixel = degrees * METRES;
  const max = maxPixels * metresOfPixel;
  const power = 10 ** Math.floor(Math.log10(max));
  const metres = ([5, 2, 1].find((digit) => digit * power <= max) ?? 1) * power;
  return {
    pixels: metres / metresOfPixel,
    text: metres < 1000 ? `${metres} m` : `${(metres / 1000).toLocaleString('en')} km`,
  };
}

/** The least box around some places. */
function boxOf(places: readonly Position[]): Ends {
  const box = { west: 180, east: -180, south: 90, north: -90 };
  for (const { longitude, latitude } of places) {
    box.west = Math.min(box.west, longitude);
    box.east = Math.max(box.east, longitude);
    box.south = Math.min(box.south, latitude);
    box.north = Math.max(box.north, latitude);
  }
  return box;
}
