import { globSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { readAskSettings, readLoginSettings } from '../../ask/src/settings.ts';
import { loadDemoData } from '../../simulator/src/demo-data.ts';
import { type Environment, readConfig } from '../../src/config.ts';
import { errorCodes } from '../../src/core/error-codes.ts';
import { blocksOf, names, rowsOf } from '../support/doc-blocks.ts';
import { ofDataset, start } from '../support/harness.ts';

/** What a source file has between these, each time. */
function listed(file: string, pattern: RegExp): string[] {
  return [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, name = '']) => name);
}

describe('docs/settings.md', () => {
  const rows = rowsOf('docs/settings.md', 'variable', 'default', 'allowed');
  const settings = ['src/config.ts', 'ask/src/settings.ts'].flatMap((file) => listed(file, /^ {2}([A-Z_]+): /gm));
  const readAll = (environment: Environment): Record<string, unknown> => ({
    ...readAskSettings(environment),
    ...readLoginSettings(environment),
    ...readConfig(environment),
  });

  const warning = (name: string) => expect.stringMatching(new RegExp(`^${name} must be .* It is ignored\\.$`));

  it('has every setting, once', () => {
    const named = rows.flatMap(([variables = '']) => names(variables));
    expect(named.toSorted()).toEqual([...new Set(settings)].toSorted());
  });

  it('says what is so where nothing is set', () => {
    const config = readAll({});
    for (const [variables = '', given = ''] of rows) {
      const values = given.startsWith('none') ? [] : names(given);
      names(variables).forEach((name, index) => {
        expect([name, String(config[name] ?? '') || 'none']).toEqual([name, values[index] ?? values[0] ?? 'none']);
      });
    }
  });

  it('says which values are allowed', () => {
    const each = rows.flatMap(([variables = '', , allowed = '']) =>
      names(variables).map((name) => ({ name, allowed })),
    );
    for (const { name, allowed } of each) {
      const [, least, most] = /^(\d+) to (\d+)$/.exec(allowed) ?? [];
      const choices = names(allowed);
      const good = most === undefined ? choices : [least, most];
      const bad = most === undefined ? ['none of these'] : [String(Number(least) - 1), String(Number(most) + 1)];
      for (const value of good) expect([name, readAll({ [name]: value })]).toEqual([name, expect.anything()]);
      if (good.length === 0) continue;
      for (const value of bad) {
        if (name.startsWith('OTEL_'))
          expect([name, readConfig({ [name]: value }).ignored]).toEqual([name, [warning(name)]]);
        else expect(() => readAll({ [name]: value })).toThrow(name);
      }
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

  const codeRows = rowsOf('docs/errors.md', '`code`', 'REST response').map(
    ([codes = '', responses = '', causes = '', , download = '']) => ({
      codes: names(codes),
      responses: responses === '' ? [] : responses.split(', '),
      causes,
      download,
    }),
  );

  it('has every code of a response, once', () => {
    const named = codeRows.flatMap(({ codes }) => codes);
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
    for (const [code, { status }] of Object.entries(errorCodes)) {
      const row = codeRows.find(({ codes }) => codes.includes(code));
      expect([code, row?.download]).toEqual([code, String(status)]);
    }
  });

  it('says which codes are retryable', () => {
    const [, sentence = ''] = /\. (`[^.]*) are\s+retryable\./.exec(readFileSync('docs/errors.md', 'utf8')) ?? [];
    const retryable = Object.entries(errorCodes).flatMap(([code, { retryable }]) => (retryable ? [code] : []));
    expect(names(sentence).toSorted()).toEqual(retryable.toSorted());
  });

  const responses = codeRows.flatMap(({ codes: [code = ''], responses }) =>
    responses.map((response) => {
      const [, status = '', label] = /^(\d{3})(?: `([A-Z_]+)`)?$/.exec(response) ?? [];
      return { status: Number(status), label, code, retryable: Object(errorCodes)[code]?.retryable };
    }),
  );

  it('has the statuses of the REST specification', () => expect(responses.length).toBeGreaterThan(13));

  it('says what becomes of each of them', async () => {
    const { simulator, query } = await start({ env: { UPSTREAM_RETRY: 'off' } });
    for (const { status, label, code, retryable } of responses) {
      simulator.intercept(() => ({ status, body: label ?? 'No.' }));
      const { body } = await query(ofDataset('name'));
      expect(body.errors).toMatchObject([{ extensions: { code, rest: { status, retryable } } }]);
    }
  });

  it('has the fixed limits, with their values', () => {
    const limits: [limit: string, file: string, constant: RegExp][] = [
      ['bytes of a request body', 'src/server/requests/request-coding.ts', /MAX_REQUEST_BYTES = (.+);/g],
      ['bytes of request headers', 'src/server/http-server.ts', /MAX_HEADER_BYTES = (.+);/g],
      ['characters of a token', 'src/core/bearer-token.ts', /MAX_TOKEN_LENGTH = (.+);/g],
      ['characters of an id', 'src/core/dataset-id.ts', /MAX_LENGTH = (.+);/g],
      ['characters of an id', 'src/graphql/input.ts', /MAX_ASSET_ID_LENGTH = (.+);/g],
      ['levels', 'src/graphql/plan/selection-size.ts', /MAX_LEVELS = (.+);/g],
      ['root fields', 'src/graphql/limits.ts', /MAX_ROOT_FIELDS = (.+);/g],
      ['datasets', 'src/graphql/limits.ts', /MAX_DATASETS = (.+);/g],
      ['asset ids', 'src/graphql/input.ts', /MAX_ASSET_IDS = (.+);/g],
      ['`results` and `series`', 'src/graphql/limits.ts', /MAX_SERIES = (.+);/g],
      ['different time ranges', 'src/graphql/limits.ts', /MAX_TIME_RANGES = (.+);/g],
      ['metric names', 'src/graphql/input.ts', /MAX_METRIC_NAMES = (.+);/g],
      ['metrics of `statistics`', 'engine/by-metric.ts', /MAX_METRICS = (.+);/g],
      ['periods of a series', 'engine/fields/periods.ts', /MAX_PERIODS = (.+);/g],
      ['periods of a series, times', 'engine/aggregates-by-date.ts', /MAX_ENTRIES = (.+);/g],
      ['dates of `byDate`', 'engine/fields/by-date.ts', /MAX_DATES = (.+);/g],
      ['dates of `byDate`, times', 'engine/aggregates-by-date.ts', /MAX_ENTRIES = (.+);/g],
      ['values of all metrics', 'engine/quantiles.ts', /MAX_QUANTILE_VALUES = (.+);/g],
      ['quantiles', 'src/graphql/input.ts', /MAX_QUANTILES = (.+);/g],
      ['characters of a ticket', 'files/tickets.ts', /MAX_TICKET_LENGTH = (.+);/g],
      ['characters of the URL', 'src/graphql/resolvers/results-files.ts', /MAX_FILE_URL_LENGTH = (.+);/g],
      ['bytes of request headers', 'src/server/http-server.ts', /MAX_HEADER_BYTES = (.+);/g],
      ['errors in a response', 'src/graphql/errors/operation-errors.ts', /MAX_ERRORS = (.+);/g],
      ['bytes of a metadata response', 'src/rest/client.ts', /MAX_METADATA_BYTES = (.+);/g],
      ['metrics of all fields', 'engine/memory.ts', /MAX_METRICS = (.+);/g],
      ['bytes of memory', 'src/results/written.ts', /MAX_READER_BYTES = (.+);/g],
      ['levels of lists and objects', 'engine/scanner.ts', /MAX_DEPTH = (.+);/g],
      ['bytes of a row, an attribute', 'src/rest/contract/wire.ts', /MAX_PART_BYTES: number = (.+);/g],
      ['metrics of a `WIDE` CSV', 'files/results-file-stream.ts', /csv: (\d\w+), ndjson: \1,/g],
      ['metrics of a `WIDE` Parquet', 'files/results-file-stream.ts', /parquet: (\d\w+), arrow: \1 }/g],
    ];
    const rows = rowsOf('docs/errors.md', 'fixed limit', 'value');
    const unchecked = rows.filter(([limit = '']) => !limits.some(([name]) => limit.startsWith(name)));
    expect(unchecked).toEqual([]);
    for (const [name, file, constant] of limits) {
      const value = rows.find(([limit = '']) => limit.startsWith(name))?.[1];
      const defined = listed(file, constant).at(-1) ?? '';
      expect([name, value]).toEqual([name, Number(runInNewContext(defined)).toLocaleString('en')]);
    }
  });
});

it('CONTRIBUTING.md has every script that runs tests, and none that is not there', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const named = listed('CONTRIBUTING.md', /npm run ([\w:.-]*\w)/g);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
  expect(named).toEqual(expect.arrayContaining(Object.keys(scripts).filter((name) => name.startsWith('test:'))));
});

const sources = globSync('{src,explorer/server,files}/**/*.{ts,cjs}').filter(
  (file) => !file.startsWith('src/generated/'),
);

/** Whether a file says what it is: by a comment at its start, or at something that it exports or runs. */
function isDescribed(text: string): boolean {
  return /^(?:\/\*|\/\/)/.test(text) || /(?:\*\/|^\/\/ .*)\n(?:export|await) /m.test(text);
}

it('The files of the server say what they are', () => {
  expect(sources.length).toBeGreaterThan(150);
  expect(sources.filter((file) => !isDescribed(readFileSync(file, 'utf8')))).toEqual([]);
});
