import type { AccountOverview, Region, TerminalItem, TerminalOverview } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { memo, useState, type ReactNode } from 'react';
import { toAddress, toThumbAddress } from '../../data/address.ts';
import { Bars, Spark } from '../../parts/charts.tsx';
import { useNow } from '../../parts/clock.ts';
import { Figure, toPercentText } from '../../parts/figure.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import type { Tone } from '../../parts/status-mark.tsx';
import { Time, toZoned } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { cardLabels, cardPlaces, columnClasses, type ColumnName } from './columns.ts';
import { MoneyCell } from './money-cells.tsx';
import { TerminalState } from './terminal-state.tsx';

const words = pageTexts.terminals;

/** The flag comes from this server, by the file name in the region's own URL. */
const toFlag = ({ icon }: Region): string => toAddress(`/flags/${icon.split('/').at(-1) ?? ''}`);

export const RegionName = ({ region }: { region: Region | undefined }) =>
  region === undefined ? null : (
    <>
      <img className="flag" src={toFlag(region)} alt="" />
      {region.label}
    </>
  );

const Thumbnail = ({ terminal: { id, name, screenshot } }: { terminal: TerminalItem }) => {
  const [broken, setBroken] = useState<string>();
  if (!screenshot || screenshot.file_id === broken) {
    return (
      <span className="thumb thumb-none" title={words.noScreenshot}>
        <span className="sr-only">{words.noScreenshot}</span>
      </span>
    );
  }
  // Each screenshot has a URL of its own; the same one is revalidated by its ETag.
  const address = toThumbAddress(id, screenshot.file_id);
  return (
    <span className="thumb-aged">
      <img
        className="thumb"
        src={address}
        alt={words.screenshotOf(name)}
        width={58}
        height={33}
        loading="lazy"
        decoding="async"
        onError={() => setBroken(screenshot.file_id)}
      />
      <small>
        <Time at={screenshot.taken_at} as="span" />
      </small>
    </span>
  );
};

type Hour = TerminalOverview['hours'][number];

const toTone = ({ link }: Hour): Tone => (link === null ? 'rest' : link >= 99 ? 'good' : link >= 50 ? 'wait' : 'bad');

const DAY_MS = 86_400_000;

type Overview = CellProps['overview'];

const Day = ({ overview, created }: { overview: Overview; created: string }) => {
  const now = useNow(60_000);
  if (overview === undefined) return <Skeleton className="h-3.5 w-24" />;
  if (overview === null) return <Figure value={null} unit="" />;
  const known = overview.hours.flatMap(({ link }) => (link === null ? [] : [link]));
  const mean = known.reduce((sum, link) => sum + link, 0) / known.length;
  const percent = toPercentText(mean, 1);
  const since = Date.parse(created);
  const connected =
    since > now - DAY_MS ? words.connectedSince(percent, toZoned(since, now)) : words.connected(percent);
  const label = known.length === 0 ? words.notMeasured : connected;
  return (
    <span title={label}>
      <Bars tones={overview.hours.map(toTone)} label={label} />
    </span>
  );
};

const Ping = ({ terminal: { link }, overview }: { terminal: TerminalItem; overview: Overview }) => {
  if (link?.state === 'down') return <span className="none">{words.noPing}</span>;
  return (
    <>
      {!overview || typeof link?.ping_ms !== 'number' ? null : (
        <Spark values={overview.hours.map(({ ping_ms: ping }) => ping)} label={words.pingOfDay} />
      )}
      <Figure value={link?.ping_ms} unit="ms" />
    </>
  );
};

const Trading = ({ overview }: { overview: Overview }) => {
  if (overview === undefined) return <Skeleton className="h-4 w-8" />;
  const isAllowed = overview?.trading_allowed;
  return typeof isAllowed === 'boolean' ? (
    <span className="switch-word" data-on={isAllowed || undefined} title={words.experts[isAllowed ? 'on' : 'off']}>
      {words[isAllowed ? 'on' : 'off']}
    </span>
  ) : (
    <Figure value={null} unit="" />
  );
};

export interface CellProps {
  terminal: TerminalItem;
  /** null: nothing is known; undefined: it is loading. */
  overview: TerminalOverview | null | undefined;
  account: AccountOverview | null | undefined;
  region: Region | undefined;
}

/** What a column shows of a terminal. */
const toCell = (column: ColumnName, { terminal, overview, account, region }: CellProps): ReactNode => {
  switch (column) {
    case 'screenshot':
      return <Thumbnail terminal={terminal} />;
    case 'server':
      return <bdi>{terminal.server_name}</bdi>;
    case 'region':
      return <RegionName region={region} />;
    case 'ping':
      return <Ping terminal={terminal} overview={overview} />;
    case 'day':
      return <Day overview={overview} created={terminal.created_at} />;
    case 'trading':
      return <Trading overview={overview} />;
    case 'memory':
      return <Figure value={terminal.memory_mb} unit="MB" />;
    default:
      return <MoneyCell column={column} account={account} />;
  }
};

const SHOWN_TAGS = 3;

const Tags = ({ tags = [] }: { tags: readonly string[] | undefined }) =>
  tags.length === 0 ? null : (
    <span className="tags" title={tags.join(', ')}>
      {tags.slice(0, SHOWN_TAGS).map((tag) => (
        <bdi key={tag}>{tag}</bdi>
      ))}
      {tags.length > SHOWN_TAGS ? words.moreTags(tags.length - SHOWN_TAGS) : null}
    </span>
  );

export interface TerminalRowProps extends CellProps {
  columns: readonly ColumnName[];
  isSelected: boolean;
  onSelect: (terminal: TerminalItem, isSelected: boolean, hasShift: boolean) => void;
}

/** One terminal: a row on a wide screen, a card on a phone. */
export const TerminalRow = memo(({ columns, isSelected, onSelect, ...shown }: TerminalRowProps) => {
  const { terminal, account } = shown;
  const { id, name } = terminal;
  const address: string = `/terminals/${id}`;
  return (
    <tr aria-selected={isSelected} data-aged={account && !account.is_current ? '' : undefined}>
      <td data-card="tick" className="tick">
        <input
          type="checkbox"
          aria-label={words.select(name)}
          checked={isSelected}
          onChange={(event) => {
            const { nativeEvent, target } = event;
            onSelect(terminal, target.checked, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true);
          }}
        />
      </td>
      <td data-card="name" className="wide">
        <Link to={address} className="row-name row-link">
          <b>
            <bdi>{name}</bdi>
          </b>
          {terminal.login === name ? null : (
            <small>
              <bdi>{terminal.login}</bdi>
            </small>
          )}
        </Link>
        <Tags tags={terminal.tags} />
      </td>
      <td data-card="state" className="col-status">
        <TerminalState terminal={terminal} rules={account?.rules} />
      </td>
      {columns.map((column) => (
        <td
          key={column}
          className={columnClasses[column]}
          data-card={cardPlaces[column]}
          data-label={cardLabels[column]}
        >
          {toCell(column, shown)}
        </td>
      ))}
    </tr>
  );
});
TerminalRow.displayName = 'TerminalRow';
