import { describe, expect, it } from 'vitest';
import { DATASET_ID, listen, respondWith, start } from '../../test/support/harness.ts';
import { ask, startAsk } from './ask.ts';
import { answering, co2, failed, JULY, startDemo, TEST_TOKEN, weather } from './cli-ask.ts';

const NO_SUBGRAPH = 'The response is not from a dataset subgraph; --url must be its GraphQL endpoint.';

describe('The exit code of ask', () => {
  it('is 3 for a token that may not read, 4 for a dataset that is not there', async () => {
    const bed = await startDemo();
    expect(await ask(bed, [co2], { token: 'wrong' })).toMatchObject({ code: 3, stdout: '' });
    const { code, stdout, stderr } = await ask(bed, ['nowhere']);
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toMatch(
      /^dataset-subgraph: The dataset service has nothing under this id\. \(NOT_FOUND, request [\w-]+\) At dataset\.\n$/,
    );
  });

  it.each([
    ['a chart has no values', 4, [co2, '--metric', 'nope'], /^No values found for metric nope[^\n]*\.$/],
    ['CSV has no assets', 4, [co2, '--csv', '--asset', 'nope'], /^No results found for asset nope\.$/],
    [
      'one of several assets is not there',
      5,
      [weather, '--csv', '--asset', 'seattle-tacoma', '--asset', 'a\nb', ...JULY],
      /^No results found for asset a b\.$/,
    ],
    [
      'one of several metrics is not there',
      5,
      [co2, '--metric', 'co2', '--metric', 'x'],
      /^No values found for metric x; available metrics: co2, co2_adjusted\.$/,
    ],
  ])('says where %s: %i', async (_what, code, args, sentence) => {
    const ending = await ask(await startDemo(), args);
    const [, said] = /^dataset-subgraph: ([^\n]*)\n$/.exec(ending.stderr) ?? [];
    expect([ending.code, said]).toEqual([code, expect.stringMatching(sentence)]);
  });

  it('is 5 where a part is missing, which is said after the data', async () => {
    const bed = await start();
    respondWith(bed.simulator, { metadata: '{' });
    const { code, stdout, stderr } = await ask(bed, [DATASET_ID], TEST_TOKEN);
    expect(code).toBe(5);
    expect(stdout).toMatch(/^Dataset {2}1.*\nMetrics {2}moisture, temperature\n\nASSET/);
    // One sentence for all the fields that it concerns.
    expect(stderr).toMatch(
      /^dataset-subgraph: The dataset service sent an invalid response\. \(UPSTREAM_INVALID_RESPONSE, request [\w-]+\) At dataset\.name and 11 more\.\n$/,
    );
    expect(await ask(bed, [DATASET_ID, '--json'], TEST_TOKEN)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('UPSTREAM_INVALID_RESPONSE'),
    });
  });

  it('is 1 where all of the service fails', async () => {
    const bed = await start();
    bed.simulator.intercept(() => ({ status: 500 }));
    for (const args of [[], ['--json'], ['--csv'], ['--metric', 'moisture']]) {
      const { code, stdout, stderr } = await ask(bed, [DATASET_ID, ...args], TEST_TOKEN);
      expect(code).toBe(1);
      expect(stdout === '' || args[0] === '--json').toBe(true);
      expect(stderr).toMatch(/^(dataset-subgraph: [^\n]*UPSTREAM_ERROR[^\n]*\n)+$/);
    }
  });

  const cut = '{"data":{"dataset":{"id":"x","results":{"series":{"nodes":[{"asset":{"assetId":"a"';

  it.each<[string, string, number, string[], number, string]>([
    ['no JSON', '<p>', 200, [], 1, NO_SUBGRAPH],
    ['nothing of a schema', '{"data":{"dataset":{"name":1}}}', 200, [], 1, NO_SUBGRAPH],
    ['an end too early', cut, 200, [], 1, NO_SUBGRAPH],
    ['an end too early, as JSON', cut, 200, ['--json'], 1, NO_SUBGRAPH],
    ['an end too early, as CSV', cut, 200, ['--csv'], 1, NO_SUBGRAPH],
    ["a gateway's error", '<p>', 502, [], 1, 'The response has status 502 and no error message.'],
    ['a 404', '', 404, [], 4, 'The response has status 404 and no error message.'],
    [
      'a coded error',
      '{"errors":[{"message":"No.\\u001b[2J","extensions":{"code":"FORBIDDEN"}}]}',
      403,
      [],
      3,
      'No.\ufffd[2J (FORBIDDEN)',
    ],
    [
      'errors in another form',
      '{"data":null,"errors":[{"message":"One.","extensions":null,"path":null},{"message":"Two.","extensions":{"code":7,"rest":{"requestId":null}},"path":["a",0]}]}',
      200,
      [],
      1,
      'One.\ndataset-subgraph: Two. At a.0.',
    ],
  ])('tells of %s', async (_title, body, status, args, code, sentence) => {
    expect(await ask(await answering(body, status), ['x', ...args])).toEqual(failed(code, sentence));
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
    const { code, stderr } = await startAsk(url, ['x'], { env }).ended;
    expect(code).toBe(1);
    expect(stderr).toBe(`120000 ms\ndataset-subgraph: The subgraph at ${url} sent nothing for 120 s.\n`);
  });

  it('is 1 where no subgraph answers, or its response ends short', async () => {
    const refused = await listen((socket) => socket.destroy());
    const short = await listen((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"data":{"dataset":{"id":"x"}}}');
    });
    for (const url of [refused, short]) {
      expect(await ask(url, ['x'])).toEqual(
        failed(1, `The subgraph at ${url} closed the connection before its response was complete.`),
      );
    }
  });
});
