import { copyFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assetResult, dataset, ofDataset, queryAt, start } from '../support/harness.ts';
import { endpointOf, PROJECT, startProgram } from '../support/process.ts';

/** Further fields of the responses: the line of the table, after another one of it, and the line of the schema. */
const newFields = [
  {
    after: "  surfaceAreaM2: ['asset_surface_area_m2', 'double', 'asset.surfaceAreaM2'],\n",
    line: "  lastSeen: ['last_seen_ms', 'int64', 'asset.lastSeen'],\n",
    inSchema: ['  surfaceAreaM2: Float\n', '  lastSeen: Int64\n'],
  },
  {
    after: "  surfaceAreaM2: ['asset_surface_area_m2', 'double', 'asset.surfaceAreaM2'],\n",
    line: "  labels: ['asset_labels', 'texts', 'asset.labels'],\n",
    inSchema: ['  surfaceAreaM2: Float\n', '  labels: [String!]\n'],
  },
  {
    after: "  parentName: ['parent_asset_name', 'text', 'parent.name'],\n",
    line: "  parentKind: ['parent_asset_kind', 'text', 'parent.kind'],\n",
    inSchema: ['type AssetParent {\n', '  kind: String\n'],
  },
  {
    after: "  assetCount: ['asset_count', 'int32', 'Dataset.assetCount'],\n",
    line: "  rowCount: ['row_count', 'int64', 'Dataset.rowCount'],\n",
    inSchema: ['  assetCount: Int\n', '  rowCount: Int64\n'],
  },
] as const;

/** The tables of the fields of metadata, and of the attributes of assets. */
const [METADATA, ATTRIBUTES] = ['src/rest/contract/response-fields.ts', 'engine/attributes.ts'];

/** Adds a line after another one, which is there once. */
async function addLine(file: string, after: string, line: string): Promise<void> {
  const parts = (await readFile(file, 'utf8')).split(after);
  expect(parts).toHaveLength(2);
  await writeFile(file, parts.join(after + line));
}

/** A copy of the subgraph with the new fields. Returns its folder. */
async function copyWithNewFields(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'new-field-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const copied = ['src', 'engine', 'files', 'explorer/src', 'explorer/server', 'operations', 'schema.graphql'];
  for (const name of [...copied, 'package.json'])
    await cp(join(PROJECT, name), join(folder, name), { recursive: true });
  const settings = JSON.parse(await readFile(join(PROJECT, 'tsconfig.json'), 'utf8'));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ ...settings, include: ['src'] }));
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  const schema = join(folder, 'schema.graphql');
  for (const { after, line, inSchema } of newFields) {
    await addLine(join(folder, line.includes('Dataset.') ? METADATA : ATTRIBUTES), after, line);
    await addLine(schema, inSchema[0], inSchema[1]);
  }
  return folder;
}

/** Adds a field that is computed from rows to a copy. */
async function addComputedField(folder: string): Promise<void> {
  await copyFile(join(PROJECT, 'engine/test/value-range.ts'), join(folder, 'engine/fields/value-range.ts'));
  const table = join(folder, 'engine/fields/fields.ts');
  const [statistics, valueRange] = ['statistics', 'value-range'].map((name) => `from './${name}.ts';\n`);
  await addLine(table, `import { statistics } ${statistics}`, `import { valueRange } ${valueRange}`);
  await addLine(table, 'rows, statistics', ', valueRange');
  await addLine(join(folder, 'schema.graphql'), '  rowCount: Int\n', '  valueRange: Float\n');
}

/** The new fields as the service sends them. The numbers stand in quotes until they are sent. */
const metadata = { ...dataset.metadata, row_count: '9007199254740993' };
const attributes = {
  last_seen_ms: '-9223372036854775808',
  asset_labels: ['wet', null, 'flat'],
  parent_asset_kind: 'farm',
  results: [1.5, null, -2].map((value) => ({ metrics: [{ name: 'm', value }] })),
};
const selection = `rowCount
  asset(assetId: "a") { lastSeen labels parent { kind } series { valueRange } }
  results { series { nodes { asset { lastSeen labels parent { kind } } again: valueRange rowCount } } }`;
const asset = { lastSeen: '-9223372036854775808', labels: ['wet', 'flat'], parent: { kind: 'farm' } };

describe('A new field of a response', () => {
  it('is a line of the table and one of the schema; one that is computed from rows is a file of the engine, too', async () => {
    const folder = await copyWithNewFields();
    const compiler = startProgram(process.execPath, [`${PROJECT}node_modules/typescript/bin/tsc`, '-p', folder]);
    expect(await compiler.ended).toMatchObject({ code: 0, stdout: '' });
    await addComputedField(folder);
    const { simulator } = await start();
    simulator.intercept(({ operation }) => {
      const results = { assets: [{ ...assetResult('a'), ...attributes }] };
      const response = operation === 'getDatasetMetadata' ? metadata : results;
      return { body: JSON.stringify(response).replace(/"(-?\d{16,})"/g, '$1') };
    });
    const env = { DATASET_SERVICE_URL: simulator.url, PORT: '0' };
    const program = startProgram(process.execPath, ['src/main.ts'], { cwd: folder, env });
    const { body } = await queryAt(await endpointOf(program), ofDataset(selection));
    const nodes = [{ asset, again: 3.5, rowCount: 3 }];
    expect(body).toEqual({
      data: {
        dataset: {
          rowCount: '9007199254740993',
          asset: { ...asset, series: { valueRange: 3.5 } },
          results: { series: { nodes } },
        },
      },
    });
    program.kill('SIGTERM');
    expect((await program.ended).stderr).not.toContain('Error');
  });
});
