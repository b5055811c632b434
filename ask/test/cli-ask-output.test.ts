import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { demoDatasetIds } from '../../simulator/src/demo-data.ts';
import { DATASET_ID, respondWith, start } from '../../test/support/harness.ts';
import { ask, askAtTerminal } from './ask.ts';
import { co2, complete, JULY, serve, startDemo, weather } from './cli-ask.ts';

/** An empty directory to save files in. */
async function emptyDirectory() {
  const cwd = await mkdtemp(join(tmpdir(), 'ask-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  return { cwd, files: () => readdir(cwd) };
}

const failed = (code: number, sentence: string) => ({
  code,
  signal: null,
  stdout: '',
  stderr: `dataset-subgraph: ${sentence}\n`,
});

describe('ask --output', () => {
  it.each([['--csv'], ['--json']])(
    'saves with %s what standard output would have, and prints the name',
    async (form) => {
      const bed = await startDemo();
      const { cwd, files } = await emptyDirectory();
      const args = [weather, form, ...JULY];
      const { stdout } = await ask(bed, args).ended;
      expect(await ask(bed, [...args, '--output', 'my file'], { cwd }).ended).toEqual(complete('my file\n'));
      expect(await files()).toEqual(['my file']);
      expect(await readFile(join(cwd, 'my file'), 'utf8')).toBe(stdout);
    },
  );

  it('saves every byte, also where a terminal would get others', async () => {
    const bed = await start();
    const { cwd } = await emptyDirectory();
    const asset_name = 'x\u001b[2Jy';
    respondWith(bed.simulator, {
      results: { assets: [{ asset_id: 'a', asset_name, results: [{ value_date: 'd' }] }] },
    });
    const sent = { token: 'token-of-anna', cwd };
    await askAtTerminal(bed, [DATASET_ID, '--csv', '--output', 'f'], sent).ended;
    const lines = ['asset_id,asset_name,asset_version,value_date_utc', `a,${asset_name},,d`, ''];
    expect(await readFile(join(cwd, 'f'), 'utf8')).toBe(lines.join('\r\n'));
  });

  it.each([
    ['f.csv', 'format=csv&layout=wide', []],
    ['f.CSV', 'format=csv&layout=long', ['--layout', 'long']],
    ['f.ndjson', 'format=ndjson&layout=wide', []],
    ['f.parquet', 'format=parquet&layout=wide', []],
    ['f.arrow', 'format=arrow&layout=long', ['--layout', 'long']],
    ['f.csv', 'format=csv&layout=wide&metric=wind&metric=temp_max', ['--metric', 'wind', '--metric', 'temp_max']],
    ['f.csv', 'format=csv&of=periods&every=month', ['--every', 'month']],
    ['f.parquet', 'format=parquet&of=statistics&metric=wind', ['--statistics', '--metric', 'wind']],
  ])('saves %s as the file of the subgraph for %s', async (name, query, args) => {
    const bed = await startDemo();
    const { cwd, files } = await emptyDirectory();
    const range = ['--from', '2015-07-01', '--to', '2015-07-01', '--asset', 'seattle-tacoma', '--output', name];
    expect(await ask(bed, [weather, ...range, ...args], { cwd }).ended).toEqual(complete(`${name}\n`));
    expect(await files()).toEqual([name]);
    const filter = 'assetId=seattle-tacoma&start=2015-07-01T00:00:00Z&stop=2015-07-01T23:59:59.999Z';
    const url = new URL(`/download/results/${weather}?${query}&${filter}`, bed.subgraph.url);
    const file = await fetch(url, { headers: { authorization: 'Bearer demo-token' } });
    const saved = await readFile(join(cwd, name));
    const [expected, found] = [Buffer.from(await file.arrayBuffer()), saved];
    expect(file.status).toBe(200);
    // Parquet and Arrow have the time of creation.
    if (/csv|ndjson/i.test(name)) expect(found.toString()).toBe(expected.toString());
    else expect([found.subarray(0, 6), found.length]).toEqual([expected.subarray(0, 6), expected.length]);
  });

  it('saves with a name in .csv what --csv gives for a spreadsheet', async () => {
    const bed = await startDemo();
    const { cwd } = await emptyDirectory();
    const { stdout } = await ask(bed, [weather, '--csv', ...JULY]).ended;
    await ask(bed, [weather, ...JULY, '--output', 'f.csv'], { cwd }).ended;
    expect(await readFile(join(cwd, 'f.csv'), 'utf8')).toBe(stdout.replace('value_date_utc', 'value_date'));
  });

  it('saves no file of a dataset that is not there', async () => {
    const { cwd, files } = await emptyDirectory();
    const ending = await ask(await startDemo(), ['nowhere', '--output', 'f.csv'], { cwd }).ended;
    expect(ending).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('NOT_FOUND') });
    expect(await files()).toEqual([]);
  });

  it('overwrites no file, and does not ask the subgraph then', async () => {
    const bed = await startDemo();
    const { cwd, files } = await emptyDirectory();
    await writeFile(join(cwd, 'f'), 'mine');
    expect(await ask(bed, [co2, '--csv', '--output', 'f'], { cwd }).ended).toEqual(
      failed(1, 'f already exists and is not overwritten; use --output to set another name.'),
    );
    expect(bed.calls()).toEqual([]);
    expect(await files()).toEqual(['f']);
    expect(await readFile(join(cwd, 'f'), 'utf8')).toBe('mine');
  });

  it('says where it cannot write', async () => {
    const bed = await startDemo();
    const { cwd, files } = await emptyDirectory();
    expect(await ask(bed, [co2, '--json', '--output', 'no/file'], { cwd }).ended).toEqual(
      failed(1, 'no/file.part cannot be written (ENOENT).'),
    );
    expect(await files()).toEqual([]);
  });

  it.each([
    ['the dataset is not there', ['nowhere', '--json'], 4],
    ['the asset is not there', [co2, '--csv', '--asset', 'nope'], 4],
  ])('saves nothing where %s', async (_title, args, code) => {
    const bed = await startDemo();
    const { cwd, files } = await emptyDirectory();
    const ending = await ask(bed, [...args, '--output', 'f'], { cwd }).ended;
    expect(ending).toMatchObject({ code, stdout: '', stderr: expect.stringContaining('dataset-subgraph: ') });
    expect(await files()).toEqual([]);
  });

  it('saves a part of what was requested with exit code 5, and says what is missing', async () => {
    const bed = await startDemo();
    const { cwd, files } = await emptyDirectory();
    const args = [weather, '--csv', '--asset', 'seattle-tacoma', '--asset', 'nope', '--output', 'f'];
    expect(await ask(bed, args, { cwd }).ended).toEqual({
      ...failed(5, 'No results found for asset nope.'),
      stdout: 'f\n',
    });
    expect(await files()).toEqual(['f']);
  });

  it('leaves nothing after SIGINT', async () => {
    const { cwd, files } = await emptyDirectory();
    const url = await serve((_request, response) => response.writeHead(200).write('{'));
    const program = ask(url, ['x', '--csv', '--output', 'f'], {
      cwd,
      // Says when Ctrl-C no longer ends the program by itself.
      env: {
        NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent("process.on('newListener', (name) => name === 'SIGTERM' && console.error('ready'))")}`,
      },
    });
    await program.printed(/ready/);
    program.kill('SIGINT');
    expect(await program.ended).toMatchObject({ code: 130, stdout: '' });
    expect(await files()).toEqual([]);
  });
});

describe('ask of a dataset without results', () => {
  const hint = 'dataset-subgraph: The dataset has no results. If it is a static dataset, --download saves its file.\n';

  it.each([[[]], [['--csv']], [['--json']]])('names --download, with %j', async (args) => {
    const bed = await startDemo();
    expect(await ask(bed, [demoDatasetIds.earthquakes, ...args]).ended).toMatchObject({ code: 0, stderr: hint });
  });

  it('does not where a filter may be the reason', async () => {
    const bed = await startDemo();
    const { code, stderr } = await ask(bed, [co2, '--csv', '--from', '2100-01-01']).ended;
    expect([code, stderr]).toEqual([0, '']);
  });
});
