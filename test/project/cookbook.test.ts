import { describe, expect, it } from 'vitest';
import { loadDemoData } from '../../simulator/src/demo-data.ts';
import { readRecipes } from '../support/cookbook.ts';
import { start } from '../support/harness.ts';
import { receive } from '../support/results-files.ts';

const recipes = readRecipes();

/** A link with a ticket, and what precedes the ticket. */
const link = /(http:[^"]*\/download\/(?:results\/)?)[\w.-]{50,}/;

describe('docs/cookbook.md', () => {
  it('has recipes', () => expect(recipes.length).toBeGreaterThan(15));

  it.each(recipes)('$heading: gives this response, by these REST calls', async (recipe) => {
    const bed = await start({ ...(await loadDemoData()), env: { DOWNLOAD_TICKET_SECRET: 'x'.repeat(32) } });
    const { document, variables, response, calls, file } = recipe;
    const { body } = await bed.query(document, {
      token: 'demo-token',
      variables,
      headers: { 'x-request-id': 'f6a0c1de' },
    });
    for (const error of body.errors ?? []) delete error.locations;
    const { origin } = new URL(bed.subgraph.url);
    const text = JSON.stringify(body).replaceAll(origin, 'http://127.0.0.1:4000');
    expect(JSON.parse(text.replace(link, '$1…'))).toEqual(response);
    expect(bed.calls().toSorted()).toEqual(calls.toSorted());
    if (file === undefined) return;
    const [url = ''] = link.exec(text.replaceAll('http://127.0.0.1:4000', origin)) ?? [];
    expect((await receive(bed, url, {})).text.replaceAll('\r\n', '\n')).toBe(file);
  });
});
