import { describe, expect, it } from 'vitest';
import { assetResult, ofDataset, respondWith, start } from '../support/harness.ts';

/*
 * Clause 3.14 of docs/contract.md in detail.
 * Versions. `DatasetResults.series` shows every entry of the response. The attributes of an `Asset` are those of its entry with
 * the highest version. An absent version is the lowest. Of equal versions, the first entry counts. Rows: test/results/entries.test.ts;
 * several time ranges: test/oracle.
 */
describe('3.14 Versions', () => {
  const entry = (asset_id: string, asset_name: string, asset_version?: number | null) => {
    const { asset_version: _, ...rest } = assetResult(asset_id);
    return { ...rest, asset_name, ...(asset_version !== undefined && { asset_version }) };
  };
  const assets = [
    entry('up', 'up 1', 1),
    entry('down', 'down 3', 3),
    entry('tie', 'tie first', 2),
    entry('none', 'none first'),
    entry('up', 'up 3', 3),
    entry('absent', 'absent without'),
    entry('tie', 'tie second', 2),
    entry('down', 'down 1', 1),
    entry('none', 'none second', null),
    entry('absent', 'absent -5', -5),
  ];
  const highest = {
    up: { name: 'up 3', version: '3' },
    down: { name: 'down 3', version: '3' },
    tie: { name: 'tie first', version: '2' },
    none: { name: 'none first', version: null },
    absent: { name: 'absent -5', version: '-5' },
  };

  it('shows every entry with its version and with the asset of the highest, which an asset alone has, too', async () => {
    const bed = await start();
    respondWith(bed.simulator, { results: { assets } });
    const { body } = await bed.query(ofDataset('results { series { nodes { version asset { name version } } } }'));
    const nodes = assets.map(({ asset_id, asset_version = null }) => ({
      version: asset_version === null ? null : String(asset_version),
      asset: highest[asset_id as keyof typeof highest],
    }));
    expect(body).toEqual({ data: { dataset: { results: { series: { nodes } } } } });
    for (const [assetId, asset] of Object.entries(highest)) {
      respondWith(bed.simulator, { results: { assets: assets.filter(({ asset_id }) => asset_id === assetId) } });
      const fields = 'name version series { version asset { name } }';
      const { body } = await bed.query(ofDataset(`asset(assetId: "${assetId}") { ${fields} }`));
      const series = { version: asset.version, asset: { name: asset.name } };
      expect(body).toEqual({ data: { dataset: { asset: { ...asset, series } } } });
    }
  });

  it('tells versions apart that are the same as doubles', async () => {
    const bed = await start();
    const versions = ['9007199254740992', '9007199254740993', '9007199254740991'];
    const entries = versions.map((version) => `{"asset_id":"a","asset_version":${version}}`);
    respondWith(bed.simulator, { results: `{"assets":[${entries}]}` });
    const { body } = await bed.query(ofDataset('asset(assetId: "a") { version }'));
    expect(body).toEqual({ data: { dataset: { asset: { version: '9007199254740993' } } } });
  });
});
