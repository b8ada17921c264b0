import type { Terminal } from '@berth/client';
import { pageTexts } from '../../../texts/page-texts.ts';
import { toAlgoState } from '../state.ts';

/** "Algo trading is on." */
export const AlgoSentence = ({ terminal }: { terminal: Terminal }) => {
  const state = toAlgoState(terminal);
  const [subject, word] = pageTexts.terminal.algo[state];
  return (
    <span className="algo" data-state={state}>
      {subject} <b>{word}</b>.
    </span>
  );
};
