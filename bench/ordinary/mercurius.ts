// The same schema served by Mercurius with its JIT, as its documentation teaches.
import { fastify } from 'fastify';
import mercurius from 'mercurius';
import { CompiledDatasetsAPI } from './compiled-api.ts';
import { schema } from './schema.ts';

const app = fastify();
app.register(mercurius, {
  schema,
  jit: 1,
  context: ({ headers }) => ({ dataSources: { datasetsAPI: new CompiledDatasetsAPI(headers.authorization ?? '') } }),
});

const url = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 4001) });
console.log(`Server ready at ${url}/graphql`);
