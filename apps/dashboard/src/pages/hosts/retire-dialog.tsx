import { HostStatus } from '@berth/contract/values';
import type { Host } from '@berth/client';
import { ConfirmByName } from '../../parts/confirm-by-name.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { useRetire } from './hosts-data.ts';

const words = pageTexts.hosts;

/** Says what happens to the terminals of a host, and asks for its name. */
export const RetireDialog = ({ host, onClose }: { host: Host | undefined; onClose: () => void }) => {
  const retire = useRetire(onClose);
  return (
    <ConfirmByName
      title={words.retireTitle(isolate(host?.name ?? ''))}
      name={host?.name ?? ''}
      verb={words.retire}
      isOpen={host !== undefined}
      isBusy={retire.isRunning}
      onClose={onClose}
      onConfirm={() => (host ? retire.run(host) : undefined)}
    >
      {words.retireLead(host?.terminals ?? 0)}
      {host?.status === HostStatus.ONLINE ? <b className="block text-danger">{words.retireOnline}</b> : null}
    </ConfirmByName>
  );
};
