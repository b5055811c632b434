import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DATASET_ID, respondWith, start } from '../../test/support/harness.ts';
import { ask, askAtTerminal, startAsk } from './ask.ts';
import {
  co2,
  complete,
  earthquakes,
  emptyDirectory,
  failed,
  JULY,
  SAYS_READY,
  serve,
  startDemo,
  TEST_TOKEN,
  weather,
} from './cli-ask.ts';

describe('ask --output', () => {
  it.each([['--csv'], ['--json']])('saves with %s what standard output would have', async (form) => {
    const bed = await startDemo();
    const { cwd, files } = await emptyDirectory();
    const args = [weather, form, ...JULY];
    const { stdout } = await ask(bed, args);
    expect(await ask(bed, [...args, '--output', 'my file'], { cwd })).toEqual(complete('my file\n'));
    expect(await ask(bed, [...args, '--output', '-'], { cwd })).toEqual(complete(stdout));
    expect(await files()).toEqual(['my file']);
    expect(await readFile(join(cwd, 'my file'), 'utf8')).toBe(stdout);
    if (form === '--json') return;
    // A name in .csv is that of a file of the subgraph, whose dates are not for a spreadsheet.
    await ask(bed, [weather, ...JULY, '--output', 'f.csv'], { cwd });
    expect(await readFile(join(cwd, 'f.csv'), 'utf8')).toBe(stdout.replace('value_date_utc', 'value_date'));
  });

  it('saves every byte, also where a terminal would get others', async () => {
    const bed = await start();
    const { cwd } = await emptyDirectory();
    const asset_name = 'x\u001b[2Jy';
    const results = { assets: [{ asset_id: 'a', asset_name, results: [{ value_date: 'd' }] }] };
    respondWith(bed.simulator, { results });
    await askAtTerminal(bed, [DATASET_ID, '--csv', '--output', 'f'], { ...TEST_TOKEN, cwd }).ended;
    const lines = ['asset_id,asset_name,asset_version,value_date_utc', `a,${asset_name},,d`, ''];
    expect(await readFile(join(cwd, 'f'), 'utf8')).toBe(lines.join('\r\n'));
  });

  it.each([
    ['f.CSV', 'format=csv&layout=long', ['--layout', 'long']],
    ['f.ndjson', 'format=ndjson&layout=wide', []],
    ['f.parquet', 'format=parquet&layout=wide', []],
    ['f.arrow', 'format=arrow&layout=long', ['--layout', 'long']],
    ['f.csv', 'format=csv&layout=wide&metric=wind&metric=temp_max', ['--metric', 'wind', '--metric', 'temp_max']],
    ['f.csv', 'format=csv&of=periods&every=month', ['--every', 'month']],
    ['f.parquet', 'format=parquet&of=statistics&metric=wind', ['--statistics', '--metric', 'wind']],
  ])('saves %s as the file of the subgraph for %s', async (name, query, args) => {
    const bed = await startDemo();
    const { cwd } = await emptyDirectory();
    const range = ['--from', '2015-07-01', '--to', '2015-07-01', '--asset', 'seattle-tacoma', '--output', name];
    expect(await ask(bed, [weather, ...range, ...args], { cwd })).toEqual(complete(`${name}\n`));
    const filter = 'assetId=seattle-tacoma&start=2015-07-01T00:00:00Z&stop=2015-07-01T23:59:59.999Z';
    const url = new URL(`/download/results/${weather}?${query}&${filter}`, bed.subgraph.url);
    const file = await fetch(url, { headers: { authorization: 'Bearer demo-token' } });
    expect(file.status).toBe(200);
    const [expected, found] = [Buffer.from(await file.arrayBuffer()), await readFile(join(cwd, name))];
    // Parquet and Arrow have the time of creation.
    if (/csv|ndjson/i.test(name)) expect(found.toString()).toBe(expected.toString());
    else expect([found.subarray(0, 6), found.length]).toEqual([expected.subarray(0, 6), expected.length]);
  });

  it('overwrites no file, and does not ask the subgraph then', async () => {
    const bed = await startDemo();
    const { cwd, files } = await emptyDirectory();
    await writeFile(join(cwd, 'f'), 'mine');
    expect(await ask(bed, [co2, '--csv', '--output', 'f'], { cwd })).toEqual(
      failed(1, 'f already exists and is not overwritten; use --output to set another name.'),
    );
    expect(bed.calls()).toEqual([]);
    expect([await files(), await readFile(join(cwd, 'f'), 'utf8')]).toEqual([['f'], 'mine']);
  });

  it.each([
    ['it cannot write', [co2, '--json'], 'no/file', 1, 'no/file.part cannot be written (ENOENT).'],
    ['the dataset is not there', ['nowhere', '--json'], 'f', 4, 'NOT_FOUND'],
    ['the dataset of a file is not there', ['nowhere'], 'f.csv', 4, 'NOT_FOUND'],
    ['the asset is not there', [co2, '--csv', '--asset', 'nope'], 'f', 4, 'No results found for asset nope.'],
  ])('saves nothing where %s', async (_title, args, name, code, sentence) => {
    const { cwd, files } = await emptyDirectory();
    const ending = await ask(await startDemo(), [...args, '--output', name], { cwd });
    expect(ending).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(sentence) });
    expect(await files()).toEqual([]);
  });

  it('leaves nothing after SIGINT', async () => {
    const { cwd, files } = await emptyDirectory();
    const url = await serve((_request, response) => response.writeHead(200).write('{'));
    const program = startAsk(url, ['x', '--csv', '--output', 'f'], { cwd, env: SAYS_READY });
    await program.printed(/ready/);
    program.kill('SIGINT');
    expect(await program.ended).toMatchObject({ code: 130, stdout: '' });
    expect(await files()).toEqual([]);
  });
});

describe('ask of a dataset without results', () => {
  it('names --download, but not where a filter may be the reason', async () => {
    const bed = await startDemo();
    const hint =
      'dataset-subgraph: The dataset has no results. If it is a static dataset, --download saves its file.\n';
    for (const args of [[], ['--csv'], ['--json']]) {
      expect(await ask(bed, [earthquakes, ...args])).toMatchObject({ code: 0, stderr: hint });
    }
    expect(await ask(bed, [co2, '--csv', '--from', '2100-01-01'])).toMatchObject({ code: 0, stderr: '' });
  });
});
