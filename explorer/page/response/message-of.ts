/** Why something did not work. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What to tell the user about something that did not work. */
export function messageOf(error: unknown): string {
  return `This did not work: ${reasonOf(error)}`;
}
