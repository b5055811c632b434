import { existsSync, readFileSync } from 'node:fs';

/** The system counts CPU time in steps of ten milliseconds. */
const MS_PER_STEP = 10;

/** The CPU time of a process until now, in milliseconds. Only Linux reports it. */
export function cpuTime(pid: number): number {
  const file = `/proc/${pid}/stat`;
  // The name of the program is in parentheses, and may contain anything.
  const [, user, system] = (existsSync(file) && /\) \S(?: \S+){10} (\d+) (\d+)/.exec(readFileSync(file, 'utf8'))) || [];
  return (Number(user) + Number(system)) * MS_PER_STEP;
}

/** The peak memory of a process. Only Linux reports it. */
export function peakMemory(pid: number): string {
  const file = `/proc/${pid}/status`;
  const [, kilobytes] = (existsSync(file) && /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8'))) || [];
  return kilobytes === undefined ? 'unknown' : `${Math.round(Number(kilobytes) / 1024)} MB`;
}
