import fastJson from 'fast-json-stringify';
import type { FastifyInstance } from 'fastify';

type Serialiser = (data: unknown) => string;

/**
 * A serialiser that is compiled on first use: the server's start does not pay for routes that are not called, which
 * would otherwise be most of its work.
 */
export const compileSerialiser = (schema: unknown): Serialiser => {
  let serialise: Serialiser | undefined;
  return (data) => (serialise ??= fastJson(schema as Parameters<typeof fastJson>[0]))(data);
};

export const serialiseLazily = (app: FastifyInstance): void => {
  app.setSerializerCompiler(({ schema }) => compileSerialiser(schema));
};
