import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { readTypeDefs } from '../../src/graphql/schema/executable-schema.ts';
import { blocksOf } from '../support/doc-blocks.ts';
import { composers } from './composers.ts';

describe('README', () => {
  const [, otherSubgraph] = blocksOf('README.md').filter(({ language }) => language === 'graphql');

  it.each(Object.entries(composers))('shows another subgraph that composes with this one by %s', (_, compose) => {
    const subgraphs = [
      { name: 'dataset', url: '', typeDefs: readTypeDefs() },
      { name: 'other', url: '', typeDefs: parse(otherSubgraph?.code ?? '') },
    ];
    expect(compose(subgraphs)).toEqual({ errors: [], hints: [] });
  });
});
