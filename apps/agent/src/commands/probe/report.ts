import { toPlainText } from '@berth/command';
import type { ProbeAccount } from './account.ts';
import type { Finding, Point } from './point.ts';

/** What is sent back. */
export interface ProbeReport {
  version: 1;
  berth: string;
  platform: string;
  build: number | null;
  wine: string;
  isolation: string;
  at: string;
  points: { id: string; title: string; tried: string; outcome: Finding['outcome']; seen: string[] }[];
}

const MAX_SEEN = 20;

/**
 * Removes everything that identifies the account: its own words, addresses, and names after the installation's path.
 * Pure.
 */
export const createRedaction = (account: ProbeAccount | undefined): ((text: string) => string) => {
  const secrets = account ? [account.password, account.server, account.login] : [];
  const host = account?.server.split(':')[0];
  const words: [string, string][] = secrets.map((text, index) => [
    text,
    ['<password>', '<server>', '<login>'][index] ?? '',
  ]);
  if (host !== undefined) words.push([host, '<server>']);
  return (text) => {
    let clean = text;
    for (const [word, mark] of words) if (word.length > 0) clean = clean.replaceAll(word, mark);
    clean = clean.replaceAll(/\b\d{1,3}(\.\d{1,3}){3}(:\d{1,5})?\b/g, '<address>').replaceAll(/'\d{2,}'/g, "'<login>'");
    return toPlainText(clean, 300);
  };
};

/** One point of the report. Pure. */
export const toReportPoint = (
  { id, title, tried }: Point,
  { outcome, seen }: Finding,
  redact: (text: string) => string,
): ProbeReport['points'][number] => ({ id, title, tried, outcome, seen: seen.slice(0, MAX_SEEN).map(redact) });

/** The report for people; what a terminal wrote is in code blocks, where Markdown in it has no effect. Pure. */
export const toMarkdown = ({ points, ...facts }: ProbeReport): string => {
  const head = Object.entries(facts).map(([name, value]) => `- ${name}: ${value ?? 'unknown'}`);
  const sections = points.map(({ id, title, tried, outcome, seen }) => {
    const block = seen.length === 0 ? [] : ['', '```', ...seen.map((line) => line.replaceAll('```', "'''")), '```'];
    return ['', `## ${title}: ${outcome}`, '', `\`${id}\` ${tried}`, ...block].join('\n');
  });
  return ['# What a terminal did under Berth', '', ...head, ...sections, ''].join('\n');
};
