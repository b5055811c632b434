/** The text of a tab of GraphiQL. */
export interface TabText {
  readonly query: string;
  /** JSON. */
  readonly variables: string;
}

/** Variables as formatted JSON for the editor. */
export function variablesText(variables: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(variables, null, 2);
}
