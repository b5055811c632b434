import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { readTypeDefs } from '../src/graphql/schema.ts';
import { demoDatasetIds, loadDemoData } from '../src/simulator/demo-data.ts';
import { composers } from './composers.ts';
import { blocksOf } from './doc-blocks.ts';
import { start } from './harness.ts';

const readme = readFileSync('README.md', 'utf8');

/** The code blocks of one language, in their order. */
function blocks(language: string): string[] {
  return blocksOf('README.md').flatMap((block) => (block.language === language ? [block.code] : []));
}

describe('README', () => {
  const [exampleQuery = '', otherSubgraph = ''] = blocks('graphql');
  const [exampleAnswer = '', exampleError = ''] = blocks('json');

  it('shows a query with its true answer and its number of REST calls', async () => {
    const { query, calls } = await start(await loadDemoData());
    const { body } = await query(exampleQuery, { token: 'demo-token', variables: { id: demoDatasetIds.weather } });
    expect(body).toEqual(JSON.parse(exampleAnswer));
    expect(calls()).toHaveLength(2);
  });

  it('shows an error as it is', async () => {
    const { query } = await start(await loadDemoData());
    const { body } = await query('{ dataset(id: "nowhere") { name } }', {
      token: 'demo-token',
      headers: { 'x-request-id': 'f6a0c1de' },
    });
    const { locations: _, ...error } = body.errors[0];
    expect(error).toEqual(JSON.parse(exampleError));
  });

  it.each(Object.entries(composers))('shows another subgraph that composes with this one by %s', (_, compose) => {
    const subgraphs = [
      { name: 'dataset', url: '', typeDefs: readTypeDefs() },
      { name: 'other', url: '', typeDefs: parse(otherSubgraph) },
    ];
    expect(compose(subgraphs)).toEqual({ errors: [], hints: [] });
  });

  it('lists every setting and every error code', () => {
    const listed = (source: string, pattern: RegExp) => new Set([...source.matchAll(pattern)].map(([, name]) => name));
    const settings = listed(readFileSync('src/config.ts', 'utf8'), /^ {2}([A-Z_]+): /gm);
    const rows = readme.split('\n').filter((line) => line.startsWith('| `'));
    const named = new Set(
      rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name)),
    );
    const codes = listed(readFileSync('src/graphql/errors.ts', 'utf8'), /^ {2}\| '([A-Z_]+)'/gm);
    expect(named).toEqual(new Set([...settings, ...codes]));
  });
});
