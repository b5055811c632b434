import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../src/core/error-codes.ts';
import { blocksOf } from '../support/doc-blocks.ts';

/** The scripts, settings and test files that a text names in backticks. */
function namedIn(text: string): { scripts: string[]; settings: string[]; tests: string[] } {
  const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);
  return {
    scripts: all(/`npm run (?:--silent )?([\w:]+)`/g),
    settings: all(/`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`/g),
    tests: all(/`(test\/[\w./-]+)`/g),
  };
}

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The settings, error codes, labels and enum values. */
const known = new Set([
  ...['src/config.ts', 'test/soak/run.ts', 'src/server/responses/json-errors.ts', 'src/rest/contract/labels.ts']
    .concat('ask/src/settings.ts', 'src/server/routes/graphql-route.ts', 'schema.graphql')
    .flatMap((file) => readFileSync(file, 'utf8').match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []),
  ...Object.keys(errorCodes),
  ...Object.values(ApolloServerErrorCode),
  // Settings of Node.js, OpenTelemetry and rover, and of the image.
  ...[
    'NODE_ENV',
    'NODE_EXTRA_CA_CERTS',
    'OTEL_SERVICE_NAME',
    'NODE_OPTIONS',
    'NODE_TLS_REJECT_UNAUTHORIZED',
    'APOLLO_KEY',
    'BASE_IMAGE',
  ],
]);
const pages = ['docs/security.md', 'docs/errors.md', 'docs/operations.md', 'docs/scaling.md', 'deploy/README.md'];

describe.each(pages)('%s', (path) => {
  it('names scripts, settings and tests that are there', () => {
    const named = namedIn(readFileSync(path, 'utf8'));
    for (const script of named.scripts) expect(scripts).toHaveProperty([script]);
    for (const file of named.tests) expect([file, existsSync(file)]).toEqual([file, true]);
    expect(named.settings.length).toBeGreaterThan(3);
    expect(named.settings.filter((name) => !known.has(name))).toEqual([]);
  });
});

it('README.md names the commands that start the demo and the tests, and .ci/run runs the tests by the same', () => {
  const commands = blocksOf('README.md').flatMap(({ language, code }) => (language === 'sh' ? [code.trim()] : []));
  expect(commands).toEqual(expect.arrayContaining(['npm ci && npm run demo', 'npm ci && npm test']));
  expect(readFileSync('.ci/run', 'utf8').split('\n')).toContain('(npm ci && npm test)');
});

const linking = ['*.md', 'docs/**/*.md', 'deploy/*.md', 'examples/*/*.md'].flatMap((pattern) => globSync(pattern));

describe.each(linking)('%s', (path) => {
  it('links to files and headings that are there', () => {
    const links = [...readFileSync(path, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const broken = links.filter(([, file = '', heading]) => {
      const target = file === '' ? path : join(dirname(path), file);
      return !existsSync(target) || (heading !== undefined && !headingsOf(target).includes(heading));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

/** The headings of a page, as GitHub names them in links. */
function headingsOf(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
