import type { Region, TerminalItem, TerminalOverview } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { toAddress, toThumbAddress } from '../../data/address.ts';
import { Bars, Spark } from '../../parts/charts.tsx';
import { Figure } from '../../parts/figure.tsx';
import type { Tone } from '../../parts/status-mark.tsx';
import { TerminalStatusMark } from '../../parts/terminal-status.tsx';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.terminals;

/** The flag comes from this server, by the name in the region's own address of it. */
const toFlag = ({ icon }: Region): string => toAddress(`/flags/${icon.split('/').at(-1) ?? ''}`);

export const RegionName = ({ region }: { region: Region | undefined }) =>
  region === undefined ? null : (
    <>
      <img className="flag" src={toFlag(region)} alt="" />
      {region.label}
    </>
  );

type Picture = NonNullable<TerminalItem['picture']>;

const Thumbnail = ({ id, name, picture }: { id: string; name: string; picture: Picture | null | undefined }) => {
  const [broken, setBroken] = useState<string>();
  if (!picture || picture.file_id === broken) {
    return (
      <span className="thumb thumb-none" title={words.noPicture}>
        <span className="sr-only">{words.noPicture}</span>
      </span>
    );
  }
  // Another picture is another address; the same one is asked for again by its tag alone.
  const address = toThumbAddress(id, picture.file_id);
  return (
    <span className="thumb-aged">
      <img
        className="thumb"
        src={address}
        alt={words.pictureOf(name)}
        width={58}
        height={33}
        loading="lazy"
        decoding="async"
        onError={() => setBroken(picture.file_id)}
      />
      <small>
        <Time at={picture.taken_at} as="span" />
      </small>
    </span>
  );
};

type Hour = TerminalOverview['hours'][number];

const toTone = ({ link }: Hour): Tone => (link === null ? 'rest' : link >= 99 ? 'good' : link >= 50 ? 'wait' : 'bad');

const Day = ({ overview }: { overview: TerminalOverview | undefined }) => {
  if (!overview) return null;
  const known = overview.hours.flatMap(({ link }) => (link === null ? [] : [link]));
  const percent = known.reduce((sum, link) => sum + link, 0) / known.length;
  const label = known.length === 0 ? words.notMeasured : words.linked(percent);
  return (
    <span title={label}>
      <Bars tones={overview.hours.map(toTone)} label={label} />
    </span>
  );
};

const Ping = ({ terminal: { link }, overview }: { terminal: TerminalItem; overview: TerminalOverview | undefined }) => {
  if (link?.state === 'down') return <span className="none">{words.noPing}</span>;
  return (
    <>
      {overview === undefined || typeof link?.ping_ms !== 'number' ? null : (
        <Spark values={overview.hours.map(({ ping_ms: ping }) => ping)} label={words.pingOfDay} />
      )}
      <Figure value={link?.ping_ms} unit="ms" />
    </>
  );
};

const Trading = ({ isAllowed }: { isAllowed: boolean | null | undefined }) =>
  typeof isAllowed === 'boolean' ? (
    <span className="switch-word" data-on={isAllowed || undefined} title={words.experts[isAllowed ? 'on' : 'off']}>
      {words[isAllowed ? 'on' : 'off']}
    </span>
  ) : (
    <Figure value={null} unit="" />
  );

const Status = ({ terminal }: { terminal: TerminalItem }) => {
  const { status, status_reason: reason, status_changed_at: since } = terminal;
  return (
    <span className="status-lines" title={reason ?? undefined}>
      <TerminalStatusMark status={status} />
      <small>
        {reason ? (
          <bdi className="status-reason">{reason}</bdi>
        ) : since === undefined ? null : (
          <Time at={since} as="span" />
        )}
      </small>
    </span>
  );
};

export interface TerminalRowProps {
  terminal: TerminalItem;
  overview: TerminalOverview | undefined;
  region: Region | undefined;
  isSelected: boolean;
  onSelect: (terminal: TerminalItem, isSelected: boolean, hasShift: boolean) => void;
}

/** One terminal: a row on a desk, a card on a phone. */
export const TerminalRow = memo(({ terminal, overview, region, isSelected, onSelect }: TerminalRowProps) => {
  const { id, name } = terminal;
  const address: string = `/terminals/${id}`;
  return (
    <tr aria-selected={isSelected}>
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
          <small>
            <bdi>{terminal.login}</bdi>
          </small>
        </Link>
      </td>
      <td data-card="state">
        <Status terminal={terminal} />
      </td>
      <td data-card="picture">
        <Thumbnail id={id} name={name} picture={terminal.picture} />
      </td>
      <td className="col-server from-desk" data-card="below">
        <bdi>{terminal.server_name}</bdi>
      </td>
      <td className="from-full">
        <RegionName region={region} />
      </td>
      <td className="num" data-card="ping">
        <Ping terminal={terminal} overview={overview} />
      </td>
      <td className="col-day from-wide" data-card="day">
        <Day overview={overview} />
      </td>
      <td data-card="trading">
        <Trading isAllowed={overview?.trading_allowed} />
      </td>
      <td className="num from-full">
        <Figure value={terminal.memory_mb} unit="MB" />
      </td>
    </tr>
  );
});
TerminalRow.displayName = 'TerminalRow';
