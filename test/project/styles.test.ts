import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tokens } from '../../explorer/src/tokens.ts';

const files = [...globSync('explorer/page/**/*.css'), 'explorer/server/explorer-pages.ts'];

/** What is found in the style sheets, and in a text. */
const foundIn = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([all, name]) => name ?? all);
const found = (pattern: RegExp) => files.flatMap((file) => foundIn(readFileSync(file, 'utf8'), pattern));

describe('The style sheets of the pages', () => {
  it('have the sizes of type, the spaces, the corners and the colours of the tokens, and no others', () => {
    // One or two pixels are a border, or the space for an outline.
    const size = /(?<![\w-])(?:font-size|gap|padding[a-z-]*|margin[a-z-]*|border-radius):[^;}]*?(?:[\d.]rem|[3-9]px)/g;
    const colour = /(?<![\w-])[a-z-]+:[^;{}]*?(?:#[\da-f]{3,8}\b|rgba?\(|hsl)/g;
    expect(files.length).toBeGreaterThan(8);
    expect([...found(size), ...found(colour)]).toEqual([]);
  });

  it('use each token, and none that is not defined', () => {
    const defined = foundIn(tokens, /(--[\w-]+):/g);
    const used = new Set(found(/var\((--[\w-]+)/g));
    // The map's style sheet defines its height itself.
    expect([...used].toSorted()).toEqual([...defined, '--map-height'].toSorted());
  });
});
