import { describe, expect, it } from 'vitest';
import { start } from '../support/harness.ts';
import { startProgram } from '../support/process.ts';

describe('1 npm run schema', () => {
  it('prints what `_service` gives to routers, with the names of SCHEMA_NAMES', async () => {
    const env = { SCHEMA_NAMES: 'Asset:Thing,Metric:Field,Query.dataset:platformDataset' };
    const { query } = await start({ env });
    const { body } = await query('{ _service { sdl } }', { token: null });
    const program = startProgram('npm', ['run', '--silent', 'schema'], { env });
    expect(await program.ended).toEqual({ code: 0, signal: null, stdout: `${body.data._service.sdl}\n`, stderr: '' });
  });

  it.each(['npm run --silent schema', 'node ask/cli.ts help ask'])(
    'ends quietly and well when nobody reads the output of %s',
    async (program) => {
      const command = `${program} | true; echo "\${PIPESTATUS[0]}"`;
      const ended = { code: 0, signal: null, stdout: '0\n', stderr: '' };
      expect(await startProgram('bash', ['-c', command]).ended).toEqual(ended);
    },
  );
});
