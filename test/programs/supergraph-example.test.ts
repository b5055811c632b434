import { describe, expect, it } from 'vitest';
import { answering } from '../../ask/test/cli-ask.ts';
import { listen, start } from '../support/harness.ts';
import { startProgram } from '../support/process.ts';

/** Runs what `npm run demo:supergraph` runs, with these arguments. */
const supergraph = (...args: string[]) =>
  startProgram(process.execPath, ['-r', './src/node-version.cjs', 'examples/supergraph/start.ts', ...args]).ended;

const ended = (stderr: string) => ({ code: 1, signal: null, stdout: '', stderr });

describe('npm run demo:supergraph', () => {
  it('ends with one sentence where another GraphQL server answers', async () => {
    const url = await answering('{"data":{"_service":null}}');
    expect(await supergraph(url)).toEqual(
      ended(
        `No subgraph answers at ${url}. Start the demo in another terminal (npm run demo), or name another subgraph: npm run demo:supergraph -- URL\n`,
      ),
    );
  });

  it('ends with one sentence where its port is in use', async () => {
    const { subgraph } = await start();
    const { port } = new URL(await listen(() => {}));
    expect(await supergraph(subgraph.url, port)).toEqual({
      ...ended(
        `Port ${port} of 127.0.0.1 is in use. Name another one: npm run demo:supergraph -- ${subgraph.url} PORT\n`,
      ),
      // Apollo Server says so when the notes start.
      stdout: expect.stringMatching(/^Enabling inline tracing [^\n]+\n$/),
    });
  });
});
