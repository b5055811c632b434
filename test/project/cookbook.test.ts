import { describe, expect, it } from 'vitest';
import { loadDemoData } from '../../simulator/src/demo-data.ts';
import { readRecipes } from '../support/cookbook.ts';
import { start } from '../support/harness.ts';

const recipes = readRecipes();

describe('docs/cookbook.md', () => {
  it('has recipes', () => expect(recipes.length).toBeGreaterThan(15));

  it.each(recipes)('$heading: gives this response, by these REST calls', async (recipe) => {
    const bed = await start({ ...(await loadDemoData()), env: { DOWNLOAD_TICKET_SECRET: 'x'.repeat(32) } });
    const { document, variables, response, calls } = recipe;
    const { body } = await bed.query(document, {
      token: 'demo-token',
      variables,
      headers: { 'x-request-id': 'f6a0c1de' },
    });
    for (const error of body.errors ?? []) delete error.locations;
    const { origin } = new URL(bed.subgraph.url);
    const text = JSON.stringify(body).replaceAll(origin, 'http://127.0.0.1:4000');
    expect(JSON.parse(text.replace(/(?<=\/download\/)[\w.-]{50,}/, '…'))).toEqual(response);
    expect(bed.calls().toSorted()).toEqual(calls.toSorted());
  });
});
