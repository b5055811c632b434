/** The error labels of the REST specification, section 7, under their statuses. */
const labelsByStatus = {
  400: ['BAD_REQUEST', 'VALIDATION_EXCEPTION', 'EXCEPTION'],
  401: ['WRONG_CREDENTIALS'],
  403: ['UNAUTHORIZED', 'ACCESS_DENIED'],
  404: ['NOT_FOUND'],
  405: ['METHOD_NOT_ALLOWED'],
  409: ['DUPLICATE_ENTITY'],
  500: ['INTERNAL_SERVER_ERROR'],
} as const;

/** An error label of the REST specification, section 7. */
export type RestLabel = (typeof labelsByStatus)[keyof typeof labelsByStatus][number];

/** Where a label was found: in the body, or in the status if that has only one label. */
export type LabelSource = 'body' | 'status';

/** How much of an error body is searched for a label, in bytes. */
export const LABEL_SEARCH_BYTES = 65_536;

const MAX_DEPTH = 3;
const MAX_NODES = 200;

/**
 * Finds the label of an error response. Section 7 does not specify error bodies, so the label may be the whole text or a
 * string value of a JSON document. Only labels that are listed for the status count.
 *
 * @param body the beginning of the decoded body, at most `LABEL_SEARCH_BYTES` long
 * @returns the label and where it was found; both are null if there is none
 */
export function findLabel(
  status: number,
  body: Uint8Array,
): { label: RestLabel; labelSource: LabelSource } | { label: null; labelSource: null } {
  const listed: readonly RestLabel[] = labelsByStatus[status as keyof typeof labelsByStatus] ?? [];
  const text = new TextDecoder().decode(body).trim();
  const inBody = listed.find((label) => label === text) ?? firstJsonString(text, listed);
  if (inBody !== undefined) return { label: inBody, labelSource: 'body' };
  const [only, ...others] = listed;
  if (only !== undefined && others.length === 0) return { label: only, labelSource: 'status' };
  return { label: null, labelSource: null };
}

/** One JSON token (RFC 8259) after optional white space. The last group is a quoted string. */
const jsonToken = /[ \t\n\r]*(?:([{}[\]:,])|(true|false|null|-?\d[\d.eE+-]*)|("[^"\\]*(?:\\.[^"\\]*)*"))/y;

/**
 * The first string value in document order that is one of `wanted`. It reads tokens instead of parsing the document, because
 * the text may be truncated, and because a parsed object does not keep the order.
 */
function firstJsonString(text: string, wanted: readonly RestLabel[]): RestLabel | undefined {
  let depth = 0;
  let nodes = 0;
  let previous = '';
  const containers: string[] = [];
  jsonToken.lastIndex = 0;
  for (let match = jsonToken.exec(text); match !== null; match = jsonToken.exec(text)) {
    const [, punctuation, , string] = match;
    const isKey = string !== undefined && containers.at(-1) === '{' && previous !== ':';
    const isValue = punctuation === undefined ? !isKey : punctuation === '{' || punctuation === '[';
    if (isValue && depth <= MAX_DEPTH) {
      nodes += 1;
      if (nodes > MAX_NODES) return undefined;
      if (string !== undefined) {
        const found = wanted.find((label) => label === unquote(string));
        if (found !== undefined) return found;
      }
    }
    if (punctuation === '{' || punctuation === '[') {
      containers.push(punctuation);
      depth += 1;
    } else if (punctuation === '}' || punctuation === ']') {
      if (containers.pop() === undefined) return undefined;
      depth -= 1;
    }
    // The document ends with its first complete value.
    if (depth === 0 && punctuation !== ',' && punctuation !== ':') return undefined;
    previous = punctuation ?? '';
  }
  return undefined;
}

/** The text of a quoted JSON string; undefined if its escapes are invalid. */
function unquote(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}
