import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { readTypeDefs } from '../../src/graphql/schema/executable-schema.ts';
import { type ComposerName, compositions, hasWholeInput } from '../supergraph/neighbours/compositions.ts';
import { composers } from './composers.ts';

const ours = { name: 'dataset', url: 'https://dataset.example/graphql', typeDefs: readTypeDefs() };

const names = {
  '@apollo/composition': 'Apollo',
  '@theguild/federation-composition': 'Guild',
  '@wundergraph/composition': 'WunderGraph',
} as const satisfies Record<string, ComposerName>;

describe.each(Object.entries(names))('Neighbours composed by %s', (composer, name) => {
  it.each(compositions)('$title', ({ neighbours, refusedBy, reason, losesField = false }) => {
    const others = neighbours.map(({ name, sdl }) => ({
      name,
      url: `https://${name}.example/graphql`,
      typeDefs: parse(sdl),
    }));
    const { errors, schema } = composers[composer]?.([ours, ...others]) ?? expect.unreachable();
    const isRefused = refusedBy.includes(name);
    expect([errors, hasWholeInput(schema)]).toEqual([
      isRefused ? [expect.stringMatching(reason ?? /^$/)] : [],
      !isRefused && !losesField,
    ]);
  });
});
