import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID, dataset, respondWith, start } from '../../test/support/harness.ts';
import { ask, askAtTerminal } from './ask.ts';
import { emptyDirectory, serve, startDemo, TEST_TOKEN, weather } from './cli-ask.ts';

describe('ask at a terminal', () => {
  const hostile = 'x\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eabc\n\u2028y\u200b';

  it('lets no text of the service do anything to it', async () => {
    const bed = await start();
    const results = {
      assets: [{ ...assetResult('a'), asset_id: `a${hostile}`, asset_name: hostile, asset_categories: [hostile] }],
    };
    respondWith(bed.simulator, { metadata: { ...dataset.metadata, name: hostile, description: hostile }, results });
    const sent = { ...TEST_TOKEN, columns: 200, env: { NO_COLOR: '1' } };
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
      ask(bed, args),
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
    const names = { a: '東京'.repeat(10), b: 'Ab' };
    const assets = Object.entries(names).map(([id, asset_name]) => ({
      ...assetResult(id),
      asset_id: `${id}${'0'.repeat(20)}`,
      asset_name,
    }));
    respondWith(bed.simulator, { results: { assets } });
    const { stdout } = await askAtTerminal(bed, [DATASET_ID], { ...TEST_TOKEN, env: { NO_COLOR: '1' } }).ended;
    expect(stdout.split('\r\n').slice(-4)).toEqual([
      'ASSET                  NAME            VER  CATEGORIES   CENTROID  AREA m2  ROWS',
      'a00000000000000000000  東京東京東京…     1  field       45.5 7.25   1200.5     3',
      'b00000000000000000000  Ab                1  field       45.5 7.25   1200.5     3',
      '',
    ]);
  });

  it('shows how a slow response comes in, and takes that away again', async () => {
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

  it('says that it waits, for how long, and takes that away again', async () => {
    let respond = () => {};
    const url = await serve((_request, response) => {
      respond = () => void response.end('{"data":{"dataset":null},"errors":[{"message":"No."}]}');
    });
    const program = askAtTerminal(url, ['x']);
    await program.printed(/Waiting for the subgraph … 0 s.*Waiting for the subgraph … 1 s/s);
    respond();
    const { code, stdout } = await program.ended;
    expect(code).toBe(1);
    expect(stdout).toMatch(/\[\?25h.*\[1G.\[2Kdataset-subgraph: No\.\r\n$/s);
  });

  it('does not say so in a pipe or with NO_COLOR', async () => {
    const { cwd } = await emptyDirectory();
    const url = await serve((_request, response) => {
      setTimeout(() => response.end('{"data":{"dataset":null},"errors":[{"message":"No."}]}'), 700);
    });
    const [{ stdout }] = await Promise.all([
      askAtTerminal(url, ['x'], { env: { NO_COLOR: '1' } }).ended,
      askAtTerminal(url, ['x'], { redirection: '2>file', cwd }).ended,
    ]);
    for (const said of [stdout, await readFile(join(cwd, 'file'), 'utf8')]) {
      expect(said.replaceAll('\r', '')).toBe('dataset-subgraph: No.\n');
    }
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
