import { describe, expect, it } from 'vitest';
import { start } from '../support/harness.ts';
import { startProgram } from '../support/process.ts';

describe('1 npm run schema', () => {
  it.each([{}, { SCHEMA_NAMES: 'Asset:Thing,Metric:Field,Query.dataset:platformDataset' }])(
    'prints what `_service` gives to routers, with %o',
    async (env) => {
      const { query } = await start({ env });
      const { body } = await query('{ _service { sdl } }', { token: null });
      const program = startProgram('npm', ['run', '--silent', 'schema'], { env });
      expect(await program.ended).toEqual({ code: 0, signal: null, stdout: `${body.data._service.sdl}\n`, stderr: '' });
    },
  );

  it.each(['schema', 'manifest'])('ends quietly and well when nobody reads the output of %s', async (script) => {
    const command = `npm run --silent ${script} | true; echo "\${PIPESTATUS[0]}"`;
    const ended = { code: 0, signal: null, stdout: '0\n', stderr: '' };
    expect(await startProgram('bash', ['-c', command]).ended).toEqual(ended);
  });

  it.each(['schema', 'manifest'])('exits with 1 at a name that cannot be used: %s', async (script) => {
    const env = { SCHEMA_NAMES: 'Asset:Metric' };
    const stderr = 'SCHEMA_NAMES must not give Asset and Metric the same name, but both are Metric.\n';
    const program = startProgram('npm', ['run', '--silent', script], { env });
    expect(await program.ended).toMatchObject({ code: 1, stdout: '', stderr });
  });
});
