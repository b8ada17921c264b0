import { Link } from '@tanstack/react-router';
import { Sheet } from '../../parts/surfaces.tsx';
import { StatusMark, type Tone } from '../../parts/status-mark.tsx';
import { Table } from '../../parts/table.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { toPlatformName, type Account, type Choices } from './accounts.ts';
import type { Verdict } from './import-data.ts';

const words = pageTexts.imports;
const { heads } = words;

/** An account with what the browser and the server say of it. */
export interface Line extends Account {
  warnings: readonly string[];
  isChecked: boolean;
  terminalId: string | null;
}

export const toLine = (account: Account, verdict: Verdict | undefined): Line => ({
  ...account,
  errors: account.errors.length > 0 ? account.errors : (verdict?.errors ?? []),
  warnings: verdict?.warnings ?? [],
  isChecked: verdict !== undefined,
  terminalId: verdict?.terminalId ?? null,
});

/** Those with errors first, then those with warnings. */
const toRank = ({ errors, warnings }: Line): number => (errors.length > 0 ? 0 : warnings.length > 0 ? 1 : 2);

const toState = ({ errors, warnings, isChecked, terminalId }: Line): { tone: Tone; text: string } => {
  if (errors.length > 0) return { tone: 'bad', text: errors.join(' ') };
  if (terminalId !== null) return { tone: 'good', text: [words.created, ...warnings].join('. ') };
  if (warnings.length > 0) return { tone: 'cut', text: warnings.join(' ') };
  return isChecked ? { tone: 'good', text: words.ready } : { tone: 'rest', text: words.notChecked };
};

const Row = ({ line, regions, projects }: { line: Line } & Choices) => {
  const { item, terminalId } = line;
  const { tone, text } = toState(line);
  const name = item.name ?? item.login;
  const address: string = `/terminals/${terminalId ?? ''}`;
  const place = [
    regions.find(({ id }) => id === item.region)?.label,
    toPlatformName(item.platform),
    projects.find(({ id }) => id === item.project_id)?.name,
    ...(item.tags ?? []),
  ];
  return (
    <tr>
      <td data-card="end" className="num">
        {line.line}
      </td>
      <td data-card="name" className="wide">
        <span className="row-name">
          <b>{terminalId === null ? <bdi>{name}</bdi> : <Link to={address}>{name}</Link>}</b>
          {item.login === name ? null : (
            <small>
              <bdi>{item.login}</bdi>
            </small>
          )}
        </span>
      </td>
      <td data-card="below">
        <bdi className="clip">{item.server_name}</bdi>
      </td>
      <td data-card="below">{place.filter((part) => part !== undefined).join(' · ')}</td>
      <td data-card="below" className="import-result">
        <StatusMark tone={tone}>{text}</StatusMark>
      </td>
    </tr>
  );
};

/** Each line with its state. Passwords are not shown. */
export const Preview = ({ lines, ...choices }: { lines: readonly Line[] } & Choices) => (
  <Sheet>
    <Table
      caption={words.preview}
      columns={[{ number: heads.line }, heads.account, heads.server, heads.place, heads.result]}
      items={lines.toSorted((a, b) => toRank(a) - toRank(b) || a.line - b.line)}
      expected={0}
    >
      {(line) => <Row key={line.line} line={line} {...choices} />}
    </Table>
  </Sheet>
);
