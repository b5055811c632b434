import { readFile } from 'node:fs/promises';
import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { PROJECT } from '../support/process.ts';

const read = (file: string) => readFile(`${PROJECT}${file}`, 'utf8');

describe('schema.graphql', () => {
  it('is valid with docs/federation.graphql for a tool that does not know federation', async () => {
    const [schema, directives] = await Promise.all(['schema.graphql', 'docs/federation.graphql'].map(read));
    expect(() => buildSchema(`${schema}`)).toThrow('Unknown directive "@link".');
    expect(buildSchema(`${schema}${directives}`).getType('Asset')).toBeDefined();
  });
});
