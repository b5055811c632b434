import { describe, expect, it } from 'vitest';
import { startProgram } from '../support/process.ts';
import { endingsOf, endpoint, missing, refused, runMain, SERVICE } from './config.ts';

const integers: [name: string, least: number, most: number][] = [
  ['PORT', 0, 65_535],
  ['METRICS_PORT', 0, 65_535],
  ['UPSTREAM_TIMEOUT_MS', 1, 2_147_483_647],
  ['OPERATION_TIMEOUT_MS', 1, 2_147_483_647],
  ['UPSTREAM_CONNECTIONS', 1, 10_000],
  ['UPSTREAM_KEEP_ALIVE_MS', 1, 2_147_483_647],
  ['UPSTREAM_QUEUE', 0, 1_000_000],
  ['UPSTREAM_MAX_BYTES', 1, 536_870_887],
  ['MEMORY_BUDGET', 1_048_576, 1_099_511_627_776],
  ['UPSTREAM_MAX_CALLS', 1, 1_000_000],
  ['UPSTREAM_OUTAGE_MS', 0, 2_147_483_647],
  ['ASSET_IDS_PER_CALL', 1, 1_000_000],
  ['MAX_OPERATIONS', 1, 1_000_000],
  ['MAX_CONNECTIONS', 1, 1_000_000],
  ['REQUEST_TIMEOUT_MS', 1, 2_147_483_647],
  ['KEEP_ALIVE_MS', 1, 2_147_483_647],
  ['MAX_DOCUMENT_TOKENS', 1, 1_000_000],
  ['MAX_ALIASES', 0, 1_000_000],
  ['MAX_REPRESENTATIONS', 1, 1_000_000],
  ['DOWNLOAD_TICKET_SECONDS', 1, 86_400],
  ['MAX_DOWNLOADS', 1, 10_000],
  ['CACHE_METADATA_SECONDS', 0, 86_400],
  ['CACHE_RESULTS_SECONDS', 0, 86_400],
  ['CACHE_STALE_SECONDS', 0, 86_400],
  ['CACHE_MAX_BYTES', 1_048_576, 1_099_511_627_776],
  ['ROUTER_CACHE_METADATA_SECONDS', 0, 86_400],
  ['ROUTER_CACHE_RESULTS_SECONDS', 0, 86_400],
];

const choices: [name: string, values: string[]][] = [
  ['INTROSPECTION', ['on', 'off']],
  ['EXPLORER', ['sandbox', 'graphiql', 'off']],
  ['UPSTREAM_RETRY', ['on', 'off']],
  ['CACHE', ['off', 'memory']],
  ['DOWNLOAD_TOKEN_IN_URL', ['deny', 'allow']],
  ['FEDERATED_TRACING', ['on', 'off']],
  ['OPERATION_PLAN', ['on', 'off']],
  ['LOG_OPERATIONS', ['on', 'off']],
  ['LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']],
];

const urls = ['DATASET_SERVICE_URL', 'AUTH_SERVICE_URL', 'PUBLIC_URL'];
const urlRule = 'an https URL (or http on a loopback host) without user, query and fragment';

/** Each bad value of each variable, with what its sentence says is allowed and was given. */
const bad: Record<string, [name: string, value: string, allowed: string, given?: string][]> = {
  numbers: integers.flatMap(([name, least, most]) =>
    [
      `${least - 1}`,
      `${most + 1}`,
      '1.5',
      '1e3',
      '0x10',
      '+1',
      ' 1',
      '1 ',
      '1_000',
      'ten',
      'NaN',
      '\u0661',
      '9'.repeat(80),
    ].map((value): [string, string, string] => [name, value, `a whole number from ${least} to ${most}`]),
  ),
  choices: choices.flatMap(([name, values]) =>
    ['ON', 'true', '1', 'x', ` ${values[0]}`, `${values[0]}\n`].map((value): [string, string, string] => [
      name,
      value,
      `one of ${values.join(', ')}`,
    ]),
  ),
  'service addresses': urls.flatMap((name) => [
    ...[
      'http://api.example.com',
      'http://10.0.0.1',
      'http://0.0.0.0',
      'http://[::2]',
      'http://128.0.0.1',
      'http://localhost.example.com',
      'http://127.0.0.1.example.com',
      'ftp://localhost',
      'file:///tmp',
      'api.example.com',
      'localhost:8080',
      'https://',
      '/',
    ].map((value): [string, string, string] => [name, value, urlRule]),
    ...[
      'https://user:hunter2@api.example.com',
      'https://hunter2@api.example.com',
      'http://user:hunter2@localhost',
      'https://api.example.com?key=hunter2',
      'https://api.example.com/#hunter2',
      'https://api.example.com/?',
      'https://api.example.com/#',
      'https//user:hunter2@api.example.com',
    ].map((value): [string, string, string, string] => [name, value, urlRule, 'another value']),
  ]),
  secrets: [
    'two words of the router',
    'caf\u00e9'.repeat(4),
    'line\nfeed'.repeat(2),
    'x'.repeat(15),
    'x'.repeat(1001),
  ].map((value): [string, string, string, string] => [
    'ROUTER_SECRET',
    value,
    '16 to 1000 visible ASCII characters',
    'another value',
  ]),
  'ticket secrets': [
    'x'.repeat(31),
    'x'.repeat(1001),
    ','.repeat(32),
    `${'x'.repeat(32)},`,
    `,${'x'.repeat(32)}`,
    `${'x'.repeat(32)},${'y'.repeat(31)}`,
    `${'x'.repeat(32)}, ${'y'.repeat(32)}`,
    `${'x'.repeat(32)},${'y'.repeat(32)},${'z'.repeat(32)}`,
    `${'x'.repeat(32)}\u00e9`,
    `${'x'.repeat(32)}\n`,
  ].map((value): [string, string, string, string] => [
    'DOWNLOAD_TICKET_SECRET',
    value,
    'one or two secrets, separated by a comma, each of 32 to 1000 visible ASCII characters without a comma',
    'another value',
  ]),
  'hosts and origins': [
    ...['a b', 'http://localhost', 'localhost/x', 'a,b'].map((value): [string, string, string] => [
      'HOST',
      value,
      'a host name or an address',
    ]),
    ...[
      '*',
      'null',
      'studio.apollographql.com',
      'https://a.example/',
      'https://a.example/path',
      'HTTPS://A.example',
      'https://a.example:443',
      'ftp://a.example',
      'https://a.example,',
      'https://a.example https://b.example',
      'https://a.example,*',
    ].map((value): [string, string, string] => [
      'CORS_ORIGINS',
      value,
      'origins such as https://studio.apollographql.com, separated by commas',
    ]),
    [
      'CORS_ORIGINS',
      'https://user:hunter2@a.example',
      'origins such as https://studio.apollographql.com, separated by commas',
      'another value',
    ],
    ['HOST', 'user:hunter2@localhost', 'a host name or an address', 'another value'],
  ],
};

describe('1 Environment', () => {
  it.each(Object.entries(bad))(
    'refuses bad %s with one sentence that says which, what and what else',
    async (_kind, rows) => {
      const environments = rows.map(([name, value]) => ({ DATASET_SERVICE_URL: SERVICE, PORT: '0', [name]: value }));
      const sentences = rows.map(
        ([name, value, allowed, given = JSON.stringify(value)]) =>
          `${name} must be ${allowed}, but ${given} was given.\n`,
      );
      expect(await endingsOf(environments)).toEqual(
        new Map(
          environments.map((environment, index) => [JSON.stringify(environment), refused(sentences[index] ?? '')]),
        ),
      );
    },
  );

  // Without DATASET_SERVICE_URL: the sentence about it shows that the other value has passed.
  it('accepts the values at both ends of what is allowed', async () => {
    const environments = [
      ...integers.flatMap(([name, least, most]) => [{ [name]: `${least}` }, { [name]: `${most}` }]),
      ...choices.flatMap(([name, values]) => values.map((value) => ({ [name]: value }))),
      ...['localhost', '0.0.0.0', '::1', '::', 'my-host.example'].flatMap((HOST) => [{ HOST }, { METRICS_HOST: HOST }]),
      ...['https://a.example', 'http://localhost:3000,https://b.example', 'https://a.example , https://b.example'].map(
        (CORS_ORIGINS) => ({ CORS_ORIGINS }),
      ),
      ...['!'.repeat(16), '~'.repeat(1000)].map((ROUTER_SECRET) => ({ ROUTER_SECRET })),
      ...['!'.repeat(32), '~'.repeat(1000), `${'x'.repeat(32)},${'y'.repeat(1000)}`].map((DOWNLOAD_TICKET_SECRET) => ({
        DOWNLOAD_TICKET_SECRET,
      })),
      ...['https://a.example/b/', 'http://[::1]:4000'].map((PUBLIC_URL) => ({ PUBLIC_URL })),
    ];
    expect(await endingsOf(environments)).toEqual(
      new Map(environments.map((environment) => [JSON.stringify(environment), refused(missing)])),
    );
  });

  it('counts an empty variable as not set', async () => {
    const names = [...integers, ...choices].map(([name]) => name);
    const empty = Object.fromEntries(
      [
        ...names,
        ...urls,
        'HOST',
        'METRICS_HOST',
        'CORS_ORIGINS',
        'ROUTER_SECRET',
        'DOWNLOAD_TICKET_SECRET',
        'SCHEMA_NAMES',
      ].map((name) => [name, '']),
    );
    expect(await runMain([empty, { ...empty, DATASET_SERVICE_URL: SERVICE, PORT: '0' }])).toEqual([
      refused(missing),
      { code: null, stdout: endpoint, stderr: '' },
    ]);
  });

  it('cuts a long value short', async () => {
    const [ending] = await runMain([{ LOG_LEVEL: 'x'.repeat(81) }]);
    expect(ending?.stderr).toContain(`but "${'x'.repeat(80)}" was given.`);
  });

  it('listens on port 4000 of 127.0.0.1 unless told otherwise', async () => {
    const busy = `data:text/javascript,
      import { Server } from 'node:net';
      Server.prototype.listen = function ({ host: address, port }) {
        const error = Object.assign(new Error(), { code: 'EADDRINUSE', syscall: 'listen', address, port });
        process.nextTick(() => this.emit('error', error));
      };`;
    const program = startProgram(process.execPath, ['--import', busy, 'src/main.ts'], {
      env: { DATASET_SERVICE_URL: SERVICE },
    });
    const sentence = 'Port 4000 of 127.0.0.1 is in use. Set PORT to another port, or to 0 for any free port.\n';
    expect(await program.ended).toMatchObject(refused(sentence));
  });
});
