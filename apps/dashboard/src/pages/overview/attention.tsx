/** What needs an operator, the worst first, each with where to act. */
import type { OperatorOverview } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { toBytesText } from '../../parts/bytes.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Shape, type Tone } from '../../parts/status-mark.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { Time } from '../../parts/time.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.overview;
export const MIB = 1024 * 1024;

interface Need {
  key: string;
  tone: Tone;
  title: string;
  text: ReactNode;
  /** Of the host to open; undefined: there is nothing to open. */
  host?: string;
  isAboutHosts?: boolean;
}

const toHostNeeds = ({ hosts_in_trouble: hosts }: OperatorOverview): Need[] =>
  hosts.map(({ id, name, trouble, since, terminals, disk_available_mb: free }) => {
    const about = { key: id, host: id, isAboutHosts: true };
    if (trouble === 'disk_low') {
      const text = words.diskLowText(toBytesText((free ?? 0) * MIB));
      return { ...about, tone: 'wait', title: words.diskLow(isolate(name)), text };
    }
    const seen = since === null ? null : <Time at={since} />;
    const text = (
      <>
        {words.offlineText(terminals)} {seen}.
      </>
    );
    return { ...about, tone: 'bad', title: words.offline(isolate(name)), text };
  });

/** As for hosts: less than a twentieth, or than 2 GiB. */
const isLow = ({ total_mb: total, available_mb: free }: OperatorOverview['disk']): boolean =>
  free < Math.max(2048, total / 20);

const toServerNeeds = ({ backup, mail, disk }: OperatorOverview): Need[] => {
  const needs: Need[] = [];
  if (backup && (backup.error !== null || backup.is_late)) {
    const { error, last_succeeded_at: at } = backup;
    const text = (
      <>
        {error === null ? null : <bdi>{error}. </bdi>}
        {at === null ? null : (
          <>
            {words.lastGood} <Time at={at} />.
          </>
        )}
      </>
    );
    needs.push({ key: 'backup', tone: 'bad', title: error === null ? words.backupLate : words.backupFailed, text });
  }
  if (mail?.is_failing) needs.push({ key: 'mail', tone: 'bad', title: words.mailFails, text: <bdi>{mail.error}</bdi> });
  if (isLow(disk)) {
    const text = words.diskLowText(toBytesText(disk.available_mb * MIB));
    needs.push({ key: 'disk', tone: 'bad', title: words.serverDisk, text });
  }
  return needs;
};

const toRegionNeeds = ({ regions }: OperatorOverview): Need[] =>
  regions
    .filter(({ waiting, free }) => waiting > 0 && free === 0)
    .map(({ id, name, waiting, waiting_since: since }) => ({
      key: `region ${id}`,
      tone: 'wait',
      title: words.full(isolate(name)),
      text: (
        <>
          {words.fullText(waiting)} {since === null ? null : <Time at={since} as="span" />}.
        </>
      ),
      isAboutHosts: true,
    }));

const Item = ({ need: { tone, title, text, host, isAboutHosts = false } }: { need: Need }) => (
  <li className="needs">
    <div className="flex min-w-0 items-baseline gap-3">
      <Shape tone={tone} />
      <p className="min-w-0">
        <b>{title}.</b> <span className="text-ink-2">{text}</span>
      </p>
    </div>
    {isAboutHosts ? (
      <Link to="/hosts" search={host === undefined ? {} : { host }} className="button">
        {words.openHosts}
      </Link>
    ) : null}
  </li>
);

/** Nothing is listed where nothing is wrong. */
export const Attention = ({ overview }: { overview: OperatorOverview }) => {
  const needs = [...toServerNeeds(overview), ...toHostNeeds(overview), ...toRegionNeeds(overview)];
  const isCalm = needs.length === 0 && overview.stuck_tasks.length === 0;
  if (isCalm) {
    return (
      <Sheet className="mb-4">
        <EmptyState icon={<CircleCheck aria-hidden="true" />} title={words.allWell}>
          {words.allWellText}
        </EmptyState>
      </Sheet>
    );
  }
  if (needs.length === 0) return null;
  return (
    <section className="needs-attention" aria-labelledby="needs-operator">
      <h2 id="needs-operator">{words.needsAttention}</h2>
      <ul>
        {needs.map((need) => (
          <Item key={need.key} need={need} />
        ))}
      </ul>
    </section>
  );
};
