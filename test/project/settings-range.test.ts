import { describe, expect, it, onTestFinished } from 'vitest';
import { names, rowsOf } from '../support/doc-blocks.ts';
import { type Answer, DATASET_ID, dataset, outline, start } from '../support/harness.ts';

/** A setting, and one of its values. */
type Case = [name: string, value: string];

/** How long the service takes for each answer: longer than a timer that overflows. */
const SERVICE_MS = 40;

/** Every setting with a range, at both ends of it, and every setting with a choice, with each of its values. */
const listed = rowsOf('docs/settings.md', 'variable', 'default', 'allowed').flatMap(
  ([variables = '', , allowed = '']) => {
    const [, least, most] = /^(\d+) to (\d+)$/.exec(allowed) ?? [];
    const values = most === undefined ? names(allowed) : [least as string, most];
    return names(variables).flatMap((name) => values.map((value): Case => [name, value]));
  },
);

/** Settings of texts: the shortest and the longest. */
const texts: Case[] = [
  ['ROUTER_SECRET', '!'.repeat(16)],
  ['ROUTER_SECRET', '~'.repeat(1000)],
  ['DOWNLOAD_TICKET_SECRET', '!'.repeat(32)],
  ['DOWNLOAD_TICKET_SECRET', `${'~'.repeat(1000)},${'x'.repeat(1000)}`],
  ['SCHEMA_NAMES', 'Asset:a'],
  ['SCHEMA_NAMES', `Asset:${'Foo_'.repeat(50)}`],
  ['CORS_ORIGINS', 'http://localhost:1'],
];

/** What other settings need. */
const secrets = { DOWNLOAD_TICKET_SECRET: 'x'.repeat(32) };

/** Another program may use a port. */
const cases = [...listed, ...texts].filter(([name]) => name !== 'PORT' && name !== 'METRICS_PORT');

const QUESTION = `{
  dataset(id: "${DATASET_ID}") {
    name
    results(filter: { assetIds: ["a", "b"] }) {
      series { nodes { asset { assetId } rows { metrics { name value } } } }
    }
    download { ticketUrl }
  }
}`;

const rows = [0, 1, 2].map((day) => ({
  metrics: [
    { name: 'moisture', value: 0.5 + day },
    { name: 'temperature', value: -1.5 - day },
  ],
}));
const results = { series: { nodes: ['a', 'b'].map((assetId) => ({ asset: { assetId }, rows })) } };
const download = { ticketUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/download\/[\w.-]+$/) };
const whole = { data: { dataset: { name: dataset.metadata.name, results, download } }, errors: [] };
const none = { data: { dataset: { name: null, results: null, download } } };
const bothFail = (code: string) => ({ ...none, errors: [`dataset.name ${code}`, `dataset.results ${code}`] });

/** What a value refuses, as the page of the settings and the clauses of the behaviour say; else the answer is whole. */
const refusals: Record<string, unknown[]> = {
  'UPSTREAM_TIMEOUT_MS=1': [bothFail('UPSTREAM_TIMEOUT')],
  'OPERATION_TIMEOUT_MS=1': [bothFail('UPSTREAM_TIMEOUT')],
  'UPSTREAM_MAX_BYTES=1': [bothFail('UPSTREAM_RESPONSE_TOO_LARGE')],
  'UPSTREAM_MAX_CALLS=1': [
    {
      data: { dataset: { name: dataset.metadata.name, results: null, download } },
      errors: ['dataset.results REQUEST_LIMIT_EXCEEDED'],
    },
  ],
  'MAX_DOCUMENT_TOKENS=1': [{ data: undefined, errors: ['REQUEST_LIMIT_EXCEEDED'] }],
  // Whether a request arrives within a millisecond is chance.
  'REQUEST_TIMEOUT_MS=1': [whole, { data: undefined, errors: ['REQUEST_TIMEOUT'] }],
};

const keyOf = (pair: Case) => pair.join('=');

/** How many servers the cases share that refuse nothing: more than a setting has values. */
const SERVERS = 12;

/** The settings of each server, of which each has one value at most. A server of a value that refuses something has no other. */
const groups: Case[][] = [
  ...cases.filter((pair) => keyOf(pair) in refusals).map((pair) => [pair]),
  ...Array.from({ length: SERVERS }, (_, server) =>
    cases.filter((pair) => !(keyOf(pair) in refusals)).filter((_, index) => index % SERVERS === server),
  ),
];

/** The file is one REST call, of no document. */
const withoutFile = ['UPSTREAM_TIMEOUT_MS=1', 'REQUEST_TIMEOUT_MS=1', 'MAX_DOCUMENT_TOKENS=1'];

describe('1 Every setting, at both ends of what is allowed', () => {
  it('has both ends of every range, and every choice', () => {
    expect(cases.length).toBeGreaterThan(50);
    expect(new Set(cases.map(([name]) => name)).size).toBeGreaterThan(25);
    expect(Object.keys(refusals).filter((key) => !cases.some((pair) => keyOf(pair) === key))).toEqual([]);
    expect(groups.flat().toSorted()).toEqual(cases.toSorted());
    for (const group of groups) expect(new Set(group.map(([name]) => name)).size).toBe(group.length);
  });

  it.each(groups.map((group) => ({ group, title: group.map((pair) => keyOf(pair).slice(0, 50)).join(' ') })))(
    'a question is answered with $title',
    async ({ group }) => {
      const settings = Object.fromEntries(group);
      const secret = settings.ROUTER_SECRET;
      const bed = await start({ env: { ...secrets, LOG_LEVEL: 'silent', ...settings } });
      bed.simulator.intercept(() => new Promise((resolve) => setTimeout(() => resolve(undefined), SERVICE_MS)));
      const warnings: Error[] = [];
      const onWarning = (warning: Error) => void warnings.push(warning);
      process.on('warning', onWarning);
      onTestFinished(() => void process.off('warning', onWarning));
      const headers: Record<string, string> = secret === undefined ? {} : { 'router-authorization': secret };
      const key = group.length === 1 ? keyOf(group[0] as Case) : '';
      const expected = refusals[key] ?? [whole];
      // Twice, the second time on what the first has left behind.
      const responses: Answer[] = [];
      for (let times = 0; times < 2; times += 1) responses.push(await bed.query(QUESTION, { headers }));
      for (const response of responses) expect(expected).toContainEqual(outline(response));
      expect(warnings).toEqual([]);
      if (withoutFile.includes(key)) return;
      const [{ body }] = responses as [Answer];
      const { ticketUrl: url } = body.data.dataset.download;
      expect(await bed.http(url, { headers })).toMatchObject({ status: 200, text: 'date,value\n' });
      // On a connection that is kept, as those of `bed` are not.
      for (const path of ['/health/live', '/health/ready'])
        expect((await fetch(new URL(path, bed.subgraph.url))).status).toBe(200);
      expect(warnings).toEqual([]);
    },
  );
});
