import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  buildSchema,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  parse,
  typeFromAST,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { toolNames } from '../../ask/src/mcp/mcp-tools.ts';
import { composeSupergraph } from '../../test/composition/composers.ts';
import { PROJECT } from '../../test/support/process.ts';
import { read, readYaml } from './files.ts';

/** The supergraph that rover composes of `deploy/supergraph.yaml`. */
function composedSchema(): GraphQLSchema {
  const file = 'deploy/supergraph.yaml';
  const { dataset } = readYaml(file).subgraphs;
  const typeDefs = parse(read(resolve('/', dirname(file), dataset.schema.file).slice(1)));
  return buildSchema(composeSupergraph([{ name: 'dataset', url: dataset.routing_url, typeDefs }]));
}

/** The scalars of the schema in an input type, at any depth. */
function scalarsIn(type: GraphQLNamedType | undefined): string[] {
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).flatMap((field) => scalarsIn(getNamedType(field.type)));
  }
  return isScalarType(type) && !isSpecifiedScalarType(type) ? [type.name] : [];
}

describe('deploy/mcp.yaml', () => {
  const config = readYaml('deploy/mcp.yaml');

  // Apollo MCP Server cannot be run here, and refuses options that its documentation does not have.
  it('forwards the token and nothing else, listens on the loopback host, and lets models run only its operations', () => {
    const off = { enabled: false };
    expect(config).toEqual({
      endpoint: 'http://router:4000/',
      transport: { type: 'streamable_http', address: '127.0.0.1', port: 8000 },
      schema: { source: 'local', path: 'supergraph.graphql' },
      operations: { source: 'local', paths: expect.any(Array) },
      custom_scalars: 'deploy/mcp-scalars.json',
      forward_headers: ['authorization'],
      introspection: { execute: off, introspect: off, search: off, validate: off },
      overrides: { mutation_mode: 'none' },
      health_check: { enabled: true },
    });
    expect(readYaml('deploy/router.yaml').supergraph.listen).toBe(`0.0.0.0:${new URL(config.endpoint).port}`);
  });

  it('has tools with a description, whose operations the supergraph accepts', () => {
    const schema = composedSchema();
    expect(config.operations.paths.length).toBeGreaterThan(4);
    for (const path of config.operations.paths) {
      const text = read(path);
      // The server takes the comment before the operation as the description of the tool.
      expect([path, /^# \S/.test(text)]).toEqual([path, true]);
      expect([path, validate(schema, parse(text))]).toEqual([path, []]);
    }
  });

  it('has the tools of dataset-subgraph mcp', () => {
    expect(config.operations.paths).toEqual(toolNames.map((name) => `operations/${name}.graphql`));
  });

  it('describes every scalar in the input of a tool', () => {
    const schema = composedSchema();
    expect(existsSync(`${PROJECT}${config.custom_scalars}`)).toBe(true);
    const described = JSON.parse(read(config.custom_scalars));
    const used = config.operations.paths.flatMap((path: string) =>
      parse(read(path)).definitions.flatMap((definition) =>
        definition.kind === Kind.OPERATION_DEFINITION
          ? (definition.variableDefinitions ?? []).flatMap(({ type }) => {
              const inner = typeFromAST(schema, type as never);
              return scalarsIn(inner && getNamedType(inner));
            })
          : [],
      ),
    );
    expect(Object.keys(described).toSorted()).toEqual([...new Set(used)].toSorted());
    for (const { type, description } of Object.values<Record<string, string>>(described)) {
      expect([type, description]).toEqual(['string', expect.any(String)]);
    }
  });
});
