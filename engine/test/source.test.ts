import { globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/** What the source of the engine must not have, so that anybody may use it, and many readers may work at once. */

const FOLDER = 'engine';

interface Source {
  readonly file: string;
  readonly text: string;
  /** Without comments, and without what is in strings. */
  readonly code: string;
}

/** Comments, strings, templates and regular expressions. */
const TOKENS =
  /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|(?<=[(=,:] )\/(?![*/])(?:\\.|[^/\\\n])+\/\w*/g;

const withoutTexts = (text: string) =>
  text.replace(TOKENS, (token) => (token.startsWith('/*') || token.startsWith('//') ? '' : "''"));

const sources: readonly Source[] = globSync([`${FOLDER}/*.ts`, `${FOLDER}/fields/*.ts`])
  .filter((file) => !file.endsWith('vitest.config.ts'))
  .map((file) => {
    const text = readFileSync(file, 'utf8');
    return { file: relative(FOLDER, file), text, code: withoutTexts(text) };
  });

/** The lines of files that have something, as `file: line`. */
const linesWith = (pattern: RegExp, files = sources) =>
  files.flatMap(({ file, code }) =>
    code.split('\n').flatMap((line) => (pattern.test(line) ? [`${file}: ${line.trim()}`] : [])),
  );

const isDrive = ({ file }: Source) => file === 'drive.ts';
const others = sources.filter((source) => !isDrive(source));

describe('The source of the engine', () => {
  it('is all of it', () => {
    expect(sources.map(({ file }) => file)).toEqual(expect.arrayContaining(['index.ts', 'drive.ts', 'fields/rows.ts']));
  });

  it('waits and generates in drive.ts alone', () => {
    const waits = /\b(?:async|await|Promise|then|yield|setTimeout|setInterval|setImmediate|queueMicrotask|nextTick)\b/;
    const generates = /\bfunction\s*\*|^\s*(?:static |async )*\*\s*[\w#[]/;
    expect(linesWith(waits, others)).toEqual([]);
    expect(linesWith(generates, others)).toEqual([]);
    expect(linesWith(waits, sources.filter(isDrive)).length).toBeGreaterThan(0);
  });

  it('has no state of modules', () => {
    expect(linesWith(/^(?:export )?(?:let|var)\b/)).toEqual([]);
    expect(linesWith(/^(?:export )?const \w+ = new (?:Weak)?(?:Map|Set)\b/)).toEqual([]);
    expect(linesWith(/^(?:export )?const \w+(?:: (?!Readonly)[^=]+)? = (?:\[\]|\{\}|new Array\b)/)).toEqual([]);
    const changes = sources.flatMap((source) => {
      const constants = Array.from(source.code.matchAll(/^(?:export )?const (\w+)/gm), ([, name]) => name);
      const methods = 'push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear|write\\w*';
      const change = `(?:\\.(?:${methods})\\(|(?:\\.\\w+|\\[[^\\]]*\\])* (?:[-+*/|&^]|\\*\\*|<<|>>)?= )`;
      return constants.flatMap((name) => linesWith(new RegExp(`^\\s+.*(?<![\\w.#?])${name}\\b${change}`), [source]));
    });
    expect(changes.filter((line) => !/\b(?:const|let) \w+ = /.test(line))).toEqual([]);
  });

  it('has a face of at most 15 names, in which the types of a module are one, or belong to its values', () => {
    const { code, text } = sources.find(({ file }) => file === 'index.ts') as Source;
    const values = Array.from(code.matchAll(/^export (?:class|const|function) (\w+)/gm), ([, name]) => name);
    let modulesOfTypes = 0;
    for (const [, isType, names = ''] of text.matchAll(/^export (type )?\{([^}]*)\} from /gm)) {
      const all = names.split(',').map((name) => name.trim());
      const ofValues = isType === undefined ? all.filter((name) => name !== '' && !name.startsWith('type ')) : [];
      values.push(...ofValues);
      if (ofValues.length === 0) modulesOfTypes += 1;
    }
    expect(values).toEqual(expect.arrayContaining(['open', 'drive', 'Selection', 'BodyError']));
    expect(values.length + modulesOfTypes).toBeLessThanOrEqual(15);
  });
});
