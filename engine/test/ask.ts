import { parse } from 'graphql';
import { type AskedOfResults, type Limits, type PathError, Selection } from '../index.ts';
import { askedBy } from './asked.ts';
import { inPieces, read, unlimited } from './read.ts';

/** What a selection on `DatasetResults` gives. */
export interface Answer {
  /** What is selected of each series. */
  readonly nodes: readonly unknown[];
  /** What is selected of all, by its key. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Errors without what is undefined, and without their origin. */
  readonly errors: readonly Partial<PathError>[];
}

/** A selection on `DatasetResults`, such as `series { nodes { rowCount } }`, as the engine takes it. */
export function askedOf(selection: string): AskedOfResults {
  const asked = askedBy(parse(`{ dataset(id: "d") { results { ${selection} } } }`), {}, 'd');
  if (asked === undefined) throw new Error(`A body of results has no ${selection}.`);
  const { entries, all } = asked;
  return { all, ...(entries && { entries }) };
}

/** All attributes, and rows in each form. */
export const EVERYTHING = `series { nodes {
  asset { assetId name version categories surfaceAreaM2 centroid { latitude longitude } parent { assetId name version } }
  rowCount metricNames rows { valueDate metrics { name value } value(metric: "a") }
  columns { rowCount valueDates metrics { name values } }
} }`;

export const everything = new Selection(askedOf(EVERYTHING));

/** Reads a body with a selection on `DatasetResults`. */
export function ask(
  selection: string,
  body: Buffer,
  limits: Limits = unlimited,
  pieces: readonly number[] = [body.length],
): Answer {
  const asked = askedOf(selection);
  const { list, values, errors } = read(asked, inPieces(body, pieces), limits);
  return {
    nodes: list === '' ? [] : JSON.parse(list),
    values: Object.fromEntries((asked.all ?? []).map(({ key }, index) => [key, JSON.parse(values[index] as string)])),
    errors: errors.map(({ origin: _, ...error }) => JSON.parse(JSON.stringify(error))),
  };
}

/** The same of each series. */
export function askSeries(selection: string, ...others: [body: Buffer, limits?: Limits, pieces?: readonly number[]]) {
  const { nodes, errors } = ask(`series { nodes { ${selection} } }`, ...others);
  return { nodes, errors };
}
