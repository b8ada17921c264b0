import type { FastifyInstance } from 'fastify';
import fastJson from 'fast-json-stringify';

type Serialiser = (data: unknown) => string;

/**
 * Compiles the serialiser of an answer at its first use: a start pays for no route that nobody calls, which is most of what
 * a start would otherwise compute.
 */
export const serialiseLazily = (app: FastifyInstance): void => {
  app.setSerializerCompiler(({ schema }) => {
    let serialise: Serialiser | undefined;
    return (data: unknown) => (serialise ??= fastJson(schema as Parameters<typeof fastJson>[0]))(data);
  });
};
