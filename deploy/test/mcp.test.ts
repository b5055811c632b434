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
import { composeSupergraph } from '../../test/composition/composers.ts';
import { PROJECT } from '../../test/support/process.ts';
import { read, readYaml } from './files.ts';

/*
 * Apollo MCP Server cannot be run here. It refuses unknown options (since 1.7), so the test compares the file with the options
 * of Apollo's documentation: https://www.apollographql.com/docs/apollo-mcp-server/config-file
 */
const options: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...['cors', 'custom_scalars', 'endpoint', 'forward_headers', 'graphos', 'headers', 'health_check', 'introspection'],
    ...['logging', 'operations', 'overrides', 'schema', 'server_info', 'telemetry', 'transport'],
  ],
  transport: ['type', 'address', 'port', 'stateful_mode', 'host_validation', 'auth'],
  schema: ['source', 'path'],
  operations: ['source', 'paths'],
  introspection: ['execute', 'introspect', 'search', 'validate'],
  'introspection.execute': ['enabled', 'hint'],
  'introspection.introspect': ['enabled', 'minify', 'hint'],
  'introspection.search': ['enabled', 'index_memory_bytes', 'leaf_depth', 'minify', 'hint'],
  'introspection.validate': ['enabled', 'hint'],
  overrides: [
    ...['disable_type_description', 'disable_schema_description', 'enable_output_schema', 'enable_explorer'],
    ...['mutation_mode', 'descriptions', 'required_scopes'],
  ],
  health_check: ['enabled', 'path', 'readiness'],
};

/** The options of a configuration that are none of Apollo's documentation. */
function unknownOptions(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const full = path === '' ? name : `${path}.${name}`;
    return options[path]?.includes(name) ? unknownOptions(part, full) : [full];
  });
}

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

  it('has only options of Apollo’s documentation', () => {
    expect(unknownOptions(config)).toEqual([]);
    expect(unknownOptions({ auth: {}, transport: { url: '' }, introspection: { execute: { on: true } } })).toEqual([
      'auth',
      'transport.url',
      'introspection.execute.on',
    ]);
  });

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
  });

  it('asks the router where deploy/router.yaml has it listen', () => {
    const { port } = new URL(config.endpoint);
    expect(readYaml('deploy/router.yaml').supergraph.listen).toBe(`0.0.0.0:${port}`);
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

  it('has tools whose results are small: newest values and months', () => {
    const tools = ['operations/LatestValues.graphql', 'operations/Periods.graphql'];
    expect(config.operations.paths).toEqual(expect.arrayContaining(tools));
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

  it('warns that it passes tokens through, as its documentation does', () => {
    expect(read('deploy/mcp.yaml')).toMatch(
      /^# WARNING: forward_headers passes the client's token through, unchecked,/m,
    );
    expect(read('docs/web-clients.md')).toContain('passes tokens through');
  });
});
