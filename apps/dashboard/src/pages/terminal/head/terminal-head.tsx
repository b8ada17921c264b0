import type { Terminal } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useAllProjects } from '../../../data/projects.ts';
import { useRegions } from '../../../data/regions.ts';
import { Button } from '../../../parts/button.tsx';
import { Figure } from '../../../parts/figure.tsx';
import { SameAccount } from '../../../parts/same-account.tsx';
import { TerminalStatusMark } from '../../../parts/terminal-status.tsx';
import { Moment } from '../../../parts/zone.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';
import { useCreateTask, whyNotNow } from '../../../data/create-task.ts';
import { toAlgoState, toPing, toState } from '../state.ts';
import { AlertMenu } from './alert-menu.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { NameLine } from './name-line.tsx';
import { RunTools } from './run-tools.tsx';

const words = pageTexts.terminal;

/** Turning it off is offered unless it is known to be off. */
const AlgoTrading = ({ terminal }: { terminal: Terminal }) => {
  const create = useCreateTask(terminal.id);
  const isOff = toAlgoState(terminal) === 'off';
  return (
    <Button
      kind={isOff ? 'quiet' : 'danger'}
      whyNot={whyNotNow(terminal, 'OPTIONS_AUTO_TRADE')}
      isBusy={create.isRunning}
      onClick={() => create.run({ type: 'OPTIONS_AUTO_TRADE', payload: { allow_algo_trading: isOff ? 1 : 0 } })}
    >
      {isOff ? words.algoOn : words.algoOff}
    </Button>
  );
};

const Crumb = ({ projectId }: { projectId: string }) => {
  const { data: projects } = useAllProjects();
  const project = projects?.find(({ id }) => id === projectId);
  return (
    <p className="crumb truncate">
      <Link to="/terminals">{pageTexts.frame.pages.terminals}</Link>
      {' / '}
      <bdi>{project?.name ?? ''}</bdi>
    </p>
  );
};

export interface TerminalHeadProps {
  terminal: Terminal;
  onInstall: () => void;
}

/** Its connection to the broker. Nothing is shown before the first measurement. */
const BrokerLink = ({ terminal }: { terminal: Terminal }) => {
  if (toState(terminal) === 'DISCONNECTED') return words.noLinkTo;
  const ping = toPing(terminal);
  if (ping === null) return words.on;
  return (
    <>
      <Figure value={ping} unit="ms" /> {words.to}
    </>
  );
};

/** "since 14:02 CEST, 5.6 ms to Harbour-Demo, account 50018233, London" */
const Sentence = ({ terminal }: { terminal: Terminal }) => {
  const { data: regions } = useRegions();
  const region = regions?.find(({ id }) => id === terminal.region);
  return (
    <p className="say">
      {words.since} <Moment at={terminal.status_changed_at} />
      {', '}
      <BrokerLink terminal={terminal} /> <bdi className="strong">{terminal.server_name}</bdi>
      {`, ${words.account} `}
      <bdi className="figure strong">{terminal.login}</bdi>
      {region === undefined ? null : `, ${region.label}`}
    </p>
  );
};

/** Its name, its state, and the most common actions. */
export const TerminalHead = ({ terminal, onInstall }: TerminalHeadProps) => {
  const { name, status, status_reason: reason, project_id: projectId } = terminal;
  const [isDeleting, setDeleting] = useState(false);
  useEffect(() => {
    document.title = texts.pageTitle(name);
  }, [name]);
  return (
    <header className="page-head">
      <Crumb projectId={projectId} />
      <NameLine terminal={terminal} />
      <TerminalStatusMark status={status} reason={reason} />
      <Sentence terminal={terminal} />
      <SameAccount terminal={terminal} />
      <div className="page-tools">
        <AlertMenu terminal={terminal} />
        <RunTools terminal={terminal} />
        <AlgoTrading terminal={terminal} />
        <Button kind="primary" whyNot={whyNotNow(terminal, 'EA_INSTALL')} onClick={onInstall}>
          {words.installExpert}
        </Button>
        <Button
          kind="danger"
          icon={<Trash2 />}
          aria-label={words.delete}
          title={words.delete}
          whyNot={whyNotNow(terminal, 'TERMINAL_DESTROY') === undefined ? undefined : words.isBeingDeleted}
          onClick={() => setDeleting(true)}
        />
      </div>
      <DeleteDialog terminal={terminal} isOpen={isDeleting} onClose={() => setDeleting(false)} />
    </header>
  );
};
