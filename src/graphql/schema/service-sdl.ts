import { type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import type { OperationContext } from '../context.ts';
import { limitExceeded } from '../errors/errors.ts';

/** The most selections of the SDL in one operation, under all aliases. A router selects it once. */
const MAX_SDL_COPIES = 5;

/** The value of `_service` in the federation library. */
interface Service {
  readonly sdl: string;
}

/** The SDL of a subgraph schema, as routers read it by `_service`. The federation library prints it on each call. */
export function serviceSdl(schema: GraphQLSchema): string {
  const service = serviceField(schema).resolve?.(undefined, {}, undefined, undefined as never);
  return (service as Service).sdl;
}

/** Prints the SDL once, and limits its selections in one operation, because it has many kilobytes. */
export function limitServiceSdl(schema: GraphQLSchema): void {
  const service: Service = { sdl: serviceSdl(schema) };
  const copies = new WeakMap<OperationContext, number>();
  serviceField(schema).resolve = () => service;
  const type = schema.getType('_Service');
  const sdl = isObjectType(type) ? type.getFields().sdl : undefined;
  if (sdl === undefined) throw new Error('The schema has no SDL.');
  sdl.resolve = (_service, _args, context: OperationContext) => {
    const count = (copies.get(context) ?? 0) + 1;
    copies.set(context, count);
    if (count > MAX_SDL_COPIES) {
      throw limitExceeded(`The operation selects the SDL of the schema more than ${MAX_SDL_COPIES} times.`);
    }
    return service.sdl;
  };
}

function serviceField(schema: GraphQLSchema): GraphQLField<unknown, unknown> {
  const field = schema.getQueryType()?.getFields()._service;
  if (field === undefined) throw new Error('The schema has no _service.');
  return field;
}
