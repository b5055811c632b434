import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createSchema } from '../../src/graphql/schema/executable-schema.ts';
import { serviceSdl } from '../../src/graphql/schema/service-sdl.ts';
import { DATASET_ID, postResults } from '../support/harness.ts';
import { isNight, running } from './gateways/gateways.ts';
import { composeByGrafbase, grafbase } from './gateways/grafbase.ts';
import { startRig } from './rig.ts';
import { othersWith } from './subgraphs/others.ts';
import { schemaFileOf } from './subgraphs/schemas.ts';

const names = {
  SCHEMA_NAMES: [
    'Asset:DatasetAsset',
    'DatasetResults:PlatformDatasetResults',
    'ResultsFilterInput:PlatformResultsFilterInput',
    'Query.dataset:platformDataset',
  ].join(),
};

const document = `query ($filter: PlatformResultsFilterInput) {
  dataset(id: "fields") {
    title
    pictures { url shows { __typename name version } }
  }
  platformDataset(id: "${DATASET_ID}") {
    results(filter: $filter) {
      __typename
      series { nodes { asset { __typename assetId pictures { __typename id } } } }
    }
  }
}`;

describe('3.26 SCHEMA_NAMES, beside a subgraph with an Asset and a Query.dataset of its own', () => {
  it.each(isNight ? running : running.slice(0, 1))('serves both behind $name', async (gateway) => {
    const rig = await startRig(gateway, (data) => othersWith(data, ['media']), names);
    onTestFinished(() => rig.stop());
    const picture = { id: 'p1', url: 'https://media.example/p1.jpg', datasetId: DATASET_ID, assetId: 'a' };
    rig.others.pictures.set('fields', [picture]);
    const { body } = await rig.query(document, { variables: { filter: { assetIds: ['a', 'b'] } } });
    const node = (assetId: string, pictures: object[]) => ({
      asset: { __typename: 'DatasetAsset', assetId, pictures },
    });
    expect(body).toEqual({
      data: {
        dataset: {
          title: 'Pictures of fields',
          pictures: [{ url: picture.url, shows: { __typename: 'DatasetAsset', name: 'Field a', version: '1' } }],
        },
        platformDataset: {
          results: {
            __typename: 'PlatformDatasetResults',
            series: { nodes: [node('a', [{ __typename: 'Asset', id: 'p1' }]), node('b', [])] },
          },
        },
      },
    });
    const asked = [postResults({ mo_ids: ['a'] }), postResults({ mo_ids: ['a', 'b'] })];
    expect(rig.calls().toSorted()).toEqual(asked.toSorted());
  });
});

// The other composers are in test/composition/composition-names.test.ts.
describe.skipIf(!grafbase.runsHere)('3.26 Composition by Grafbase with the same names elsewhere', () => {
  it.each([
    ['fails without SCHEMA_NAMES', {}, 1, /dataset/],
    // It does not check that each field of an entity can be reached.
    [
      'makes one type of two without another name for Asset',
      { SCHEMA_NAMES: 'Query.dataset:platformDataset' },
      0,
      /type Asset\s+@join__type\(graph: DATASET, key: "datasetId assetId"\)\s+@join__type\(graph: MEDIA, key: "id"\)/,
    ],
  ])('%s', async (_title, env, code, output) => {
    const folder = await mkdtemp(join(tmpdir(), 'grafbase-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const schemaFile = join(folder, 'dataset.graphql');
    const { SCHEMA_NAMES } = readConfig(env);
    await writeFile(schemaFile, serviceSdl(createSchema(SCHEMA_NAMES)));
    const subgraphs = [
      { name: 'dataset', url: 'http://dataset.invalid', schemaFile },
      { name: 'media', url: 'http://media.invalid', schemaFile: fileURLToPath(schemaFileOf('media')) },
    ];
    const composed = await composeByGrafbase({ subgraphs, folder });
    expect(composed).toEqual({ code, output: expect.stringMatching(output) });
  });
});
