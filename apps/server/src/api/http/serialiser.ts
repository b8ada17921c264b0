import fastJson from 'fast-json-stringify';
import type { FastifyInstance } from 'fastify';

type Serialiser = (data: unknown) => string;

/**
 * A serialiser that is compiled at its first use: a start pays for no route that is not called, which is most of what a
 * start would otherwise compute.
 */
export const compileSerialiser = (schema: unknown): Serialiser => {
  let serialise: Serialiser | undefined;
  return (data) => (serialise ??= fastJson(schema as Parameters<typeof fastJson>[0]))(data);
};

export const serialiseLazily = (app: FastifyInstance): void => {
  app.setSerializerCompiler(({ schema }) => compileSerialiser(schema));
};
