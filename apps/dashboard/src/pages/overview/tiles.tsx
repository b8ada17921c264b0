/** How the server is: versions, backup, mail, disk. */
import type { OperatorOverview } from '@berth/client';
import type { ReactNode } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { useWhyNot } from '../../data/session.ts';
import { Button } from '../../parts/button.tsx';
import { toBytesText } from '../../parts/bytes.ts';
import { Shape, type Tone } from '../../parts/status-mark.tsx';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { MIB } from './attention.tsx';

const words = pageTexts.overview;

interface TileProps {
  label: string;
  tone?: Tone;
  value: ReactNode;
  action?: ReactNode;
  children?: ReactNode;
}

const Tile = ({ label, tone, value, action, children }: TileProps) => (
  <div className="tile">
    <dt>{label}</dt>
    <dd>
      <b>
        {tone === undefined ? null : <Shape tone={tone} />}
        {value}
      </b>
      <small>{children}</small>
      {action === undefined ? null : <div className="mt-2">{action}</div>}
    </dd>
  </div>
);

const BackUpNow = ({ isUnderWay }: { isUnderWay: boolean }) => {
  const whyNot = useWhyNot('operator');
  const { run, isRunning } = useAction({
    run: () => berth.operator.runBackup(),
    done: () => words.backupAsked,
    touches: () => [keys.hosts.overview],
  });
  return (
    <Button
      whyNot={whyNot ?? (isUnderWay ? words.backupUnderWay : undefined)}
      isBusy={isRunning}
      onClick={() => run(undefined)}
    >
      {words.backUpNow}
    </Button>
  );
};

const BackupTile = ({ backup }: Pick<OperatorOverview, 'backup'>) => {
  if (!backup) {
    return (
      <Tile label={words.backup} value={words.backupNone}>
        {words.backupNoneText}
      </Tile>
    );
  }
  const {
    last_succeeded_at: at,
    size_bytes: size,
    next_at: next,
    error,
    is_running: isRunning,
    is_late: isLate,
  } = backup;
  const tone = error !== null || isLate ? 'bad' : at === null ? 'wait' : 'good';
  const value = isRunning ? words.backupRuns : at === null ? words.backupWaits : <Time at={at} />;
  return (
    <Tile label={words.backup} tone={tone} value={value} action={<BackUpNow isUnderWay={isRunning === true} />}>
      {size === null ? null : `${toBytesText(size)}, `}
      {words.backupNext} <Time at={next} as="moment" />
    </Tile>
  );
};

const MailTile = ({ mail }: Pick<OperatorOverview, 'mail'>) => {
  if (!mail) return <Tile label={words.mail} value={words.mailNone} />;
  const { is_failing: isFailing, last_sent_at: at } = mail;
  return (
    <Tile label={words.mail} tone={isFailing ? 'bad' : 'good'} value={isFailing ? words.mailFailing : words.mailWorks}>
      {at === null ? null : <Time at={at} />}
    </Tile>
  );
};

export const Tiles = ({ overview }: { overview: OperatorOverview }) => {
  const { version, agents, backup, mail, disk } = overview;
  return (
    <dl className="tiles">
      <Tile label={words.versions} value={<span className="figure">{version}</span>}>
        <bdi>{words.agents(agents.map((agent) => agent.version))}</bdi>
      </Tile>
      <BackupTile backup={backup} />
      <MailTile mail={mail} />
      <Tile label={words.disk} value={words.free(toBytesText(disk.available_mb * MIB))}>
        {words.ofDisk(toBytesText(disk.total_mb * MIB))}
      </Tile>
    </dl>
  );
};
