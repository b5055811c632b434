import { describe, expect, it } from 'vitest';
import { invalidAt } from '../support/expected-errors.ts';
import {
  assetResult,
  dataset,
  metadataResponse,
  ofDataset,
  respondWith,
  start,
  type TestBed,
} from '../support/harness.ts';

/** Each field of metadata, of results and of an asset is absent, null, or of another type. Rows: test/oracle, and the tests of engine/. */

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Path = (string | number)[];

/** Values of another type than the specification gives a field. */
const wrongValues = {
  text: [5, false, ['x'], {}],
  int32: ['3', 1.5, [3], 2 ** 31],
  int64: ['3', 1.5, true, {}],
  double: ['3', 'NaN', false, [3]],
  texts: ['x', 5, {}, ['x', 5], [['y']], [{}, null]],
  list: ['x', '', 0, true, { 0: {} }],
} satisfies Record<string, Json[]>;

const RESULTS = ['dataset', 'results'];

const ask = ({ query }: TestBed, fields: string) => query(ofDataset(fields));

/** One field of an answer of the service, and what its value becomes. */
interface Field {
  /** Where it stands in the body. */
  wire: Path;
  type: keyof typeof wrongValues;
  /** The fields that are null without it, from the object that was asked for on. */
  nulls: Path[];
  /** Where the errors are, where not at those. */
  errors?: Path[];
}

/** The answers whose fields are gone through, one by one. */
interface Answers {
  operation: 'metadata' | 'results';
  /** The answer of the service in which one field is changed. */
  body: object;
  selection: string;
  /** The dataset, where nothing is changed. */
  expected: object;
  /** Where the object stands that the fields belong to. */
  at: Path;
  fields: Field[];
}

/** The value with those places in it replaced. */
function replaced<T extends object>(value: T, places: readonly Path[], by: Json | undefined): T {
  const copy = structuredClone(value);
  for (const place of places) {
    const key = place.at(-1) as string;
    // biome-ignore lint/suspicious/noExplicitAny: a path leads through any shape
    const parent = place.slice(0, -1).reduce((at: any, step) => at[step], copy);
    if (by === undefined) delete parent[key];
    else parent[key] = by;
  }
  return copy;
}

const NODE = [...RESULTS, 'series', 'nodes', 0];

/** Asks for everything of one kind of answer, with one field changed in it. */
function describeFields(title: string, { operation, body, selection, expected, at, fields }: Answers): void {
  const called = operation === 'metadata' ? 'getDatasetMetadata' : 'getDatasetResults';
  async function expectResponses(values: readonly (Json | undefined)[], { wire }: Field, response: object) {
    const bed = await start();
    for (const value of values) {
      respondWith(bed.simulator, { [operation]: replaced(body, [wire], value) });
      expect((await ask(bed, selection)).body).toEqual(response);
    }
  }
  const named = fields.map((field) => ({ ...field, name: field.wire.join('.') }));
  const nullsOf = ({ nulls }: Field) =>
    replaced(
      { data: { dataset: expected } },
      nulls.map((path) => ['data', ...at, ...path]),
      null,
    );

  describe(title, () => {
    it.each(named)('gives null for $name where it is absent or null', (field) =>
      expectResponses([undefined, null], field, nullsOf(field)),
    );

    it.each(named)('gives null and an error at the field for $name of another type', (field) => {
      const errors = (field.errors ?? field.nulls).map((path) => invalidAt([...at, ...path], called));
      return expectResponses(wrongValues[field.type], field, { ...nullsOf(field), errors });
    });
  });
}

describe('3.17 Missing and odd data', () => {
  const text = (wire: string, ...path: string[]): Field => ({ wire: [wire], type: 'text', nulls: [path] });

  it('is shown whole where nothing is missing', async () => {
    const { body } = await ask(await start(), metadataSelection);
    expect(body).toEqual({ data: { dataset: metadataResponse } });
  });

  const metadataSelection = `
    name description assetCount attributionText attributionFile sharing processing { id name } source { id name }
    startDate stopDate startDateTime stopDateTime
  `;

  describeFields('of the metadata', {
    operation: 'metadata',
    body: dataset.metadata,
    selection: metadataSelection,
    expected: metadataResponse,
    at: ['dataset'],
    fields: [
      text('name', 'name'),
      text('description', 'description'),
      { wire: ['asset_count'], type: 'int32', nulls: [['assetCount']] },
      text('attributionText', 'attributionText'),
      text('attributionFile', 'attributionFile'),
      text('sharedOption', 'sharing'),
      text('processing_id', 'processing', 'id'),
      text('processing_name', 'processing', 'name'),
      text('source_id', 'source', 'id'),
      text('source_name', 'source', 'name'),
      { wire: ['start_date'], type: 'int64', nulls: [['startDate'], ['startDateTime']] },
      { wire: ['stop_date'], type: 'int64', nulls: [['stopDate'], ['stopDateTime']] },
    ],
  });

  const resultsBody = { processing_id: 'p-1', source_id: 's-1', assets: [assetResult('a')] };
  const assetSelection = `
    assetId name version categories centroid { latitude longitude } surfaceAreaM2 parent { assetId name version }
  `;
  const assetResponse = {
    assetId: 'a',
    name: 'Field a',
    version: '1',
    categories: ['field'],
    centroid: { latitude: 45.5, longitude: 7.25 },
    surfaceAreaM2: 1200.5,
    parent: { assetId: 'farm', name: 'Farm', version: '2' },
  };
  describeFields('of the results', {
    operation: 'results',
    body: resultsBody,
    selection: 'results { processingId sourceId series { totalCount } }',
    expected: { results: { processingId: 'p-1', sourceId: 's-1', series: { totalCount: 1 } } },
    at: RESULTS,
    fields: [
      text('processing_id', 'processingId'),
      text('source_id', 'sourceId'),
      { wire: ['assets'], type: 'list', nulls: [['series']] },
    ],
  });

  const assetFields: Field[] = [
    text('asset_name', 'name'),
    { wire: ['asset_version'], type: 'int64' as const, nulls: [['version']] },
    { wire: ['asset_categories'], type: 'texts' as const, nulls: [['categories']] },
    {
      wire: ['asset_centroid_latitude'],
      type: 'double' as const,
      nulls: [['centroid']],
      errors: [['centroid', 'latitude']],
    },
    {
      wire: ['asset_centroid_longitude'],
      type: 'double' as const,
      nulls: [['centroid']],
      errors: [['centroid', 'longitude']],
    },
    { wire: ['asset_surface_area_m2'], type: 'double' as const, nulls: [['surfaceAreaM2']] },
    text('parent_asset_id', 'parent', 'assetId'),
    text('parent_asset_name', 'parent', 'name'),
    { wire: ['parent_asset_version'], type: 'int64' as const, nulls: [['parent', 'version']] },
  ].map((field: Field) => ({ ...field, wire: ['assets', 0, ...field.wire] }));

  describeFields('of an asset in a series', {
    operation: 'results',
    body: resultsBody,
    selection: `results { series { nodes { asset { ${assetSelection} } } } }`,
    expected: { results: { series: { nodes: [{ asset: assetResponse }] } } },
    at: [...NODE, 'asset'],
    fields: assetFields,
  });
});
