import { describe, expect, it } from 'vitest';
import { names, rowsOf } from '../support/doc-blocks.ts';
import { startProgram } from '../support/process.ts';
import { endingsOf, endpoint, missing, refused, runMain, SERVICE } from './config.ts';

const URL_RULE = 'an https URL (or http on a loopback host) without user, query and fragment';
const ORIGINS = 'origins such as https://studio.apollographql.com, separated by commas';
const secretsOf = (least: number) =>
  `one or two secrets, separated by a comma, each of ${least} to 1000 visible ASCII characters without a comma`;
const y = 'y'.repeat(16);
const x = 'x'.repeat(32);

/** A setting, what its sentence says is allowed, bad values, and those that it does not repeat, because they may be secret. */
type Bad = [name: string, allowed: string, values: string[], secret?: string[]];

const bad: readonly Bad[] = [
  // Both ends of each range, and each choice, are tested with docs/settings.md.
  [
    'PORT',
    'a whole number from 0 to 65535',
    ['-1', '65536', '1.5', '1e3', '0x10', '+1', ' 1', '1 ', '1_000', 'ten', 'NaN', '\u0661', '9'.repeat(80)],
  ],
  ['CACHE', 'one of off, memory', ['OFF', 'true', '1', 'x', ' off', 'off\n']],
  ...['DATASET_SERVICE_URL', 'AUTH_SERVICE_URL', 'PUBLIC_URL'].map(
    (name): Bad => [
      name,
      URL_RULE,
      [
        'http://api.example.com',
        'http://10.0.0.1',
        'http://0.0.0.0',
        'http://[::2]',
        'http://128.0.0.1',
        'http://localhost.example.com',
        'ftp://localhost',
        'api.example.com',
        'localhost:8080',
        'https://',
        '/',
      ],
      [
        'https://user:hunter2@api.example.com',
        'http://hunter2@localhost',
        'https://api.example.com?key=hunter2',
        'https://api.example.com/#hunter2',
        'https://api.example.com/?',
        'https//user:hunter2@api.example.com',
      ],
    ],
  ),
  [
    'ROUTER_SECRET',
    secretsOf(16),
    [],
    [
      ...['two words of the router', 'caf\u00e9'.repeat(4), 'line\nfeed'.repeat(2), 'x'.repeat(15), 'x'.repeat(1001)],
      ...[`${y},${y.slice(1)}`, `${y},${y},${y}`, `${y}\n`],
    ],
  ],
  [
    'DOWNLOAD_TICKET_SECRET',
    secretsOf(32),
    [],
    ['x'.repeat(31), 'x'.repeat(1001), `${x},`, `,${x}`, `${x},short`, `${x}, ${x}`, `${x},${x},${x}`, `${x}\u00e9`],
  ],
  ...['HTTP_PROXY', 'HTTPS_PROXY'].map(
    (name): Bad => [
      name,
      'an http or https URL of a proxy',
      [],
      [
        ...['proxy:3128', 'hunter2', 'socks5://anna:hunter2@proxy:1080'],
        ...['http://anna:hunter2@proxy:3128/path', 'http://anna:hunter2@proxy:3128?key=1'],
      ],
    ],
  ),
  [
    'DOWNLOAD_REDIRECT_HOSTS',
    'host names such as storage.example.com or *.example.com, separated by commas',
    ['*', 'localhost', '10.0.0.1', '*.com*', 'https://a.example', 'a.example,', 'a.example:443'],
  ],
  ['HOST', 'a host name or an address', ['a b', 'http://localhost', 'localhost/x', 'a,b'], ['user:hunter2@localhost']],
  [
    'CORS_ORIGINS',
    ORIGINS,
    [
      '*',
      'null',
      'studio.apollographql.com',
      'https://a.example/',
      'HTTPS://A.example',
      'https://a.example:443',
      'ftp://a.example',
      'https://a.example,',
      'https://a.example https://b.example',
      'https://a.example,*',
    ],
    ['https://user:hunter2@a.example'],
  ],
];

/** What is said of a value that may be secret: often it was read from a file that ends in a line break. */
function secretGiven(value: string): string {
  if (!/\s/.test(value)) return 'another value';
  return /\s$/.test(value) ? 'a value that ends in white space' : 'a value with white space';
}

describe('1 Environment', () => {
  it('refuses bad values with one sentence that says which, what and what else', async () => {
    const cases = bad.flatMap(([name, allowed, values, secret = []]) =>
      [...values, ...secret].map((value, index) => {
        const given = index < values.length ? JSON.stringify(value) : secretGiven(value);
        const environment = { DATASET_SERVICE_URL: SERVICE, PORT: '0', [name]: value };
        return { environment, sentence: `${name} must be ${allowed}, but ${given} was given.\n` };
      }),
    );
    expect(await endingsOf(cases.map(({ environment }) => environment))).toEqual(
      new Map(cases.map(({ environment, sentence }) => [JSON.stringify(environment), refused(sentence)])),
    );
  });

  // Without DATASET_SERVICE_URL: the sentence about it shows that the other value has passed.
  it('accepts good values', async () => {
    const good: [name: string, values: string[]][] = [
      ['HOST', ['localhost', '0.0.0.0', '::1', '::', 'my-host.example']],
      [
        'CORS_ORIGINS',
        ['https://a.example', 'http://localhost:3000,https://b.example', 'https://a.example , https://b'],
      ],
      ['PUBLIC_URL', ['https://a.example/b/', 'http://[::1]:4000']],
      ['HTTP_PROXY', ['http://proxy', 'https://anna:p%40ss@proxy:3128/']],
      ['DOWNLOAD_REDIRECT_HOSTS', ['a.example', '*.a.example, b-c.example']],
    ];
    const environments = good.flatMap(([name, values]) => values.map((value) => ({ [name]: value })));
    expect(await endingsOf(environments)).toEqual(
      new Map(environments.map((environment) => [JSON.stringify(environment), refused(missing)])),
    );
  });

  it('counts an empty variable as not set, and cuts a long value short', async () => {
    const settings = rowsOf('docs/settings.md', 'variable', 'default', 'allowed').flatMap(([cell = '']) => names(cell));
    const empty = Object.fromEntries(settings.map((name) => [name, '']));
    const long = { LOG_LEVEL: 'x'.repeat(81) };
    expect(await runMain([empty, { ...empty, DATASET_SERVICE_URL: SERVICE, PORT: '0' }, long])).toEqual([
      refused(missing),
      { code: null, stdout: endpoint, stderr: '' },
      refused(expect.stringContaining(`but "${'x'.repeat(80)}" was given.`)),
    ]);
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
