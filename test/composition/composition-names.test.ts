import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { typeDefsOf } from '../supergraph/subgraphs/schemas.ts';
import { start } from '../support/harness.ts';
import { type ComposedSubgraph, composers, composeSupergraph } from './composers.ts';

/** This subgraph with these settings, as routers read it. */
async function ours(env: Record<string, string>): Promise<ComposedSubgraph> {
  const { query } = await start({ env });
  const { body } = await query('{ _service { sdl } }', { token: null });
  return { name: 'dataset', url: 'http://dataset.invalid', typeDefs: parse(body.data._service.sdl) };
}

/** A subgraph of another team, which calls its types by names that this one uses too. */
const crowded: ComposedSubgraph = {
  name: 'crowded',
  url: 'http://crowded.invalid',
  typeDefs: parse(`
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])

    type Query { results(range: TimeRangeInput!): [Result!]! }
    type Result { metrics: [Metric!]! every: PeriodUnit! at: DateTime! place: GeoPoint }
    type Metric { name: Int! unit: String }
    type GeoPoint { latitude: String! longitude: String! altitude: String! }
    enum PeriodUnit { NONE }
    input TimeRangeInput { from: Int! to: Int! }
    scalar DateTime
    type Dataset @key(fields: "id") { id: ID! metric: Metric }
  `),
};

/** A subgraph of another team with an entity and a root field of the same names. */
const media: ComposedSubgraph = { name: 'media', url: 'http://media.invalid', typeDefs: typeDefsOf('media') };

/** Other names for the types of `crowded`, and for the one of them that subgraphs may share. */
const OTHERS = 'Result:FooResult,Metric:FooMetric,PeriodUnit:FooPeriodUnit,TimeRangeInput:FooTimeRangeInput';
const SHARED = 'GeoPoint:FooGeoPoint';

describe.each(Object.entries(composers))('3.26 Composition by %s with the same names elsewhere', (_, compose) => {
  it.each([
    ['without settings', {}],
    ['without another name for a shared type', { SCHEMA_NAMES: OTHERS }],
    ['with another name for a shared type alone', { SCHEMA_NAMES: SHARED }],
  ])('fails for other types %s', async (_title, env) => {
    expect(compose([await ours(env), crowded]).errors).not.toEqual([]);
  });

  it('has no errors and no hints for other types with other names', async () => {
    const env = { SCHEMA_NAMES: `${OTHERS},${SHARED}` };
    expect(compose([await ours(env), crowded])).toMatchObject({ errors: [], hints: [] });
  });

  it.each([
    ['without SCHEMA_NAMES', {}],
    ['without another name for Query.dataset', { SCHEMA_NAMES: 'Asset:DatasetAsset' }],
    ['without another name for Asset', { SCHEMA_NAMES: 'Query.dataset:platformDataset' }],
  ])('fails for an entity and a root field %s', async (_title, env) => {
    expect(compose([await ours(env), media]).errors).not.toEqual([]);
  });

  it('has no errors and no hints for them with SCHEMA_NAMES', async () => {
    const env = { SCHEMA_NAMES: 'Asset:DatasetAsset,Query.dataset:platformDataset' };
    expect(compose([await ours(env), media])).toMatchObject({ errors: [], hints: [] });
  });
});

it('3.26 Both types of a name are in the supergraph', async () => {
  const env = { SCHEMA_NAMES: `${OTHERS},${SHARED}` };
  const sdl = composeSupergraph([await ours(env), crowded]);
  for (const type of ['Metric', 'FooMetric', 'Result', 'FooResult', 'GeoPoint', 'FooGeoPoint']) {
    expect(sdl).toContain(`type ${type}\n`);
  }
  expect(sdl.match(/^type Dataset\n/gm)).toHaveLength(1);
});
