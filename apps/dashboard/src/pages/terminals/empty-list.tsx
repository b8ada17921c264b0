import type { CreatedTerminal } from '@berth/client';
import { useNavigate } from '@tanstack/react-router';
import { MonitorDot, SearchX } from 'lucide-react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { createRandomText } from '../../data/random.ts';
import { useCapacities } from '../../data/regions.ts';
import { useUser } from '../../data/session.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.terminals;
const { empty } = words;

/** Every numeric login is an account of the simulated broker, with the password that is used first. */
const toSandboxLogin = (): string =>
  String(10_000_000 + ((crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % 89_999_999));

const createSandbox = (region: number): Promise<CreatedTerminal> =>
  berth.terminals.create({
    name: empty.sandboxName,
    platform: 'sandbox',
    region,
    server_name: 'Harbour-Demo',
    login: toSandboxLogin(),
    password: createRandomText(),
  });

/** The options for a first terminal. */
const useOffer = () => {
  const { data, error } = useCapacities();
  const offers = (data ?? []).filter(
    ({ platforms, accepts_terminals: accepts }) => accepts !== false && platforms?.includes('sandbox'),
  );
  const [best] = offers.sort((a, b) => (b.free_places ?? 0) - (a.free_places ?? 0));
  return {
    isReading: data === undefined && error === null,
    /** The region of a sandbox terminal: the one with most capacity; undefined where no host offers such terminals. */
    region: best?.id,
    hasNoHost: data?.every(({ platforms }) => platforms?.length === 0) ?? false,
  };
};

/** What an instance without any host needs first. */
const NoHost = () => {
  const { is_operator: isOperator } = useUser();
  return (
    <EmptyState icon={<MonitorDot aria-hidden="true" />} title={empty.noHost}>
      {isOperator ? empty.noHostOperator : empty.noHostUser}
    </EmptyState>
  );
};

/** The first terminal in one click, for a new user. */
export const NoTerminal = () => {
  const navigate = useNavigate({ from: '/terminals' });
  const { isReading, region, hasNoHost } = useOffer();
  const create = useAction({
    run: createSandbox,
    done: ({ name }: CreatedTerminal) => empty.created(name),
    touches: () => [keys.terminals.all],
  });
  if (hasNoHost) {
    return (
      <Sheet>
        <NoHost />
      </Sheet>
    );
  }
  const own = (
    <Button kind="primary" onClick={() => void navigate({ search: { create: true } })}>
      {words.create.open}
    </Button>
  );
  const sandbox =
    region === undefined ? undefined : (
      <Button kind="primary" isBusy={create.isRunning} onClick={() => create.run(region)}>
        {empty.sandbox}
      </Button>
    );
  const action = isReading ? <Skeleton className="h-8 w-48" /> : (sandbox ?? own);
  return (
    <Sheet>
      <EmptyState icon={<MonitorDot aria-hidden="true" />} title={empty.title} action={action}>
        {isReading ? '\u00a0' : sandbox ? empty.withSandbox : empty.withoutSandbox}
      </EmptyState>
    </Sheet>
  );
};

export const NoMatch = ({ onClear }: { onClear: () => void }) => (
  <Sheet>
    <EmptyState
      icon={<SearchX aria-hidden="true" />}
      title={words.noMatch}
      action={<Button onClick={onClear}>{words.clear}</Button>}
    >
      {words.noMatchText}
    </EmptyState>
  </Sheet>
);
