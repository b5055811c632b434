import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gate, listen } from '../../test/support/harness.ts';
import { ask, askAtTerminal, startAsk } from './ask.ts';
import { complete, earthquakes, emptyDirectory, failed, startDemo } from './cli-ask.ts';

/** The demo, and an empty directory to save files in. */
async function setUp() {
  return { bed: await startDemo(), ...(await emptyDirectory()) };
}

/** Raw HTTP in the place of a subgraph: an answer with these headers, and whatever body. */
const answering = (headers: string, body: string) =>
  listen((socket) => socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`)));

describe('ask --download', () => {
  it('saves the file under its own name, which it prints, by one REST call', async () => {
    const { bed, cwd, files } = await setUp();
    expect(await ask(bed, [earthquakes, '--download'], { cwd })).toEqual(complete('earthquakes.geojson\n'));
    expect(await files()).toEqual(['earthquakes.geojson']);
    const saved = await readFile(join(cwd, 'earthquakes.geojson'));
    expect(saved.equals(await readFile('simulator/demo-data/earthquakes.json'))).toBe(true);
    expect(
      bed.simulator.requests.map(({ method, target, headers }) => [method, target, headers.authorization]),
    ).toEqual([['GET', `/v1/collection/staticdataset/${earthquakes}/download`, ['Bearer demo-token']]]);
  });

  it('writes the file to standard output for the name -', async () => {
    const { bed, cwd, files } = await setUp();
    const file = await readFile('simulator/demo-data/earthquakes.json', 'utf8');
    expect(await ask(bed, [earthquakes, '--download', '--output', '-'], { cwd })).toEqual(complete(file));
    expect(await files()).toEqual([]);
  });

  it('overwrites no file, neither its own nor one that another download writes', async () => {
    const { bed, cwd, files } = await setUp();
    const sentence = 'already exists and is not overwritten; use --output to set another name.';
    await writeFile(join(cwd, 'earthquakes.geojson'), 'mine');
    await writeFile(join(cwd, 'b.part'), 'theirs');
    const save = (...args: string[]) => ask(bed, [earthquakes, '--download', ...args], { cwd });
    expect(await save()).toEqual(failed(1, `earthquakes.geojson ${sentence}`));
    const calls = bed.calls().length;
    expect(await save('--output', 'earthquakes.geojson')).toEqual(failed(1, `earthquakes.geojson ${sentence}`));
    expect(bed.calls()).toHaveLength(calls);
    expect(await save('--output', 'b')).toEqual(
      failed(1, 'b.part already exists: another download is running, or was killed.'),
    );
    expect(await files()).toEqual(['b.part', 'earthquakes.geojson']);
    expect(await readFile(join(cwd, 'earthquakes.geojson'), 'utf8')).toBe('mine');
    expect(await readFile(join(cwd, 'b.part'), 'utf8')).toBe('theirs');
  });

  it('does not overwrite a file that comes while it receives its own', async () => {
    const { bed, cwd, files } = await setUp();
    const { opened, open } = gate();
    bed.simulator.intercept(() => ({ headers: { 'content-length': [] }, body: halves(opened) }));
    const program = startAsk(bed, [earthquakes, '--download', '--output', 'f'], { cwd });
    await expect.poll(files).toEqual(['f.part']);
    await writeFile(join(cwd, 'f'), 'mine');
    open();
    expect(await program.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('f already exists') });
    expect(await files()).toEqual(['f']);
    expect(await readFile(join(cwd, 'f'), 'utf8')).toBe('mine');
  });

  it.each([
    ['a token that may not read it', earthquakes, 'wrong', 3, 'UNAUTHENTICATED'],
    ['no token', earthquakes, null, 3, 'UNAUTHENTICATED'],
    ['a dataset without a file', 'nowhere', 'demo-token', 4, 'NOT_FOUND'],
  ])('saves nothing for %s', async (_title, id, token, code, label) => {
    const { bed, cwd, files } = await setUp();
    const ending = await ask(bed, [id, '--download'], { cwd, token });
    expect(ending).toMatchObject({ code, stdout: '' });
    const hint = token === null ? 'dataset-subgraph: No token was given\\. [^\\n]+\\n' : '';
    expect(ending.stderr).toMatch(new RegExp(`^dataset-subgraph: [^\\n]+ \\(${label}, request [\\w-]+\\)\\n${hint}$`));
    expect(await files()).toEqual([]);
  });

  it.each([
    ['of a known length', { cutAfterBytes: 5000 }],
    ['of an unknown length', { cutAfterBytes: 5000, body: halves(Promise.resolve()) }],
  ])('leaves nothing of a file %s that ends short', async (_title, fault) => {
    const { bed, cwd, files } = await setUp();
    bed.simulator.intercept(() => fault);
    expect(await ask(bed, [earthquakes, '--download'], { cwd })).toEqual(
      failed(
        1,
        `The subgraph at ${new URL(bed.subgraph.url).origin} closed the connection before its response was complete.`,
      ),
    );
    expect(await files()).toEqual([]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('leaves nothing after %s', async (signal, code) => {
    const { bed, cwd, files } = await setUp();
    bed.simulator.intercept(() => ({ headers: { 'content-length': [] }, body: halves(new Promise(() => {})) }));
    const program = startAsk(bed, [earthquakes, '--download'], { cwd });
    await expect.poll(files).toEqual(['earthquakes.geojson.part']);
    program.kill(signal);
    expect(await program.ended).toEqual({ code, signal: null, stdout: '', stderr: '' });
    expect(await files()).toEqual([]);
  });

  it('shows how much has come at a terminal, and leaves nothing after Ctrl-C', async () => {
    const { bed, cwd, files } = await setUp();
    bed.simulator.intercept(() => ({
      headers: { 'content-length': ['2000000'] },
      body: halves(new Promise(() => {})),
    }));
    const program = askAtTerminal(bed, [earthquakes, '--download'], { cwd });
    await program.printed(/Downloading {2}█{12}░{12} {2}50 % {2}1\.0 MB of 2\.0 MB {2}[\d.]+ [kM]B\/s/);
    expect(await files()).toEqual(['earthquakes.geojson.part']);
    program.type('\x03');
    const { code, stdout } = await program.ended;
    expect([code, await files()]).toEqual([130, []]);
    expect(stdout).toContain('\u001b[?25h');
  });

  it('keeps little of a large file in memory', async () => {
    const { bed, cwd } = await setUp();
    const chunk = Buffer.alloc(2 ** 20, 'x');
    const digest = createHash('sha256');
    bed.simulator.intercept(() => ({
      headers: { 'content-length': [] },
      body: (async function* () {
        for (let count = 0; count < 300; count += 1) {
          digest.update(chunk);
          yield chunk;
        }
      })(),
    }));
    const report = "data:text/javascript,process.on('exit',()=>console.error(process.resourceUsage().maxRSS))";
    const env = { NODE_OPTIONS: `--import ${report}` };
    const ending = await startAsk(bed, [earthquakes, '--download', '--output', 'f'], { cwd, env }).ended;
    expect(ending).toMatchObject({ code: 0, stdout: 'f\n' });
    // In kilobytes; the program alone takes a hundred megabytes.
    expect(Number(ending.stderr)).toBeLessThan(200_000);
    const saved = createHash('sha256').update(await readFile(join(cwd, 'f')));
    expect(saved.digest('hex')).toBe(digest.digest('hex'));
  });

  it.each<[string, string, string]>([
    ['a path', 'attachment; filename="/etc/../x/passwd"', 'passwd'],
    ['a path of Windows', 'attachment; filename="C:\\\\x\\\\a.csv"', 'a.csv'],
    ['an encoded path', "attachment; filename*=UTF-8''..%2F..%2Fa.csv", 'a.csv'],
    ['dots', 'attachment; filename=".."', 'the-id'],
    ['a name that hides', 'attachment; filename=".bashrc"', 'bashrc'],
    ['a name like an option', 'attachment; filename="-rf"', 'rf'],
    ['an escape sequence', "attachment; filename*=UTF-8''a%1B%5B2J%0A.csv", 'a[2J.csv'],
    ['a turned direction', "attachment; filename*=UTF-8''a%E2%80%AEvsc.exe", 'avsc.exe'],
    ['a device', 'attachment; filename="NUL.csv"', '_NUL.csv'],
    ['characters that file systems refuse', 'attachment; filename="a:b*c?.csv"', 'a_b_c_.csv'],
    ['letters of everywhere', "attachment; filename*=UTF-8''%E6%9D%B1%E4%BA%AC%20%C3%A9.csv", '東京 é.csv'],
    ['a long name', `attachment; filename="${'x'.repeat(300)}.csv"`, `${'x'.repeat(180)}.csv`],
    ['no name', 'attachment', 'the-id'],
    ['what cannot be read', ';;=', 'the-id'],
  ])('makes a safe name of %s', async (_title, disposition, name) => {
    const { cwd, files } = await emptyDirectory();
    const url = await answering(`content-length: 2\r\ncontent-disposition: ${disposition}`, 'ab');
    expect(await ask(url, ['the-id', '--download'], { cwd })).toMatchObject({ code: 0, stdout: `${name}\n` });
    expect(await files()).toEqual([name]);
  });

  it('asks beside the GraphQL endpoint', async () => {
    const { cwd } = await emptyDirectory();
    const lines: string[] = [];
    const origin = await listen((socket) =>
      socket.once('data', (head) => {
        lines.push(String(head).split('\r\n')[0] ?? '');
        socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
      }),
    );
    for (const path of ['/graphql', '/', '/datasets/graphql']) {
      expect(await ask(`${origin}${path}`, ['a/b?', '--download'], { cwd })).toMatchObject({ code: 4 });
    }
    const target = '/download/dataset/a%2Fb%3F HTTP/1.1';
    expect(lines).toEqual([`GET ${target}`, `GET ${target}`, `GET /datasets${target}`]);
  });
});

/** A megabyte at once, and as much again when the time has come. */
async function* halves(time: Promise<void>): AsyncGenerator<Buffer> {
  yield Buffer.alloc(1_000_000, 'a');
  await time;
  yield Buffer.alloc(1_000_000, 'b');
}
