import { DAY_COUNT, dayOf, seasonOf } from './days.ts';
import { randomDeviation, randomNumber } from './noise.ts';

/** A region of fields. */
export interface Region {
  readonly name: string;
  /** The centre of its fields. */
  readonly latitude: number;
  readonly longitude: number;
  /** How many days later than elsewhere crops grow. */
  readonly delay: number;
  readonly weather: Weather;
  /** The days without rows: none if they are equal. The end is exclusive. */
  readonly outage: readonly [first: number, end: number];
}

/** The weather of a region, an entry for each day. */
export interface Weather {
  /** In °C. */
  readonly temperatures: Float64Array;
  /** The moisture of the soil in %. */
  readonly moistures: Float64Array;
  /** The share of the fields under clouds, from 0 to 1. */
  readonly clouds: Float64Array;
}

interface Climate {
  /** The mean of a year, and how much warmer the summer is, in °C. */
  readonly mean: number;
  readonly summer: number;
  /** The chance of rain, from 0 to 1. */
  readonly rain: number;
}

/** Makes the regions, from the north-west to the south-east. */
export function makeRegions(): Region[] {
  const places: readonly [name: string, latitude: number, longitude: number, delay: number, Climate][] = [
    ['north-west', 52.35, 0.3, 4, { mean: 10.4, summer: 7, rain: 0.4 }],
    ['north', 55.8, 9.1, 10, { mean: 8.6, summer: 8.5, rain: 0.4 }],
    ['north-east', 55.75, 13.6, 10, { mean: 8.4, summer: 9, rain: 0.36 }],
    ['west', 48.3, 1.7, 0, { mean: 11.6, summer: 8, rain: 0.35 }],
    ['centre', 51.9, 11.4, 2, { mean: 9.8, summer: 10, rain: 0.32 }],
    ['east', 52.2, 16.9, 4, { mean: 9.2, summer: 11, rain: 0.31 }],
    ['south-west', 41.9, -4.9, -14, { mean: 12.8, summer: 9.5, rain: 0.2 }],
    ['south-east', 44.3, 26.9, -8, { mean: 11.8, summer: 12.5, rain: 0.26 }],
  ];
  return places.map(([name, latitude, longitude, delay, climate], index) => ({
    name,
    latitude,
    longitude,
    delay,
    weather: makeWeather(climate, index),
    outage: name === 'east' ? [dayOf('2023-11-10'), dayOf('2023-11-24')] : [0, 0],
  }));
}

/** Days follow each other: warm and wet ones come in spells, and the soil dries for weeks after rain. */
function makeWeather({ mean, summer, rain }: Climate, region: number): Weather {
  const weather = {
    temperatures: new Float64Array(DAY_COUNT),
    moistures: new Float64Array(DAY_COUNT),
    clouds: new Float64Array(DAY_COUNT),
  };
  // Subjects of random numbers that are no fields.
  const subject = -100 - 4 * region;
  let anomaly = 0;
  let isWet = false;
  let moisture = 32;
  for (let day = 0; day < DAY_COUNT; day += 1) {
    anomaly = 0.82 * anomaly + 4 * randomDeviation(subject, day);
    const temperature = mean + summer * seasonOf(day) + anomaly;
    isWet = randomNumber(subject + 1, day) < rain * (isWet ? 1.5 : 0.75);
    const heaviness = randomNumber(subject + 2, day);
    const millimetres = isWet ? 2 + 18 * heaviness * heaviness : 0;
    moisture += 0.45 * millimetres * (1 - moisture / 50);
    moisture -= (moisture - 9) * (0.006 + 0.0012 * Math.max(temperature, 0));
    weather.temperatures[day] = temperature;
    weather.moistures[day] = moisture;
    weather.clouds[day] = isWet ? 0.6 : 0.04 + 0.08 * randomNumber(subject + 3, day);
  }
  return weather;
}
