import { describe, expect, it } from 'vitest';
import { DATASET_ID, listen, respondWith, start } from '../../test/support/harness.ts';
import { ask } from './ask.ts';
import { answering, co2, JULY, startDemo, weather } from './cli-ask.ts';

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
    ['CSV', ['--csv', '--asset', 'nope'], 'asset_id,asset_name,asset_version,value_date_utc\r\n'],
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

  it.each([[['--json']], [['--csv']], [['--metric', 'm']]])('is 1 for %j of a response that is cut', async (args) => {
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

  it('is 1 where no subgraph answers, or its response ends short', async () => {
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
