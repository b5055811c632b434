import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadDemoData } from '../../simulator/src/demo-data.ts';
import { findLabel } from '../../src/rest/contract/labels.ts';
import { attributeFields, type Fields, metadataFields } from '../../src/rest/contract/response-fields.ts';
import { names, rowsOf } from '../support/doc-blocks.ts';
import { startService } from '../support/harness.ts';

const PAGE = 'docs/rest-service.md';

describe(PAGE, () => {
  const objects = new Map(
    rowsOf(PAGE, '§', 'JSON object', 'fields').map(([, name = '', fields = '']) => [name, fields]),
  );

  it.each<[string, Fields]>([
    ['DatasetMetadata', metadataFields],
    ['AssetResult', attributeFields],
  ])('has the fields of %s, with their types', (object, fields) => {
    const words = { text: 'string', texts: 'a list of strings', double: 'doubles', int32: 'int32', int64: 'int64' };
    const groups = (objects.get(`\`${object}\``) ?? '').split('; ');
    for (const [wireName, type] of Object.values(fields)) {
      const group = groups.find((each) => names(each).includes(wireName));
      expect([wireName, group]).toEqual([wireName, expect.stringContaining(words[type])]);
    }
  });

  it('has the calls that the simulator serves', async () => {
    const demo = await loadDemoData();
    const simulator = await startService(demo);
    const [account] = demo.accounts;
    const id = demo.datasets.find(({ file, results }) => file !== undefined && results !== undefined)?.metadata.id;
    const calls = rowsOf(PAGE, '§', '`rest.operation`', 'request').map(([, , request = '']) => names(request)[0] ?? '');
    expect(calls).toHaveLength(4);
    for (const call of calls) {
      const [method = '', path = ''] = call.split(' ');
      const response = await fetch(simulator.url + path.replace('{datasetId}', String(id)), {
        method,
        headers: { authorization: `Bearer ${account?.token}`, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: path.endsWith('login') ? JSON.stringify(account) : '{}' }),
      });
      await response.arrayBuffer();
      expect([call, response.status]).toEqual([call, 200]);
    }
  });

  it('has the labels of each status', () => {
    const [, list = ''] = /\(§7\): ([^.]*)\./.exec(readFileSync(PAGE, 'utf8')) ?? [];
    const statuses = [...list.matchAll(/(\d{3}) with\s([^\d]*)/g)];
    expect(statuses).toHaveLength(7);
    const labels = statuses.flatMap(([, status, text = '']) => names(text).map((label) => ({ status, label })));
    expect(labels).toHaveLength(10);
    for (const { status, label } of labels) {
      expect(findLabel(Number(status), Buffer.from(label))).toEqual({ label, labelSource: 'body' });
    }
  });
});
