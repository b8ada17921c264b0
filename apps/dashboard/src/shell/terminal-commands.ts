/** Terminals as commands: the palette finds them by name, login or server, as the list does. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { berth } from '../data/berth.ts';
import { keys } from '../data/keys.ts';
import { texts } from '../texts/texts.ts';
import type { Command } from './commands.ts';

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

/** A command for each of the first matching terminals; none for a text that is too short. */
export const useTerminalCommands = (text: string): readonly Command[] => {
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
      name: texts.frame.goToTerminal(name),
      words: `${login} ${server}`,
      run: () => void navigate({ to: path }),
    };
  });
};
