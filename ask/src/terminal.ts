import type { WriteStream } from 'node:tty';

/** What standard output can display. */
export interface Display {
  /** The columns of the terminal; undefined without one. */
  readonly width: number | undefined;
  /** The lines of the terminal; undefined without one. */
  readonly height: number | undefined;
  /** Whether colours and other styles may be written. */
  readonly styled: boolean;
  /** Whether it shows characters beyond ASCII. */
  readonly unicode: boolean;
}

/** What a file can display. */
export const fileDisplay: Display = { width: undefined, height: undefined, styled: false, unicode: true };

/** The POSIX variables for the character encoding. The first that is set applies. */
export interface Locale {
  readonly LC_ALL?: string | undefined;
  readonly LC_CTYPE?: string | undefined;
  readonly LANG?: string | undefined;
}

/** What a stream can display under a locale. */
export function displayOf(stream: WriteStream, { LC_ALL, LC_CTYPE, LANG }: Locale): Display {
  return {
    width: stream.isTTY ? stream.columns : undefined,
    height: stream.isTTY ? stream.rows : undefined,
    styled: mayMoveCursor(stream),
    unicode: /utf-?8/i.test(LC_ALL ?? LC_CTYPE ?? LANG ?? ''),
  };
}

/** Whether a stream is a terminal with escape sequences, not turned off by NO_COLOR or TERM=dumb. */
export function mayMoveCursor(stream: WriteStream): boolean {
  return stream.isTTY === true && stream.hasColors();
}
