import { readFileSync, writeFileSync } from 'node:fs';

/** The unit of CPU time in /proc, in seconds (USER_HZ). */
const TICK_S = 0.01;
const SAMPLING_MS = 20;

/** The resident memory of a process in bytes; undefined if the system does not report it. */
export function residentBytes(pid: number): number | undefined {
  return statusBytes(pid, 'VmRSS');
}

/** The most resident memory that a process has had, in bytes; undefined if the system does not report it. */
export function peakBytes(pid: number): number | undefined {
  return statusBytes(pid, 'VmHWM');
}

/** The CPU seconds that a process has used; undefined if the system does not report them. */
export function cpuSeconds(pid: number): number | undefined {
  // The name of the program, in parentheses, may contain spaces.
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) * TICK_S;
}

/**
 * Watches the resident memory of a process.
 *
 * @returns a function that stops watching and returns the peak in bytes; undefined if the system does not report it
 */
export function watchPeak(pid: number): () => number | undefined {
  if (resetPeak(pid)) return () => peakBytes(pid);
  let peak = residentBytes(pid);
  const sample = () => {
    const bytes = residentBytes(pid);
    if (bytes !== undefined) peak = Math.max(peak ?? 0, bytes);
  };
  const timer = setInterval(sample, SAMPLING_MS);
  return () => {
    clearInterval(timer);
    sample();
    return peak;
  };
}

/** Makes the kernel reset the peak (proc_pid_clear_refs(5)). Returns whether it did. */
function resetPeak(pid: number): boolean {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    return false;
  }
  const peak = peakBytes(pid) ?? Number.POSITIVE_INFINITY;
  return peak <= (residentBytes(pid) ?? 0) * 1.05;
}

function statusBytes(pid: number, field: 'VmRSS' | 'VmHWM'): number | undefined {
  const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(read(`/proc/${pid}/status`) ?? '') ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
