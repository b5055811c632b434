/** The programs of the project, by their name. */
export const entries = {
  main: 'src/main.ts',
  demo: 'simulator/demo.ts',
  login: 'ask/login.ts',
  command: 'ask/cli.ts',
} as const;

export type Entry = keyof typeof entries;
