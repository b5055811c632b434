import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assetResult, dataset, ofDataset, queryAt, start } from '../support/harness.ts';
import { endpointOf, PROJECT, startProgram } from '../support/process.ts';

/** Further fields of the responses: the line of the table, after another one of it, and the line of the schema. */
const newFields = [
  {
    after: "  surfaceAreaM2: ['asset_surface_area_m2', 'double', 'Asset.surfaceAreaM2'],\n",
    line: "  lastSeen: ['last_seen_ms', 'int64', 'Asset.lastSeen'],\n",
    inSchema: ['  surfaceAreaM2: Float\n', '  lastSeen: Int64\n'],
  },
  {
    after: "  surfaceAreaM2: ['asset_surface_area_m2', 'double', 'Asset.surfaceAreaM2'],\n",
    line: "  labels: ['asset_labels', 'texts', 'Asset.labels'],\n",
    inSchema: ['  surfaceAreaM2: Float\n', '  labels: [String!]\n'],
  },
  {
    after: "  surfaceAreaM2: ['asset_surface_area_m2', 'double', 'Asset.surfaceAreaM2'],\n",
    line: "  rank: ['asset_rank', 'int32', 'Asset.rank'],\n",
    inSchema: ['  surfaceAreaM2: Float\n', '  rank: Int\n'],
  },
  {
    after: "  parentName: ['parent_asset_name', 'text', 'AssetParent.name'],\n",
    line: "  parentKind: ['parent_asset_kind', 'text', 'AssetParent.kind'],\n",
    inSchema: ['type AssetParent {\n', '  kind: String\n'],
  },
  {
    after: "  assetCount: ['asset_count', 'int32', 'Dataset.assetCount'],\n",
    line: "  rowCount: ['row_count', 'int64', 'Dataset.rowCount'],\n",
    inSchema: ['  assetCount: Int\n', '  rowCount: Int64\n'],
  },
] as const;

const TABLE = 'src/rest/contract/response-fields.ts';

/** Adds a line after another one, which is there once. */
async function addLine(file: string, after: string, line: string): Promise<void> {
  const parts = (await readFile(file, 'utf8')).split(after);
  expect(parts).toHaveLength(2);
  await writeFile(file, parts.join(after + line));
}

/** A copy of the subgraph that knows the new fields. Returns its folder. */
async function copyWithNewFields(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'new-field-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of ['src', 'engine', 'explorer/src', 'operations', 'schema.graphql', 'package.json'])
    await cp(join(PROJECT, name), join(folder, name), { recursive: true });
  const settings = JSON.parse(await readFile(join(PROJECT, 'tsconfig.json'), 'utf8'));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ ...settings, include: ['src'] }));
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  for (const { after, line, inSchema } of newFields) {
    await addLine(join(folder, TABLE), after, line);
    await addLine(join(folder, 'schema.graphql'), inSchema[0], inSchema[1]);
  }
  return folder;
}

/** The new fields as the service sends them. The numbers stand in quotes until they are sent. */
const metadata = { ...dataset.metadata, row_count: '9007199254740993' };
const attributes = {
  last_seen_ms: '-9223372036854775808',
  asset_rank: '-12e1',
  asset_labels: ['wet', null, 'flat'],
  parent_asset_kind: 'farm',
};
const selection = `rowCount
  asset(assetId: "a") { lastSeen rank labels parent { kind } }
  results { series { nodes { asset { lastSeen rank labels parent { kind } } } } }`;
const asset = { lastSeen: '-9223372036854775808', rank: -120, labels: ['wet', 'flat'], parent: { kind: 'farm' } };

describe('A new field of a response', () => {
  it('is a line of the table and one of the schema', async () => {
    const folder = await copyWithNewFields();
    const { simulator } = await start();
    simulator.intercept(({ operation }) => {
      const results = { assets: [{ ...assetResult('a'), ...attributes }] };
      const response = operation === 'getDatasetMetadata' ? metadata : results;
      return { body: JSON.stringify(response).replace(/"(-?\d{16,}|-12e1)"/g, '$1') };
    });
    const env = { DATASET_SERVICE_URL: simulator.url, PORT: '0' };
    const program = startProgram(process.execPath, ['src/main.ts'], { cwd: folder, env });
    const { body } = await queryAt(await endpointOf(program), ofDataset(selection));
    expect(body).toEqual({
      data: { dataset: { rowCount: '9007199254740993', asset, results: { series: { nodes: [{ asset }] } } } },
    });
    program.kill('SIGTERM');
    expect((await program.ended).stderr).not.toContain('Error');
    const compiler = startProgram(process.execPath, [`${PROJECT}node_modules/typescript/bin/tsc`, '-p', folder]);
    expect(await compiler.ended).toMatchObject({ code: 0, stdout: '' });
  });
});
