import { ShieldAlert } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { useCommands } from '../data/commands.ts';
import { useUser, useWhyNot } from '../data/session.ts';
import { EmptyState } from './empty-state.tsx';
import { PageHead } from './page-head.tsx';
import { Sheet } from './surfaces.tsx';

export interface OperatorPageProps {
  words: { title: string; onlyOperators: string; onlyOperatorsText: string };
  children: ReactNode;
}

/** A page for operators; others are told so. */
export const OperatorPage = ({ words, children }: OperatorPageProps) =>
  useUser().is_operator ? (
    children
  ) : (
    <>
      <PageHead title={words.title} />
      <Sheet>
        <EmptyState icon={<ShieldAlert aria-hidden="true" />} title={words.onlyOperators}>
          {words.onlyOperatorsText}
        </EmptyState>
      </Sheet>
    </>
  );

/**
 * An action of operators, which the palette has, too. @returns why the current user cannot do it
 *
 * @param run the same function, unless something has changed (`useCallback`)
 */
export const useOperatorCommand = (id: string, name: string, run: () => void): string | undefined => {
  const whyNot = useWhyNot('operator');
  useCommands(useMemo(() => (whyNot === undefined ? [{ id, name, run }] : []), [id, name, run, whyNot]));
  return whyNot;
};
