import type { Options, Params } from 'cli-progress';
import { sizeText } from '../../src/core/size-text.ts';
import { cut } from './layout.ts';
import { mayMoveCursor } from './terminal.ts';

/** Shows that the command waits for a response, and then how much of it was received. */
export interface Progress {
  /** The response has begun. @param total its length in bytes, if it is known */
  receive(label: string, total: number | undefined): void;
  add(bytes: number): void;
  /** Erases what is shown. */
  stop(): void;
}

/** Shorter requests show nothing. */
const SHOW_AFTER_MS = 400;
const BAR_WIDTH = 24;

/** What is received, from its first byte. */
interface Transfer {
  readonly label: string;
  readonly total: number | undefined;
  readonly began: number;
}

/**
 * Shows on standard error, if that is a terminal with cursor control, how long the command waits, and then a progress bar:
 * the bytes, the rate, and the percentage if the total is known.
 */
export async function startProgress(unicode: boolean): Promise<Progress> {
  if (!mayMoveCursor(process.stderr)) return { receive: () => {}, add: () => {}, stop: () => {} };
  const { SingleBar } = await import('cli-progress');
  const began = Date.now();
  let transfer: Transfer | undefined;
  let bytes = 0;
  let shown = false;
  const bar = new SingleBar({
    stream: process.stderr,
    format: (_options: Options, { maxWidth }: Params) => {
      const text = transfer === undefined ? waiting(began, unicode) : received(transfer, bytes, unicode);
      return cut(text, maxWidth - 1, unicode);
    },
    hideCursor: true,
    clearOnComplete: true,
    // The command handles signals itself, because it may have to remove a file first.
    gracefulExit: false,
  });
  const timer = setTimeout(() => {
    shown = true;
    bar.start(0, 0);
  }, SHOW_AFTER_MS);
  return {
    receive: (label, total) => {
      transfer = { label, total, began: Date.now() };
    },
    add: (more) => {
      bytes += more;
    },
    stop: () => {
      clearTimeout(timer);
      if (shown) bar.stop();
    },
  };
}

function waiting(began: number, unicode: boolean): string {
  return `Waiting for the subgraph ${unicode ? '…' : '...'} ${Math.floor((Date.now() - began) / 1000)} s`;
}

function received({ label, total, began }: Transfer, bytes: number, unicode: boolean): string {
  const seconds = Math.max(1, Date.now() - began) / 1000;
  const rate = `${sizeText(Math.round(bytes / seconds))}/s`;
  const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
  const done = total === undefined || total === 0 ? undefined : Math.min(1, bytes / total);
  const parts =
    done === undefined
      ? [label, sizeText(bytes), rate]
      : [
          label,
          `${full.repeat(Math.round(done * BAR_WIDTH))}${empty.repeat(BAR_WIDTH - Math.round(done * BAR_WIDTH))}`,
          `${Math.floor(done * 100)} %`,
          `${sizeText(bytes)} of ${sizeText(total ?? 0)}`,
          rate,
        ];
  return parts.join('  ');
}
