import { readFileSync, writeFileSync } from 'node:fs';

/** The kernel's unit of CPU time as /proc shows it, in seconds (USER_HZ). */
const TICK_S = 0.01;
const SAMPLING_MS = 20;

/** The memory in bytes that a process holds now; undefined where the system does not say. */
export function residentBytes(pid: number): number | undefined {
  return statusBytes(pid, 'VmRSS');
}

/** The CPU seconds that a process has used; undefined where the system does not say. */
export function cpuSeconds(pid: number): number | undefined {
  // The name of the program, in parentheses, may itself have spaces.
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) * TICK_S;
}

/**
 * Watches the memory of a process from now on.
 *
 * @returns ends it, and gives the largest number of bytes held; undefined where the system does not say
 */
export function watchPeak(pid: number): () => number | undefined {
  if (resetPeak(pid)) return () => statusBytes(pid, 'VmHWM');
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

/** Makes the kernel forget the peak so far (proc_pid_clear_refs(5)); whether it did. */
function resetPeak(pid: number): boolean {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    return false;
  }
  const peak = statusBytes(pid, 'VmHWM') ?? Number.POSITIVE_INFINITY;
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
