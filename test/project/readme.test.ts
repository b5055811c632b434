import { describe, expect, it } from 'vitest';
import { demoDatasetIds, loadDemoData } from '../../simulator/src/demo-data.ts';
import { blocksOf } from '../support/doc-blocks.ts';
import { start } from '../support/harness.ts';

/** The code blocks of one language, in their order. */
function blocks(language: string): string[] {
  return blocksOf('README.md').flatMap((block) => (block.language === language ? [block.code] : []));
}

describe('README', () => {
  const [exampleQuery = ''] = blocks('graphql');
  const [exampleResponse = ''] = blocks('json');

  it('shows a query with its true response and its number of REST calls', async () => {
    const { query, calls } = await start(await loadDemoData());
    const { body } = await query(exampleQuery, { token: 'demo-token', variables: { id: demoDatasetIds.weather } });
    expect(body).toEqual(JSON.parse(exampleResponse));
    expect(calls()).toHaveLength(2);
  });
});
