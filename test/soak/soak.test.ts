import { describe, expect, it } from 'vitest';
import { startProgram } from '../process.ts';

/** A short soak of a subgraph that leaks so; it says what it does as it goes along. */
function soak(leak: string) {
  const env = { SOAK_MINUTES: '0.15', SOAK_LEAK: leak };
  return startProgram(process.execPath, ['-r', './src/node-version.cjs', 'test/soak/run.ts'], { env });
}

describe.concurrent('npm run soak', () => {
  it.each([
    ['sockets', /^WRONG: \d+ sockets where 0 were/m],
    ['timers', /^WRONG: \d+ timers where \d+ were/m],
    ['heap', /^WRONG: heapUsed grows by \d+ bytes a request/m],
    ['external', /^WRONG: external grows by \d+ bytes a request/m],
    // Whichever shows first: it grows from round to round, or stays when nothing happens any more.
    ['resident', /^WRONG: (rss grows by \d+ bytes a request|\d+ MB more resident memory at rest)/m],
  ])('fails when %s leak, and says so', async (leak, wrong) => {
    const { ended } = soak(leak);
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(wrong);
  });

  it('fails when a rejection is left to nobody, which ends the process', async () => {
    const { code, stderr } = await soak('rejection').ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/The subgraph has ended by itself \(1\)\..*left to nobody/s);
  });
});
