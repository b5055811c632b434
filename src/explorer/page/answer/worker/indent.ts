/**
 * JSON with line breaks and indentation. Only white space between tokens changes: every number and every string stays as it
 * is. Text that is not JSON stays readable, but has no meaning.
 */
export function indent(json: string): string {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  const breakLine = (at: number) => {
    parts.push(json.slice(from, at), '\n', '  '.repeat(depth));
  };
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at);
    else if (character === ':') {
      parts.push(json.slice(from, at), ': ');
      from = at + 1;
    } else if (character === ',') {
      breakLine(at + 1);
      from = at + 1;
    } else if (character === '{' || character === '[') {
      const next = afterSpace(json, at + 1);
      // An empty list or object stays on its line.
      if (json[next] === '}' || json[next] === ']') at = next;
      else {
        depth++;
        breakLine(at + 1);
        from = at + 1;
      }
    } else if (character === '}' || character === ']') {
      depth = Math.max(0, depth - 1);
      breakLine(at);
      from = at;
    } else if (isSpace(character)) {
      parts.push(json.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(json.slice(from));
  return parts.join('');
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}

function afterSpace(json: string, from: number): number {
  let at = from;
  while (isSpace(json[at])) at++;
  return at;
}

/** The offset of the quote that ends the string which starts here. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === '\\') at++;
    else if (json[at] === '"') return at;
  }
  return json.length;
}
