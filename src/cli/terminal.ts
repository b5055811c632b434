import type { WriteStream } from 'node:tty';

/** What can be shown where standard output goes. */
export interface Display {
  /** Columns that a line may take; undefined where there is no terminal, and no bound. */
  readonly width: number | undefined;
  /** Lines of the terminal; undefined where there is none. */
  readonly height: number | undefined;
  /** Whether colours and other styles may be written. */
  readonly styled: boolean;
  /** Whether characters beyond ASCII are shown. */
  readonly unicode: boolean;
}

/** The settings of POSIX that name the character encoding, the first that is set deciding. */
export interface Locale {
  readonly LC_ALL?: string | undefined;
  readonly LC_CTYPE?: string | undefined;
  readonly LANG?: string | undefined;
}

/** What a stream can show under a locale. */
export function displayOf(stream: WriteStream, { LC_ALL, LC_CTYPE, LANG }: Locale): Display {
  return {
    width: stream.isTTY ? stream.columns : undefined,
    height: stream.isTTY ? stream.rows : undefined,
    styled: mayMoveCursor(stream),
    unicode: /utf-?8/i.test(LC_ALL ?? LC_CTYPE ?? LANG ?? ''),
  };
}

/** Whether a stream is a terminal that takes escape sequences, and nobody has asked for none (NO_COLOR, TERM=dumb). */
export function mayMoveCursor(stream: WriteStream): boolean {
  return stream.isTTY === true && stream.hasColors();
}
