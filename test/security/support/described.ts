/**
 * Checks answers against the OpenAPI document's description of their operation: status, headers, media type and body.
 */
import { publicOperations, type RouteContract } from '@berth/contract';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import type { Exchange } from './exchange.ts';

type Json = Record<string, any>;

/** What every answer has, of HTTP itself, or for the eyes of browsers alone. */
const UNDOCUMENTED =
  /^(content-(type|length|security-policy)|date|connection|keep-alive|transfer-encoding|vary|cache-control|set-cookie|strict-transport-security|referrer-policy|cross-origin-resource-policy|x-(content-type-options|frame-options))$/;

/** Of a request that reached no operation at all: its path has no such id, because there is none in it. */
const NO_OPERATION = ['route_not_found', 'method_not_allowed'];

const names = new Map(Object.entries(publicOperations).map(([name, route]) => [route, name]));

/** @param document of /openapi.json */
export const createDescription = (document: Json) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  const validators = new Map<string, ValidateFunction>();
  const resolve = (part: Json): Json =>
    typeof part.$ref === 'string'
      ? part.$ref
          .slice(2)
          .split('/')
          .reduce<Json>((at, key) => at[key] as Json, document)
      : part;
  const getValidator = (schema: Json): ValidateFunction => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    const validate = validators.get(text) ?? ajv.compile(JSON.parse(text) as object);
    validators.set(text, validate);
    return validate;
  };

  const listHeaderFlaws = (documented: Json, sent: Exchange['headers']): string[] => {
    const described = new Map(
      Object.entries(documented).map(([name, header]) => [name.toLowerCase(), resolve(header as Json)]),
    );
    const undocumented = Object.keys(sent).filter((name) => !UNDOCUMENTED.test(name) && !described.has(name));
    const wrong = [...described].filter(([name, { required, schema }]) => {
      const value = sent[name];
      if (value === undefined) return required === true;
      const isNumber = (schema as Json).type === 'integer';
      return !getValidator(schema as Json)(isNumber ? Number(value) : value);
    });
    return [
      ...undocumented.map((name) => `undocumented header ${name}`),
      ...wrong.map(([name]) => `wrong header ${name}`),
    ];
  };

  const listBodyFlaws = (content: Json | undefined, { headers, bytes }: Exchange): string[] => {
    if (content === undefined) return bytes.length === 0 ? [] : ['undocumented body'];
    const type = String(headers['content-type']).split(';')[0]!;
    const documented = (content[type] ?? content['*/*']) as Json | undefined;
    if (!documented) return [`undocumented media type ${type}`];
    if (type !== 'application/json') return [];
    const validate = getValidator(documented.schema as Json);
    return validate(JSON.parse(bytes.toString())) ? [] : [`body: ${ajv.errorsText(validate.errors)}`];
  };

  /** Parts of the answer that the document does not describe. */
  return (route: RouteContract, answer: Exchange): string[] => {
    const name = names.get(route);
    if (name === undefined || NO_OPERATION.includes(String(answer.headers['x-error-code']))) return [];
    const path = document.paths[route.url.replace(/:(\w+)/g, '{$1}')] as Json;
    const documented = (path[route.method.toLowerCase()] as Json).responses[answer.status] as Json | undefined;
    if (!documented)
      return [`${name}: undocumented status ${answer.status} (${String(answer.headers['x-error-code'])})`];
    const response = resolve(documented);
    const flaws = [
      ...listHeaderFlaws((response.headers ?? {}) as Json, answer.headers),
      ...listBodyFlaws(response.content as Json | undefined, answer),
    ];
    return flaws.map((flaw) => `${name} ${answer.status}: ${flaw}`);
  };
};

/** Fails for an answer that the document does not describe. */
export const expectDescribed = (
  listFlaws: ReturnType<typeof createDescription>,
  route: RouteContract,
  answer: Exchange,
): void => expect(listFlaws(route, answer)).toEqual([]);
