import { describe, expect, it } from 'vitest';
import { start } from '../support/harness.ts';
import { startProgram } from '../support/process.ts';

describe('1 npm run schema', () => {
  it.each([
    {},
    { TYPE_PREFIX: 'Foo' },
    { TYPE_PREFIX: 'Foo', SCHEMA_NAMES: 'Asset:Thing,Query.dataset:platformDataset' },
  ])('prints what `_service` gives to routers, with %o', async (env) => {
    const { query } = await start({ env });
    const { body } = await query('{ _service { sdl } }', { token: null });
    const program = startProgram('npm', ['run', '--silent', 'schema'], { env });
    expect(await program.ended).toEqual({ code: 0, signal: null, stdout: `${body.data._service.sdl}\n`, stderr: '' });
  });

  it('ends quietly and well when nobody reads its output', async () => {
    const command = `npm run --silent schema | true; echo "\${PIPESTATUS[0]}"`;
    expect(await startProgram('bash', ['-c', command]).ended).toEqual({
      code: 0,
      signal: null,
      stdout: '0\n',
      stderr: '',
    });
  });

  it('exits with 1 at a prefix that cannot be used', async () => {
    const { ended } = startProgram('npm', ['run', '--silent', 'schema'], { env: { TYPE_PREFIX: '_' } });
    expect(await ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'TYPE_PREFIX must be a letter, then letters, digits and single underscores, but "_" was given.\n',
    });
  });
});
