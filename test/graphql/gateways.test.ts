import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { habitsTable } from '../supergraph/gateways/gateways.ts';

describe('docs/gateways.md', () => {
  const document = readFileSync('docs/gateways.md', 'utf8');

  it('shows in what gateways differ, as the tests of the supergraph know it', () => {
    expect(document).toContain(`\n${habitsTable()}\n`);
  });

  it('shows the settings that the tests use, and the versions', () => {
    expect(document).toContain(`\`\`\`ts\n${readFileSync('test/supergraph/programs/hive.config.ts', 'utf8')}\`\`\``);
    const packages = JSON.parse(readFileSync('test/supergraph/programs/package.json', 'utf8'));
    const { graphql: _, ...versions } = { ...packages.dependencies, ...packages.optionalDependencies };
    for (const [name, version] of Object.entries(versions)) expect(document).toContain(`\`${name}\` ${version}`);
  });
});
