import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadDemoData } from '../../simulator/src/demo-data.ts';
import { readConfig } from '../../src/config.ts';
import { errorCodes } from '../../src/core/error-codes.ts';
import { blocksOf, names, rowsOf } from '../support/doc-blocks.ts';
import { ofDataset, start } from '../support/harness.ts';

/** What a source file has between these, each time. */
function listed(file: string, pattern: RegExp): string[] {
  return [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, name = '']) => name);
}

describe('docs/settings.md', () => {
  const rows = rowsOf('docs/settings.md', 'variable', 'default', 'allowed');
  const settings = listed('src/config.ts', /^ {2}([A-Z_]+): /gm);

  it('has every setting, once', () => {
    const named = rows.flatMap(([variables = '']) => names(variables));
    expect(named.toSorted()).toEqual(settings.toSorted());
  });

  it('says what is so where nothing is set', () => {
    const config: Record<string, unknown> = readConfig({});
    for (const [variables = '', given = ''] of rows) {
      const values = given.startsWith('none') ? [] : names(given);
      names(variables).forEach((name, index) => {
        expect([name, String(config[name] ?? '') || 'none']).toEqual([name, values[index] ?? values[0] ?? 'none']);
      });
    }
  });

  it('says which values are allowed', () => {
    for (const [variables = '', , allowed = ''] of rows) {
      const [name = ''] = names(variables);
      const [, least, most] = /^(\d+) to (\d+)$/.exec(allowed) ?? [];
      const choices = names(allowed);
      const good = most === undefined ? choices : [least, most];
      const bad = most === undefined ? ['none of these'] : [String(Number(least) - 1), String(Number(most) + 1)];
      for (const value of good) expect([name, readConfig({ [name]: value })]).toEqual([name, expect.anything()]);
      if (good.length > 0) for (const value of bad) expect(() => readConfig({ [name]: value })).toThrow(name);
    }
  });
});

describe('docs/errors.md', () => {
  it('shows an error as it is', async () => {
    const [exampleError] = blocksOf('docs/errors.md').filter(({ language }) => language === 'json');
    const { query } = await start(await loadDemoData());
    const { body } = await query('{ dataset(id: "nowhere") { name } }', {
      token: 'demo-token',
      headers: { 'x-request-id': 'f6a0c1de' },
    });
    const { locations: _, ...error } = body.errors[0];
    expect(error).toEqual(JSON.parse(exampleError?.code ?? ''));
  });

  it('has every code of a response', () => {
    const named = rowsOf('docs/errors.md', '`code`', 'from').flatMap(([codes = '']) => names(codes));
    expect(named).toEqual(expect.arrayContaining(Object.keys(errorCodes)));
    expect(new Set(named).size).toBe(named.length);
  });

  it('has every code of a request that never becomes GraphQL', () => {
    const rows = rowsOf('docs/errors.md', 'status', '`code`', 'cause');
    const sources = globSync('src/server/**/*.ts').flatMap((file) =>
      listed(file, /(?:code: |errorBody\([^()]*, |sendUnavailable\([^()]*, )'([A-Z_]+)'/g),
    );
    const elsewhere = ['INTERNAL_SERVER_ERROR', 'UPSTREAM_TIMEOUT', 'UNAUTHENTICATED', 'BAD_USER_INPUT'];
    const named = rows.flatMap(([, codes = '']) => names(codes));
    expect(new Set([...named, ...elsewhere])).toEqual(new Set([...sources, ...elsewhere]));
  });

  it('has the status of every code of a download', () => {
    const rows = rowsOf('docs/errors.md', 'HTTP status', 'codes').map(([status, codes = '']) => ({ status, codes }));
    for (const [code, { status }] of Object.entries(errorCodes)) {
      // Nothing of the kind happens to a download.
      if (code === 'REQUEST_LIMIT_EXCEEDED' || code === 'UPSTREAM_RESPONSE_TOO_LARGE') continue;
      expect([code, rows.find(({ codes }) => names(codes).includes(code))?.status]).toEqual([code, String(status)]);
    }
  });

  const responses = rowsOf('docs/errors.md', 'status', 'label', '`code`').flatMap(
    ([statuses = '', labels = '', ...rest]) =>
      statuses.split(', ').flatMap((status) => {
        const [code = '', retryable = ''] = rest;
        const given = { status: Number(status), code: names(code)[0], retryable: retryable === 'yes' };
        const found = names(labels).map((label) => ({ ...given, label: label as string | null }));
        return /none$/.test(labels) ? [...found, { ...given, label: null }] : found;
      }),
  );

  it('has the statuses of the REST specification', () => expect(responses.length).toBeGreaterThan(13));

  it.each(responses)('says what becomes of $status $label', async ({ status, label, code, retryable }) => {
    const { simulator, query } = await start({ env: { UPSTREAM_RETRY: 'off' } });
    simulator.intercept(() => ({ status, body: label ?? 'No.' }));
    const { body } = await query(ofDataset('name'));
    expect(body.errors).toEqual([expect.objectContaining({ extensions: expect.objectContaining({ code }) })]);
    expect(body.errors[0].extensions.rest).toMatchObject({ status, retryable });
  });
});

describe.each([
  ['docs/code.md', 'src/'],
  ['ask/README.md', 'ask/'],
  ['explorer/README.md', 'explorer/'],
  ['simulator/README.md', 'simulator/'],
])('%s', (page, top) => {
  it('has every file, and no other', () => {
    const sections = readFileSync(page, 'utf8').split(/^## /m);
    const folders = sections.flatMap((section) => {
      const [folder] = names(section.split('\n')[0] ?? '');
      return folder === undefined || !folder.startsWith(top)
        ? []
        : [{ folder, entries: rowsIn(section).flatMap(names) }];
    });
    const named = folders.flatMap(({ folder, entries }) =>
      entries.filter((entry) => /^[\w-]+\.\w+$|\/$/.test(entry)).map((entry) => folder + entry),
    );
    const files = globSync(`${top}**/*.{ts,tsx,cjs}`).filter((file) => !/\/(test|generated)\/|\.d\.ts$/.test(file));
    const covered = files.map((file) => {
      const folder = `${dirname(file)}/`;
      return named.find((name) => name.endsWith('/') && folder.startsWith(name)) ?? file;
    });
    const missing = [...new Set(covered)].filter((file) => !named.includes(file));
    expect(missing).toEqual([]);
    expect(named.filter((name) => globSync(name).length === 0)).toEqual([]);
  });
});

/** The first cells of the rows of a section's table. */
function rowsIn(section: string): string[] {
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|')[1] ?? '');
}
