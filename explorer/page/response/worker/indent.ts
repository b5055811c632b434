/** A list or an object that is shorter, and has no other in it, stays on one line. The number of characters. */
const MAX_SHORT = 100;

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
      const end = endOfShort(json, at);
      if (end !== undefined) {
        parts.push(json.slice(from, at), onOneLine(json.slice(at, end + 1)));
        from = end + 1;
        at = end;
      } else {
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

/** The offset of the bracket that ends a short list or object without others in it; undefined for any other. */
function endOfShort(json: string, start: number): number | undefined {
  for (let at = start + 1; at < json.length && at < start + MAX_SHORT; at++) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at);
    else if (character === '}' || character === ']') return at < start + MAX_SHORT ? at : undefined;
    else if (character === '{' || character === '[') return undefined;
  }
  return undefined;
}

/** A list or an object with a space after each comma and colon, and no other space between its tokens. */
function onOneLine(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|\s+|[,:]/g, (token) => {
    if (token === ',' || token === ':') return `${token} `;
    return token.startsWith('"') ? token : '';
  });
}

/** The offset of the quote that ends the string which starts here. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === '\\') at++;
    else if (json[at] === '"') return at;
  }
  return json.length;
}
