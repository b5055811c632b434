import type { Options, Params } from 'cli-progress';
import { cut } from './layout.ts';
import { mayMoveCursor } from './terminal.ts';

/** Shows how much was received. */
export interface Progress {
  add(bytes: number): void;
  /** Erases the progress bar. */
  stop(): void;
}

/** Shorter transfers show no progress. */
const SHOW_AFTER_MS = 400;
const BAR_WIDTH = 24;

/**
 * Shows a progress bar on standard error, if that is a terminal with cursor control: the bytes, the rate, and the
 * percentage if the total is known.
 *
 * @param total in bytes
 */
export async function startProgress(label: string, total: number | undefined, unicode: boolean): Promise<Progress> {
  if (!mayMoveCursor(process.stderr)) return { add: () => {}, stop: () => {} };
  const { SingleBar } = await import('cli-progress');
  const bar = new SingleBar({
    stream: process.stderr,
    format: (_options: Options, params: Params) => line(label, params, total, unicode),
    hideCursor: true,
    clearOnComplete: true,
    // The command handles signals itself, because it may have to remove a file first.
    gracefulExit: false,
  });
  let bytes = 0;
  let shown = false;
  const timer = setTimeout(() => {
    shown = true;
    bar.start(total ?? 0, 0);
    bar.update(bytes);
  }, SHOW_AFTER_MS);
  return {
    add: (more) => {
      bytes += more;
      if (shown) bar.update(bytes);
    },
    stop: () => {
      clearTimeout(timer);
      if (shown) bar.stop();
    },
  };
}

/** A number of bytes in readable units. */
export function sizeOf(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const number = bytes / 1000 ** power;
  return `${power === 0 ? number : number.toFixed(1)} ${units[power]}`;
}

function line(label: string, { value, startTime, maxWidth }: Params, total: number | undefined, unicode: boolean) {
  const seconds = (Date.now() - startTime + SHOW_AFTER_MS) / 1000;
  const rate = `${sizeOf(Math.round(value / seconds))}/s`;
  const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
  const done = total === undefined || total === 0 ? undefined : Math.min(1, value / total);
  const parts =
    done === undefined
      ? [label, sizeOf(value), rate]
      : [
          label,
          `${full.repeat(Math.round(done * BAR_WIDTH))}${empty.repeat(BAR_WIDTH - Math.round(done * BAR_WIDTH))}`,
          `${Math.floor(done * 100)} %`,
          `${sizeOf(value)} of ${sizeOf(total ?? 0)}`,
          rate,
        ];
  return cut(parts.join('  '), maxWidth - 1, unicode);
}
