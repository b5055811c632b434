import { describe, expect, it } from 'vitest';
import { startProgram } from '../support/process.ts';

/** A short soak of a subgraph with this leak. */
function soak(leak: string) {
  const env = { SOAK_MINUTES: '0.15', SOAK_LEAK: leak };
  return startProgram(process.execPath, ['-r', './src/node-version.cjs', 'test/soak/run.ts'], { env });
}

describe.concurrent('npm run soak', () => {
  it.each([
    ['sockets', /^FAILED: \d+ sockets where 0 were/m],
    ['timers', /^FAILED: \d+ timers where \d+ were/m],
    ['heap', /^FAILED: heapUsed grows by \d+ bytes a request/m],
    ['external', /^FAILED: external grows by \d+ bytes a request/m],
    // Whichever appears first: growth from round to round, or memory that is not returned at rest.
    ['resident', /^FAILED: (native grows by \d+ bytes a request|\d+ MB more resident memory at rest)/m],
  ])('fails when %s leak, and says so', async (leak, wrong) => {
    const { ended } = soak(leak);
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(wrong);
  });

  it('fails on an unhandled rejection, which ends the process', async () => {
    const { code, stderr } = await soak('rejection').ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/The subgraph exited unexpectedly \(1\)\..*unhandled on purpose/s);
  });
});
