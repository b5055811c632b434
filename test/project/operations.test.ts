import { globSync } from 'node:fs';
import { basename } from 'node:path';
import {
  buildASTSchema,
  Kind,
  NoDeprecatedCustomRule,
  type OperationDefinitionNode,
  parse,
  print,
  specifiedRules,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { readTypeDefs } from '../../src/graphql/schema/executable-schema.ts';
import { operationText, readRecipes, shownText } from '../support/cookbook.ts';
import { start } from '../support/harness.ts';
import { PROJECT } from '../support/process.ts';

/** `schema.graphql`. graphql-js does not know the directives of federation. */
const schema = buildASTSchema(readTypeDefs(), { assumeValidSDL: true });

const names = globSync('operations/*').map((path) => basename(path, '.graphql'));

/** The documents that the typed client sends, each by its operation. */
async function clientDocuments(): Promise<Record<string, string>> {
  const generated = await import(`${PROJECT}examples/typed-client/src/generated/graphql.ts`);
  const documents = Object.entries<never>(generated).filter(([name]) => name.endsWith('Document'));
  return Object.fromEntries(documents.map(([name, document]) => [name.replace(/Document$/, ''), print(document)]));
}

/** The texts that GraphiQL gets: those of its tabs, and those that its page writes. */
async function explorerTexts(): Promise<string[]> {
  const { http } = await start({ env: { EXPLORER: 'graphiql' } });
  const { body } = await http('/graphiql/settings.json');
  return [...body.examples.map(({ query }: { query: string }) => query), ...Object.values(body.operations)];
}

/** The name of the operation in a text. */
function nameOf(text: string): string {
  return /^query (\w+)/m.exec(text)?.[1] ?? '';
}

describe('operations/', () => {
  it.each(names)('%s is one operation with this name, a comment before it, and no deprecated field', (name) => {
    const text = operationText(name);
    expect(text).toMatch(/^(?:# \S.*\n)+query /);
    expect(text).toMatch(/[^\n]\n$/);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
    const document = parse(text);
    const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    expect(operations.map((operation) => (operation as OperationDefinitionNode).name?.value)).toEqual([name]);
    expect(validate(schema, document, [...specifiedRules, NoDeprecatedCustomRule])).toEqual([]);
  });

  it('are all shown in the cookbook or used by the typed client', async () => {
    const shown = readRecipes().map(({ operation }) => operation);
    const used = Object.keys(await clientDocuments());
    expect(names.filter((name) => !shown.includes(name) && !used.includes(name))).toEqual([]);
  });
});

describe('The texts of operations/ are', () => {
  it('those of the cookbook, but the query that only routers write', () => {
    const recipes = readRecipes();
    const own = recipes.filter(({ operation }) => operation === undefined);
    expect(own.map(({ heading }) => heading)).toEqual(['Entities for a router']);
    for (const { operation, document } of recipes) {
      if (operation !== undefined) expect(document).toBe(shownText(operation));
    }
  });

  it('those of GraphiQL’s tabs, and those that the pages send', async () => {
    const texts = await explorerTexts();
    expect(texts.length).toBeGreaterThan(15);
    for (const text of texts) expect(`${text}\n`).toBe(operationText(nameOf(text)));
  });

  it('those of Sandbox', async () => {
    const { http } = await start({ env: { EXPLORER: 'sandbox' } });
    const { text } = await http('/graphql', { headers: { accept: 'text/html' } });
    const [, config = ''] = /embeddedSandboxConfig = (.*);\n/.exec(text) ?? [];
    const { document } = JSON.parse(config).initialState;
    expect(`${document}\n`).toBe(
      (await explorerTexts())
        .slice(0, 8)
        .map((each) => operationText(nameOf(each)))
        .join('\n'),
    );
  });

  it('those of the typed client', async () => {
    const documents = await clientDocuments();
    expect(Object.keys(documents)).toHaveLength(5);
    for (const [name, document] of Object.entries(documents)) {
      expect(document).toBe(print(parse(operationText(name))));
    }
  });
});
