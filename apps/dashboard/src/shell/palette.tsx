import { Dialog as Base } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type KeyboardEvent } from 'react';
import { berth } from '../data/berth.ts';
import { keys } from '../data/keys.ts';
import { useOpening } from '../parts/opening.ts';
import { pageTexts } from '../texts/page-texts.ts';
import { useAllCommands, type Command } from '../data/commands.ts';

const matches = ({ name, words = '' }: Command, search: string): boolean => {
  const text = `${name} ${words}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

/** Enough to see, few enough to render at once. */
const MAX_SHOWN = 50;

const MIN_LETTERS = 2;
const MAX_FOUND = 6;
/** Long enough not to search for every letter. */
const REST_MS = 200;

/** The text once typing has paused for a moment. */
const useRested = (text: string): string => {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
};

/**
 * Terminals as commands: a command for each of the first that match by name, login or server, as in the list; none for
 * a text that is too short.
 */
const useTerminalCommands = (text: string): readonly Command[] => {
  const search = useRested(text.trim());
  const navigate = useNavigate();
  const query = { search, per_page: MAX_FOUND };
  const { data } = useQuery({
    queryKey: keys.terminals.list(query),
    queryFn: ({ signal }) => berth.terminals.page(query, { signal }),
    enabled: search.length >= MIN_LETTERS,
  });
  return (data?.data ?? []).map(({ id, name, login, server_name: server }) => {
    const path: string = `/terminals/${id}`;
    return {
      id: `terminal.${id}`,
      name: pageTexts.frame.goToTerminal(name),
      words: `${login} ${server}`,
      run: () => void navigate({ to: path }),
    };
  });
};

const List = ({ onDone }: { onDone: () => void }) => {
  const commands = useAllCommands();
  const [search, setSearch] = useState('');
  const [wanted, setWanted] = useState(0);
  const terminals = useTerminalCommands(search);
  const shown = [...commands, ...terminals].filter((command) => matches(command, search)).slice(0, MAX_SHOWN);
  const chosen = Math.min(wanted, shown.length - 1);
  const run = (command: Command | undefined): void => {
    if (!command || command.whyNot !== undefined) return;
    onDone();
    command.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = {
      ArrowDown: chosen + 1,
      ArrowUp: chosen - 1,
      Home: 0,
      End: shown.length - 1,
    };
    const next = moves[event.key];
    if (event.key === 'Enter') run(shown[chosen]);
    if (next === undefined || shown.length === 0) return;
    event.preventDefault();
    setWanted((next + shown.length) % shown.length);
  };
  return (
    <>
      <input
        className="input"
        role="combobox"
        aria-label={pageTexts.frame.paletteHint}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={shown[chosen] ? `command-${shown[chosen].id}` : undefined}
        placeholder={pageTexts.frame.paletteHint}
        maxLength={100}
        value={search}
        onChange={(event) => [setSearch(event.target.value), setWanted(0)]}
        onKeyDown={onKey}
      />
      <div className="palette-list" role="listbox" id="palette-list" aria-label={pageTexts.frame.palette}>
        {shown.map((command, index) => (
          <div
            key={command.id}
            id={`command-${command.id}`}
            className="menu-item"
            role="option"
            aria-selected={index === chosen}
            aria-disabled={command.whyNot !== undefined || undefined}
            data-disabled={command.whyNot === undefined ? undefined : ''}
            ref={(element) => (index === chosen ? element?.scrollIntoView({ block: 'nearest' }) : undefined)}
            onPointerMove={() => setWanted(index)}
            onClick={() => run(command)}
          >
            <span className="min-w-0 flex-1 truncate">
              <bdi>{command.name}</bdi>
              {command.whyNot === undefined ? null : <small className="block">{command.whyNot}</small>}
            </span>
            {command.keys === undefined ? null : <kbd>{command.keys}</kbd>}
          </div>
        ))}
      </div>
      {shown.length === 0 ? (
        <p className="menu-note" role="status">
          {pageTexts.frame.paletteNone}
        </p>
      ) : null}
    </>
  );
};

export interface PaletteProps {
  isOpen: boolean;
  onClose: () => void;
}

/** Ctrl+K: everything that can be done here, by name. */
export const Palette = ({ isOpen, onClose }: PaletteProps) => (
  <Base.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
    <Base.Portal>
      <Base.Backdrop className="veil" />
      <Base.Popup className="dialog palette">
        <Base.Title className="sr-only">{pageTexts.frame.palette}</Base.Title>
        <List key={useOpening(isOpen)} onDone={onClose} />
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
);
