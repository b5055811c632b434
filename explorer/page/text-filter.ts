/** Whether one of some texts contains what a user looks for, in any case. Spaces around it do not count. */
export function containsText(wanted: string, ...texts: readonly (string | undefined)[]): boolean {
  const text = wanted.trim().toLowerCase();
  return texts.some((each = '') => each.toLowerCase().includes(text));
}
