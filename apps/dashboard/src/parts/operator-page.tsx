import { ShieldAlert } from 'lucide-react';
import { useMemo, type ComponentType } from 'react';
import { useCommands } from '../data/commands.ts';
import { useUser, useWhyNot } from '../data/session.ts';
import { EmptyState } from './empty-state.tsx';
import { PageHead } from './page-head.tsx';
import { Sheet } from './surfaces.tsx';

interface Words {
  title: string;
  onlyOperators: string;
  onlyOperatorsText: string;
}

const OnlyOperators = ({ words: { title, onlyOperators, onlyOperatorsText } }: { words: Words }) => (
  <>
    <PageHead title={title} />
    <Sheet>
      <EmptyState icon={<ShieldAlert aria-hidden="true" />} title={onlyOperators}>
        {onlyOperatorsText}
      </EmptyState>
    </Sheet>
  </>
);

/** A page for operators; others are told so. */
export const forOperators = (words: Words, Page: ComponentType): ComponentType =>
  function OperatorPage() {
    return useUser().is_operator ? <Page /> : <OnlyOperators words={words} />;
  };

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
