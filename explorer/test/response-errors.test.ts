import { describe, expect, it } from 'vitest';
import {
  inBrowser,
  inNewTab,
  openExplorerTab,
  openTab,
  runOperation,
  setEditorText,
  untilDrawn,
  useChromium,
} from './browser.ts';
import { openResponseTab, showData, showResponse } from './response.ts';

useChromium();

const series = { valueDates: ['2024-01-01', '2024-01-02'], metrics: [{ name: 'm', values: [1, 2] }] };

describe('An error', () => {
  inBrowser('of a missing token says where to put one, until there is one', async ({ page }) => {
    await page.getByLabel('Bearer token').fill('');
    const { data, errors } = await runOperation(page);
    expect([data, errors]).toMatchObject([{ dataset: null }, [{ extensions: { code: 'UNAUTHENTICATED' } }]]);
    const shown = page.getByRole('alert', { name: 'Errors' });
    expect(await shown.innerText()).toMatch(/UNAUTHENTICATED\s+Missing: dataset\s+Put a valid token into the field/);
    await page.getByLabel('Bearer token').fill(' demo-token ');
    await runOperation(page);
    await page.getByRole('heading', { name: /Seattle/ }).waitFor();
    expect(await shown.count()).toBe(0);
  });

  inNewTab('of a part leaves the rest, with a mark at the dataset that is incomplete', async ({ page }) => {
    const path = ['datasetsByIds', 0, 'nodes', 1, 'columns'];
    const extensions = { code: 'UPSTREAM_TIMEOUT', rest: { requestId: 'r-1' } };
    await showResponse(page, {
      data: {
        datasetsByIds: [
          { name: 'A', nodes: [{ columns: series }, { columns: null }] },
          { name: 'B', columns: series },
        ],
      },
      errors: [{ message: 'The dataset service did not respond in time.', path, extensions }],
    });
    expect(await page.getByRole('alert', { name: 'Errors' }).innerText()).toMatch(
      /UPSTREAM_TIMEOUT\s+Missing: datasetsByIds\[0\]\.nodes\[1\]\.columns\s+The dataset service is slow.*\s+Request id: r-1$/s,
    );
    await page.locator('.response-chart canvas').waitFor();
    expect(await page.locator('.response-missing').innerText()).toBe('Incomplete: nodes[1].columns');
    await page.locator('.response').getByLabel('Dataset', { exact: true }).selectOption({ index: 1 });
    await page.getByRole('heading', { name: 'B', exact: true }).waitFor();
    expect(await page.locator('.response-missing').count()).toBe(0);
  });

  it('of the network says that the server did not respond, and one of a proxy its status', async () => {
    const { page } = await openExplorerTab();
    const errors = page.getByRole('alert', { name: 'Errors' });
    await page.route('**/graphql', (route) => route.abort('connectionrefused'));
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await expect.poll(() => errors.innerText()).toMatch(/The server did not respond\..*Check that the subgraph runs/s);
    await page.unroute('**/graphql');
    await page.route('**/graphql', (route) => route.fulfill({ body: '<h1>Log in</h1>', contentType: 'text/html' }));
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await expect
      .poll(() => errors.innerText())
      .toMatch(/^The response is not JSON \(status 200\)\.\s+<h1>Log in<\/h1>\s+A proxy or a login page/);
    await page.unroute('**/graphql');
    await runOperation(page);
    expect(await errors.count()).toBe(0);
  });
});

describe('A response without values', () => {
  const cases: [unknown, RegExp][] = [
    [{ dataset: { name: 'D', results: { series: { nodes: [] } } } }, /^No assets: /m],
    [{ dataset: { name: 'D', results: { series: { nodes: [{ asset: { name: 'A' }, rows: [] }] } } } }, /^No rows: /m],
    [{ dataset: { nodes: [{ columns: { valueDates: [], metrics: [{ name: 'm', values: [] }] } }] } }, /^No rows: /m],
    [{ dataset: { name: 'D', assetCount: 3 } }, /^Nothing here can be drawn\. Select “rows” or “columns”/m],
  ];

  inNewTab('says what it lacks', async ({ page }) => {
    for (const [data, words] of cases) {
      await showData(page, data);
      await openResponseTab(page, 'Chart');
      await expect.poll(() => page.locator('.response').innerText()).toMatch(words);
    }
  });
});

describe('Variables that are not a JSON object', () => {
  inBrowser('are an error, and no response stays', async ({ page }) => {
    await untilDrawn(page);
    const sent: string[] = [];
    // The editors may still load their parts.
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    const response = page.locator('.response');
    for (const [text, reason] of [
      ['{ "id": }', 'Variables are invalid JSON: expected a value at line 1, column 9.'],
      ['[1]', 'Variables are not a JSON object.'],
    ] as const) {
      await setEditorText(page, 'variables.json', text);
      await page.getByRole('button', { name: /^Execute query/ }).click();
      await expect
        .poll(() => response.innerText())
        .toBe(`The query was not sent.\n\n${reason}\n\nFix the variables below the query, and run it again.`);
    }
    // The message belongs to its tab.
    await openTab(page, 'Metadata');
    expect(await response.innerText()).toBe('Run the query to see its response here.');
    await openTab(page, 'Columns');
    await expect.poll(() => response.innerText()).toContain('The query was not sent.');
    expect(sent).toEqual([]);
    await setEditorText(page, 'variables.json', '{ "id": "6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31" }');
    await runOperation(page);
    expect(await page.getByRole('alert', { name: 'Errors' }).count()).toBe(0);
  });
});
