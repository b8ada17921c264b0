import type { Json } from './plain-schema.ts';

interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

const toBlock = ({ lang, label, source }: CodeSample): string =>
  `**With ${label}**\n\n\`\`\`${lang.toLowerCase()}\n${source}\n\`\`\``;

const withSamples = (operation: Json): Json => {
  const samples = (operation['x-codeSamples'] ?? []) as CodeSample[];
  const described = operation.description === undefined ? [] : [operation.description as string];
  const description = [...described, ...samples.map(toBlock)].join('\n\n');
  return description === '' ? operation : { ...operation, description };
};

/**
 * The document as /docs/api shows it: Swagger UI shows descriptions and ignores `x-codeSamples`, so the samples are
 * copied into the descriptions. /openapi.json keeps them apart, because programs read it.
 */
export const withShownSamples = (document: Json): Json => {
  const paths = Object.entries(document.paths as Record<string, Json>).map(([url, operations]) => [
    url,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, withSamples(operation as Json)]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
};
