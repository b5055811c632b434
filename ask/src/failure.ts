/** The exit codes of `ask`, as its help lists them. */
export const exitCode = {
  complete: 0,
  failed: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  partial: 5,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Ends the command with an exit code and a one-line message on standard error. */
export class Failure extends Error {
  readonly exitCode: ExitCode;

  constructor(code: ExitCode, message: string) {
    super(message);
    this.name = 'Failure';
    this.exitCode = code;
  }
}
