/** What to tell the user about something that did not work. */
export function messageOf(error: unknown): string {
  return `This did not work: ${error instanceof Error ? error.message : String(error)}`;
}
