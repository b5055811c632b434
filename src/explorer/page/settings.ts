/** What the server says to its page. */
export interface Settings {
  /** The path that operations are sent to. */
  readonly endpoint: string;
  /** The bearer token to begin with; empty where there is none to give away. */
  readonly token: string;
  /** The operations that the page opens with, a tab each. */
  readonly examples: readonly { readonly query: string; readonly variables: Readonly<Record<string, unknown>> }[];
}

/**
 * Asks the server that the page has come from.
 *
 * @throws Error where it does not answer as expected
 */
export async function loadSettings(): Promise<Settings> {
  const response = await fetch('/graphiql/settings.json');
  if (!response.ok) throw new Error(`The server answers ${response.status}.`);
  return await response.json();
}
