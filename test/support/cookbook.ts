import { readFileSync } from 'node:fs';
import { type Block, blocksOf } from './doc-blocks.ts';
import { PROJECT } from './process.ts';

/**
 * A recipe of the cookbook: an operation with variables, the response below them, the REST calls below that, and the file that a
 * link in the response opens, if there is one.
 */
export interface Recipe {
  readonly heading: string;
  readonly document: string;
  /** The operation that the recipe shows without the comment before it, or links to. Undefined if it is none of `operations/`. */
  readonly operation: string | undefined;
  readonly variables: Record<string, unknown>;
  readonly response: unknown;
  readonly calls: readonly string[];
  readonly file: string | undefined;
}

/** The text of an operation of `operations/`. */
export function operationText(name: string): string {
  return readFileSync(`${PROJECT}operations/${name}.graphql`, 'utf8');
}

/** The text of an operation as the cookbook shows it: without the comment before it. */
export function shownText(name: string): string {
  return operationText(name).replace(/^(?:# .*\n)+/, '');
}

/** The recipes of `docs/cookbook.md`, in their order. */
export function readRecipes(): Recipe[] {
  const blocks = blocksOf('docs/cookbook.md');
  const starts = blocks.flatMap(({ before }, index) => (/^## /m.test(before) ? [index] : []));
  return starts.map((start, index) => recipeOf(blocks.slice(start, starts[index + 1])));
}

/** The recipe of the blocks below one heading. Sections without blocks may come before it. */
function recipeOf([first, ...others]: Block[]): Recipe {
  const before = (first?.before ?? '').split(/^(?=## )/m).at(-1) ?? '';
  const shown = first?.language === 'graphql' ? first.code : undefined;
  const [variables, response, calls, file, ...rest] = shown === undefined ? [first, ...others] : others;
  const heading = /^## (.*)$/m.exec(before)?.[1] ?? '';
  const isFile = file === undefined || file.language === 'csv';
  const isUsual = variables?.label === 'variables' && response?.language === 'json' && calls?.language === 'text';
  if (!isUsual || !isFile || rest[0]) {
    throw new Error(`The blocks of "${heading}" are not an operation, variables, a response, REST calls and a file.`);
  }
  const [, linked] = /\]\(\.\.\/operations\/(\w+)\.graphql\)/.exec(before) ?? [];
  const operation = shown === undefined ? linked : /^query (\w+)/.exec(shown)?.[1];
  return {
    heading,
    document: shown ?? shownText(linked ?? ''),
    operation,
    variables: JSON.parse(variables.code),
    response: JSON.parse(response.code),
    calls: calls.code.trim().split('\n'),
    file: file?.code,
  };
}
