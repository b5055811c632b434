import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../src/core/error-codes.ts';
import { blocksOf } from '../support/doc-blocks.ts';

/** The scripts, settings and files of the project that a text names in backticks. */
function namedIn(text: string): { scripts: string[]; settings: string[]; files: string[] } {
  const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);
  return {
    scripts: all(/`npm run (?:--silent )?([\w:]+)`/g),
    settings: [...all(/`([A-Z]+(?:_[A-Z]+)+)`/g), ...all(/\b([A-Z]+(?:_[A-Z]+)+)=/g)],
    files: all(/`((?:\.ci|deploy|engine|explorer|files|operations|src|test)\/[\w./-]*)`/g),
  };
}

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The settings, error codes, labels and enum values. */
const known = new Set([
  ...['src/config.ts', 'test/soak/run.ts', 'src/server/responses/json-errors.ts', 'src/rest/contract/labels.ts']
    .concat('ask/src/settings.ts', 'src/server/routes/graphql-route.ts', 'schema.graphql', 'package.json')
    .concat('test/files/python.ts', 'examples/typed-client/src/endpoint.ts')
    .flatMap((file) => readFileSync(file, 'utf8').match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []),
  ...Object.keys(errorCodes),
  ...Object.values(ApolloServerErrorCode),
  // Settings of Node.js, OpenTelemetry and rover, and of the image; codes of gateways and of GraphOS.
  ...[
    'NODE_ENV',
    'NODE_EXTRA_CA_CERTS',
    'OTEL_SERVICE_NAME',
    'NODE_OPTIONS',
    'NODE_TLS_REJECT_UNAUTHORIZED',
    'APOLLO_KEY',
    'BASE_IMAGE',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_RESOURCE_ATTRIBUTES',
    'SUBGRAPH_REQUEST_ERROR',
    'TAG_DIRECTIVE_USES_UNKNOWN_NAME',
  ],
]);
const pages = globSync(['*.md', 'docs/*.md', 'deploy/README.md', 'test/oracle/README.md'], {
  exclude: ['CHANGELOG.md'],
});

it('The pages name settings', () => {
  expect(pages.flatMap((page) => namedIn(readFileSync(page, 'utf8')).settings).length).toBeGreaterThan(300);
});

describe.each(pages)('%s', (path) => {
  it('names scripts, settings and files that are there', () => {
    const named = namedIn(readFileSync(path, 'utf8'));
    for (const script of named.scripts) expect(scripts).toHaveProperty([script]);
    expect(named.files.filter((file) => !existsSync(file))).toEqual([]);
    expect(named.settings.filter((name) => !known.has(name))).toEqual([]);
  });
});

it('README.md names the commands that start the demo and the tests, and .ci/run runs the tests by the same', () => {
  const commands = blocksOf('README.md').flatMap(({ language, code }) => (language === 'sh' ? [code.trim()] : []));
  expect(commands).toEqual(expect.arrayContaining(['npm ci && npm run demo', 'npm ci && npm test']));
  expect(readFileSync('.ci/run', 'utf8').split('\n')).toContain('(npm ci && npm test)');
});

const linking = globSync([
  '*.md',
  'docs/**/*.md',
  '{ask,deploy,engine,explorer,simulator,test/oracle,examples/*}/*.md',
]);

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
