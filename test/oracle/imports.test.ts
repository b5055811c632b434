import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';

/** What makes random cases and sends them. It may import what tests may. */
const cases = /^random-|^(?:field|file|server)\.ts$|\.test\.ts$/;

const imports = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g;

describe('The oracle', () => {
  const files = globSync('test/oracle/*.ts').filter((file) => !cases.test(basename(file)));

  it('imports graphql-js and readers of Arrow and Parquet, and nothing of the code that it judges', () => {
    expect(files.length).toBeGreaterThan(10);
    const imported = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(imports)].map(([, from]) => from));
    const others = imported.filter(
      (from) => !/^(?:\.\/[\w-]+\.ts|graphql(?:\/.+)?|node:fs|node:zlib|apache-arrow|hyparquet)$/.test(from ?? ''),
    );
    expect(imported.length).toBeGreaterThan(30);
    expect(others).toEqual([]);
    expect(imported.filter((from) => /^\.\/(?:random-|field\.|file\.|server\.)/.test(from ?? ''))).toEqual([]);
  });
});
