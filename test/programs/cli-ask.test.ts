import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { demoDatasetIds, loadDemoData } from '../../src/simulator/demo-data.ts';
import { assetResult, DATASET_ID, dataset, getSummary, listen, postResults, respondWith, start } from '../harness.ts';
import { startProgram } from '../process.ts';
import { ask, askAtTerminal } from './ask.ts';
import { makeAuthority } from './certificates.ts';

const { weather, co2 } = demoDatasetIds;
const JULY = ['--from', '2015-07-01', '--to', '2015-07-03'];

const startDemo = async () => start(await loadDemoData());

/** A server in the place of a subgraph, for answers that none would give. Ends with the test. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}

/** A subgraph that answers each request with this body. */
const answering = (body: string, status = 200) =>
  serve((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });

const complete = (stdout: string) => ({ code: 0, signal: null, stdout, stderr: '' });

const OVERVIEW = `Dataset           ${weather}
Name              Daily weather, Seattle and New York
Description       Precipitation (mm), highest and lowest temperature (°C) and wind (m/s) of each day at two stations.
Assets            2
Start             2012-01-01T00:00:00.000Z (1325376000000, taken as milliseconds)
Stop              2015-12-31T00:00:00.000Z (1451520000000, taken as milliseconds)
Sharing           OWNED
Processing        Daily weather (daily-weather)
Source            NOAA Climate Data Online (noaa-climate-data-online)
Attribution       NOAA Climate Data Online; U.S. government work
Attribution file  SOURCES.md
Metrics           precipitation, temp_max, temp_min, wind

ASSET                  NAME                     VER  CATEGORIES                       CENTROID  ROWS
seattle-tacoma         Seattle-Tacoma             1  weather station, airport  47.449 -122.309  1461
new-york-central-park  New York (Central Park)    1  weather station, park      40.779 -73.969  1461
`;

describe('ask in a pipe', () => {
  it('shows what a dataset is and its assets, by two REST calls, and nothing but text', async () => {
    const bed = await startDemo();
    expect(await ask(bed, [weather]).ended).toEqual(complete(OVERVIEW));
    expect(bed.calls().toSorted()).toEqual([getSummary(weather), postResults({}, weather)]);
  });

  it('passes assets and the bounds of time on, a date as its day in UTC', async () => {
    const bed = await startDemo();
    const args = [weather, '--asset', 'seattle-tacoma', '--asset', 'seattle-tacoma', '--metric', 'wind'];
    await ask(bed, [...args, '--from', '2015-07-01', '--to', '2015-07-01']).ended;
    await ask(bed, [...args, '--from', '2015-07-01T02:00:00.5+02:00', '--to', '2015-07-01T00:00:01Z']).ended;
    const day = Date.parse('2015-07-01T00:00:00Z');
    expect(bed.filters()).toEqual([
      { mo_ids: ['seattle-tacoma'], time_range: { start_date: day, stop_date: day + 86_399_999 } },
      { mo_ids: ['seattle-tacoma'], time_range: { start_date: day + 500, stop_date: day + 1000 } },
    ]);
  });

  it('gives CSV, numbers as they were sent', async () => {
    const bed = await startDemo();
    expect(await ask(bed, [weather, '--csv', '--metric', 'temp_max', '--metric', 'wind', ...JULY]).ended).toEqual(
      complete(
        [
          'asset_id,asset_name,asset_version,value_date,temp_max,wind',
          'seattle-tacoma,Seattle-Tacoma,1,2015-07-01,32.2,4.3',
          'seattle-tacoma,Seattle-Tacoma,1,2015-07-02,33.9,3.4',
          'seattle-tacoma,Seattle-Tacoma,1,2015-07-03,33.3,2.6',
          'new-york-central-park,New York (Central Park),1,2015-07-01,29.4,6.1',
          'new-york-central-park,New York (Central Park),1,2015-07-02,26.7,2.4',
          'new-york-central-park,New York (Central Park),1,2015-07-03,27.8,3.8',
          '',
        ].join('\r\n'),
      ),
    );
  });

  it('gives every number digit for digit and every text as it is, in CSV', async () => {
    const numbers = ['1e400', '0.10000000000000000555', '-0.0', '9007199254740993', '1E+2', 'null'];
    const name = 'A "B", C\n=\u00e9\u{1f30d}';
    const asset = { assetId: '=a', name };
    const url = await answering(`{"data":{"dataset":{"id":"x","name":null,"results":{"series":{"nodes":[{
      "asset":${JSON.stringify(asset)},"version":"9223372036854775807","metricNames":["@m"],
      "columns":{"valueDates":["d0","d1","d2","d3","d4",null],"metrics":[{"name":"@m","values":[ ${numbers.join(' , ')} ]}]}
    }]}}}}}`);
    const cells = [...numbers.slice(0, -1).map((number, day) => `d${day},${number}`), ','];
    expect(await ask(url, ['x', '--csv']).ended).toEqual(
      complete(
        [
          "asset_id,asset_name,asset_version,value_date,'@m",
          ...cells.map((cell) => `'=a,"A ""B"", C\n=\u00e9\u{1f30d}",9223372036854775807,${cell}`),
          '',
        ].join('\r\n'),
      ),
    );
  });

  it('gives the JSON of the subgraph, whose integers of 64 bits are exact', async () => {
    const bed = await start();
    const asset = { ...assetResult('a'), asset_version: 1 };
    const results = JSON.stringify({ assets: [asset] }).replace(
      '"asset_version":1',
      '"asset_version":9223372036854775807',
    );
    respondWith(bed.simulator, { results });
    const { stdout, ...ending } = await ask(bed, [DATASET_ID, '--json'], { token: 'token-of-anna' }).ended;
    expect(ending).toEqual({ code: 0, signal: null, stderr: '' });
    expect(JSON.parse(stdout).dataset).toMatchObject({
      id: DATASET_ID,
      name: dataset.metadata.name,
      startDate: '1704067200000',
      results: {
        series: {
          nodes: [
            {
              asset: { assetId: 'a', surfaceAreaM2: 1200.5, parent: { assetId: 'farm', name: 'Farm', version: '2' } },
              version: '9223372036854775807',
              columns: {
                valueDates: ['2024-01-01', '2024-01-02', '2024-01-03'],
                metrics: [
                  { name: 'moisture', values: [0.5, 1.5, 2.5] },
                  { name: 'temperature', values: [-1.5, -2.5, -3.5] },
                ],
              },
            },
          ],
        },
      },
    });
  });

  it('hands on the bytes of data as they are, whatever they are', async () => {
    const data = '{"dataset": {"id":"x",  "name":"\\u00e9\\ud83c","results":{"series":{"nodes":[1.50, 1e400]}}} }';
    const url = await answering(`{ "extensions": {"a":["}"]}, "data" : ${data} , "more":[{}]}\n`);
    expect(await ask(url, ['x', '--json']).ended).toEqual(complete(`${data}\n`));
  });

  it('leaves the cell of a missing value empty, where assets differ in their metrics', async () => {
    const bed = await start();
    const of = (id: string, metric: string) => ({
      ...assetResult(id),
      results: [{ value_date: '2024', metrics: [{ name: metric, value: 1 }] }],
    });
    respondWith(bed.simulator, { results: { assets: [of('a', 'x'), of('b', 'y')] } });
    const sent = { token: 'token-of-anna' };
    expect((await ask(bed, [DATASET_ID, '--csv'], sent).ended).stdout.split('\r\n')).toEqual([
      'asset_id,asset_name,asset_version,value_date,x,y',
      'a,Field a,1,2024,1,',
      'b,Field b,1,2024,,1',
      '',
    ]);
    const { stdout } = await ask(bed, [DATASET_ID], sent).ended;
    expect(stdout.split('\n').slice(-4)).toEqual([
      'ASSET  NAME     VER  CATEGORIES   CENTROID  AREA m2  ROWS  METRICS',
      'a      Field a    1  field       45.5 7.25   1200.5     1  x',
      'b      Field b    1  field       45.5 7.25   1200.5     1  y',
      '',
    ]);
  });

  it('ends quietly and well when the reader of its output has enough', async () => {
    const bed = await startDemo();
    const env = { DATASET_SUBGRAPH_URL: bed.subgraph.url, DATASET_TOKEN: 'demo-token' };
    const command = `'${process.execPath}' src/cli.ts ask ${weather} --csv | head -n 2; echo "\${PIPESTATUS[0]}"`;
    expect(await startProgram('bash', ['-c', command], { env }).ended).toEqual(
      complete(
        'asset_id,asset_name,asset_version,value_date,precipitation,temp_max,temp_min,wind\r\nseattle-tacoma,Seattle-Tacoma,1,2012-01-01,0,12.8,5,4.7\r\n0\n',
      ),
    );
  });
});

describe('The token of ask', () => {
  it.each([
    ['a file', 'demo-token\n', true],
    ['a file of Windows', 'demo-token\r\n', true],
    ['a file without the end of a line', 'demo-token', true],
    ['standard input', 'demo-token\n', false],
  ])('comes from %s, before that of the environment', async (_title, content, inFile) => {
    const bed = await startDemo();
    const file = inFile ? join(await directory(), 'token') : '-';
    if (inFile) await writeFile(file, content);
    const program = ask(bed, [co2, '--token-file', file], { token: 'wrong' });
    if (!inFile) program.type(content, { last: true });
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
    expect(bed.simulator.requests.map(({ headers }) => headers.authorization)).toEqual([
      ['Bearer demo-token'],
      ['Bearer demo-token'],
    ]);
  });

  it.each([
    ['is empty', ''],
    ['has two lines', 's3cret\ns3cret\n'],
    ['has a space', 's3cret two'],
  ])('is refused where the file %s, and not shown', async (_title, content) => {
    const bed = await startDemo();
    const file = join(await directory(), 'token');
    await writeFile(file, content);
    expect(await ask(bed, [co2, '--token-file', file]).ended).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: `dataset-subgraph: The token file ${file} must contain only a token of 1 to 8000 visible ASCII characters.\n`,
    });
    expect(bed.calls()).toEqual([]);
  });

  it('is asked for where there is none', async () => {
    const bed = await startDemo();
    const { code, stdout, stderr } = await ask(bed, [co2, '--token-file', '/nowhere/token']).ended;
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      'dataset-subgraph: The token file /nowhere/token cannot be read (ENOENT).\n',
    ]);
    expect(await ask(bed, [co2], { token: null }).ended).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(
        /^dataset-subgraph: The dataset service needs a valid bearer token in the Authorization header\. \(UNAUTHENTICATED, request [\w-]+\) At dataset\.\n$/,
      ),
    });
  });

  it('is waited for on standard input until Ctrl-C', async () => {
    // Says when Ctrl-C no longer ends the program by itself.
    const told = "process.on('newListener', (name) => name === 'SIGTERM' && console.error('ready'));";
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(told)}` };
    const program = askAtTerminal('http://127.0.0.1:9', ['x', '--token-file', '-'], { env });
    await program.printed(/ready/);
    program.type('\x03');
    expect(await program.ended).toMatchObject({ code: 130, stdout: expect.not.stringContaining('dataset-subgraph') });
  });

  it('goes to no other server: a redirect is not followed', async () => {
    const visitors: unknown[] = [];
    const elsewhere = await serve((request, response) => {
      visitors.push(request.headers);
      response.end();
    });
    const url = await serve((_request, response) => response.writeHead(307, { location: elsewhere }).end());
    expect(await ask(url, ['x'], { token: 's3cret' }).ended).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: 'dataset-subgraph: The response is a redirect (307), which is not followed.\n',
    });
    expect(visitors).toEqual([]);
  });
});

describe('ask over TLS', () => {
  it('sends the token to the subgraph that its certificate names, and to no other', async () => {
    const authority = await makeAuthority('Test');
    const visitors: unknown[] = [];
    const server = createTlsServer(await authority.sign({ host: 'localhost' }), (request, response) => {
      visitors.push(request.headers.authorization);
      response.end('{"data":{"dataset":{"id":"x","name":"n","results":null}}}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const url = `https://localhost:${(server.address() as AddressInfo).port}/graphql`;
    expect(await ask(url, ['x', '--json']).ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^dataset-subgraph: The subgraph at \S+ cannot be reached \(UNABLE_TO_\w+\)\.\n$/),
    });
    expect(visitors).toEqual([]);
    const file = join(await directory(), 'authority.pem');
    await writeFile(file, authority.cert);
    const ending = await ask(url, ['x', '--json'], { env: { NODE_EXTRA_CA_CERTS: file } }).ended;
    expect(ending).toEqual(complete('{"dataset":{"id":"x","name":"n","results":null}}\n'));
    expect(visitors).toEqual(['Bearer demo-token']);
  });
});

describe('The exit code of ask', () => {
  it('is 3 for a token that may not read, 4 for a dataset that is not there', async () => {
    const bed = await startDemo();
    expect(await ask(bed, [co2], { token: 'wrong' }).ended).toMatchObject({ code: 3, stdout: '' });
    expect(await ask(bed, ['nowhere']).ended).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(
        /^dataset-subgraph: The dataset service has nothing under this id\. \(NOT_FOUND, request [\w-]+\) At dataset\.\n$/,
      ),
    });
  });

  it.each([
    ['a chart', ['--metric', 'nope'], ''],
    ['CSV', ['--csv', '--asset', 'nope'], 'asset_id,asset_name,asset_version,value_date\r\n'],
  ])('is 4 where %s has nothing in it', async (_title, args, stdout) => {
    const ending = await ask(await startDemo(), [co2, ...args]).ended;
    expect(ending).toMatchObject({ code: 4, stdout });
    expect(ending.stderr).toMatch(/^dataset-subgraph: No (values|results) found for (asset|metric) nope[^\n]*\.\n$/);
  });

  it('is 5 where a part is missing, which is said after the data', async () => {
    const bed = await start();
    respondWith(bed.simulator, { metadata: '{' });
    const { code, stdout, stderr } = await ask(bed, [DATASET_ID], { token: 'token-of-anna' }).ended;
    expect(code).toBe(5);
    expect(stdout).toMatch(/^Dataset {2}1.*\nMetrics {2}moisture, temperature\n\nASSET/);
    // One sentence for all the fields that it concerns.
    expect(stderr).toMatch(
      /^dataset-subgraph: The dataset service sent an invalid response\. \(UPSTREAM_INVALID_RESPONSE, request [\w-]+\) At dataset\.name and 11 more\.\n$/,
    );
    expect(await ask(bed, [DATASET_ID, '--json'], { token: 'token-of-anna' }).ended).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('UPSTREAM_INVALID_RESPONSE'),
    });
  });

  it('is 5 where one of several assets or metrics is not there', async () => {
    const bed = await startDemo();
    const { code, stderr } = await ask(bed, [weather, '--csv', '--asset', 'seattle-tacoma', '--asset', 'a\nb', ...JULY])
      .ended;
    expect([code, stderr]).toEqual([5, 'dataset-subgraph: No results found for asset a b.\n']);
    const chart = await ask(bed, [co2, '--metric', 'co2', '--metric', 'x']).ended;
    expect([chart.code, chart.stderr]).toEqual([
      5,
      'dataset-subgraph: No values found for metric x; available metrics: co2, co2_adjusted.\n',
    ]);
  });

  it('is 1 where all of the service fails', async () => {
    const bed = await start();
    bed.simulator.intercept(() => ({ status: 500 }));
    for (const args of [[], ['--json'], ['--csv'], ['--metric', 'moisture']]) {
      const { code, stdout, stderr } = await ask(bed, [DATASET_ID, ...args], { token: 'token-of-anna' }).ended;
      expect(code).toBe(1);
      expect(stdout === '' || args[0] === '--json').toBe(true);
      expect(stderr).toMatch(/^(dataset-subgraph: [^\n]*UPSTREAM_ERROR[^\n]*\n)+$/);
    }
  });

  it.each<[string, string, number, number, string]>([
    ['no JSON', '<p>', 200, 1, 'The response is not from a dataset subgraph; --url must be its GraphQL endpoint.'],
    [
      'an end too early',
      '{"data":{"dataset":{"id":"x"',
      200,
      1,
      'The response is not from a dataset subgraph; --url must be its GraphQL endpoint.',
    ],
    [
      'nothing of a schema',
      '{"data":{"dataset":{"name":1}}}',
      200,
      1,
      'The response is not from a dataset subgraph; --url must be its GraphQL endpoint.',
    ],
    ["a gateway's error", '<p>', 502, 1, 'The response has status 502 and no error message.'],
    ['a 404', '', 404, 4, 'The response has status 404 and no error message.'],
    [
      'a coded error',
      '{"errors":[{"message":"No.\\u001b[2J","extensions":{"code":"FORBIDDEN"}}]}',
      403,
      3,
      'No.\ufffd[2J (FORBIDDEN)',
    ],
  ])('tells of %s', async (_title, body, status, code, sentence) => {
    expect(await ask(await answering(body, status), ['x']).ended).toEqual({
      code,
      signal: null,
      stdout: '',
      stderr: `dataset-subgraph: ${sentence}\n`,
    });
  });

  it.each([[['--json']], [['--csv']], [['--metric', 'm']]])('is 1 for %j of an answer that is cut', async (args) => {
    const url = await answering('{"data":{"dataset":{"id":"x","results":{"series":{"nodes":[{"asset":{"assetId":"a"');
    expect(await ask(url, ['x', ...args]).ended).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: 'dataset-subgraph: The response is not from a dataset subgraph; --url must be its GraphQL endpoint.\n',
    });
  });

  it('shows what a gateway says, in whatever form', async () => {
    const errors = [
      { message: 'One.', extensions: null, path: null },
      { message: 'Two.', extensions: { code: 7, rest: { requestId: null } }, path: ['a', 0] },
    ];
    expect(await ask(await answering(JSON.stringify({ data: null, errors })), ['x']).ended).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: 'dataset-subgraph: One.\ndataset-subgraph: Two. At a.0.\n',
    });
  });

  it('is 1 where the subgraph is silent for two minutes', async () => {
    const url = await listen((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{'));
    // The same two minutes, told on standard error and a thousand times as fast.
    const clock = `import { ClientRequest } from 'node:http';
      const { setTimeout } = ClientRequest.prototype;
      ClientRequest.prototype.setTimeout = function (ms, callback) {
        process.stderr.write(ms + ' ms\\n');
        return setTimeout.call(this, ms / 1000, callback);
      };`;
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(clock)}` };
    expect(await ask(url, ['x'], { env }).ended).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `120000 ms\ndataset-subgraph: The subgraph at ${url} sent nothing for 120 s.\n`,
    });
  });

  it('is 1 where no subgraph answers, or its answer ends short', async () => {
    const refused = await listen((socket) => socket.destroy());
    const short = await listen((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"data":{"dataset":{"id":"x"}}}');
    });
    for (const url of [refused, short]) {
      expect(await ask(url, ['x']).ended).toEqual({
        code: 1,
        signal: null,
        stdout: '',
        stderr: `dataset-subgraph: The subgraph at ${url} closed the connection before its response was complete.\n`,
      });
    }
  });
});

describe('ask at a terminal', () => {
  const hostile = 'x\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eabc\n\u2028y\u200b';

  it('lets no text of the service do anything to it', async () => {
    const bed = await start();
    const results = {
      assets: [{ ...assetResult('a'), asset_id: `a${hostile}`, asset_name: hostile, asset_categories: [hostile] }],
    };
    respondWith(bed.simulator, { metadata: { ...dataset.metadata, name: hostile, description: hostile }, results });
    const sent = { token: 'token-of-anna', columns: 200, env: { NO_COLOR: '1' } };
    for (const args of [[], ['--metric', 'moisture'], ['--csv'], ['--json']]) {
      const { code, stdout } = await askAtTerminal(bed, [DATASET_ID, ...args], sent).ended;
      expect(code).toBe(0);
      expect(stdout).toContain('owned');
      expect(stdout).not.toMatch(/(?![\r\n])\p{Cc}|\p{Cf}|\u2028/u);
      if (args[0] === '--json') expect(JSON.parse(stdout).dataset.name).toBe(hostile);
    }
  });

  it('has colours, and none with NO_COLOR, TERM=dumb or in a pipe', async () => {
    const bed = await startDemo();
    const args = [weather, '--metric', 'wind'];
    const [coloured, plain, dumb, piped] = await Promise.all([
      askAtTerminal(bed, args).ended,
      askAtTerminal(bed, args, { env: { NO_COLOR: '1' } }).ended,
      askAtTerminal(bed, args, { env: { TERM: 'dumb' } }).ended,
      ask(bed, args).ended,
    ]);
    expect(coloured.stdout).toContain('\u001b[36m');
    expect(coloured.stdout).toContain('\u2812\u2812');
    expect(plain.stdout).not.toContain('\u001b');
    expect(dumb.stdout).toBe(plain.stdout);
    expect(plain.stdout.replaceAll('\r\n', '\n')).toBe(piped.stdout);
    expect(plain.stdout).toContain('* Seattle-Tacoma');
  });

  it.each([
    [24, 80],
    [10, 40],
    [50, 200],
  ])('fits into %i lines of %i columns, the prompt after it included', async (rows, columns) => {
    const bed = await startDemo();
    const terminal = { rows, columns, env: { NO_COLOR: '1' } };
    const [chart, overview] = await Promise.all([
      askAtTerminal(bed, [weather, '--metric', 'temp_max'], terminal).ended,
      askAtTerminal(bed, [weather], terminal).ended,
    ]);
    const lines = chart.stdout.split('\r\n');
    if (rows >= 12) expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of [...lines, ...overview.stdout.split('\r\n')]) expect(line.length).toBeLessThanOrEqual(columns);
    expect(overview.stdout).toMatch(columns < 80 ? /^NAME +Seattle-Tacoma\r$/m : /^ASSET +NAME/m);
  });

  it('measures wide characters, cuts what does not fit and never an id', async () => {
    const bed = await start();
    const assets = ['a', 'b'].map((id) => ({ ...assetResult(id), asset_id: `${id}${'0'.repeat(20)}` }));
    respondWith(bed.simulator, {
      results: {
        assets: [
          { ...assets[0], asset_name: '東京'.repeat(10) },
          { ...assets[1], asset_name: 'Ab' },
        ],
      },
    });
    const { stdout } = await askAtTerminal(bed, [DATASET_ID], {
      token: 'token-of-anna',
      columns: 80,
      env: { NO_COLOR: '1' },
    }).ended;
    expect(stdout.split('\r\n').slice(-4)).toEqual([
      'ASSET                  NAME            VER  CATEGORIES   CENTROID  AREA m2  ROWS',
      'a00000000000000000000  東京東京東京…     1  field       45.5 7.25   1200.5     3',
      'b00000000000000000000  Ab                1  field       45.5 7.25   1200.5     3',
      '',
    ]);
  });

  it('shows how a slow answer comes in, and takes that away again', async () => {
    const body = JSON.stringify({ data: { dataset: null }, errors: [{ message: 'No.' }] });
    let finish = () => {};
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': String(body.length) });
      response.write(body.slice(0, 20));
      finish = () => response.end(body.slice(20));
    });
    const program = askAtTerminal(url, ['x']);
    await program.printed(/Receiving {2}█+░+ {2}\d+ % {2}20 B of \d+ B/);
    finish();
    const { code, stdout } = await program.ended;
    expect(code).toBe(1);
    const last = stdout.slice(stdout.lastIndexOf('Receiving'));
    // The cursor is there again, and the error stands where the bar was.
    expect(last).toContain('\u001b[?25h');
    expect(last).toMatch(/\[1G.\[2Kdataset-subgraph: No\.\r\n$/);
  });

  it('is broken off by Ctrl-C with exit code 130', async () => {
    const url = await serve((_request, response) => response.writeHead(200).write('{'));
    const program = askAtTerminal(url, ['x']);
    await program.printed(/Receiving {2}1 B/);
    program.type('\x03');
    const { code, stdout } = await program.ended;
    expect(code).toBe(130);
    expect(stdout).toContain('\u001b[?25h');
    expect(stdout).not.toContain('Error');
  });
});

/** A directory that lasts as long as the test. */
async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'ask-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}
