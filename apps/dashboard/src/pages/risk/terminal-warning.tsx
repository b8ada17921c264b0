import type { LucideIcon } from 'lucide-react';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.risk.warning;
const MAX_NAMES = 3;

export interface TerminalWarningProps {
  icon: LucideIcon;
  title: (count: number) => string;
  text: string;
  /** By terminal; a warning about none is not shown. */
  reasons: ReadonlyMap<string, string>;
  names: ReadonlyMap<string, string>;
}

/** What is wrong with how rules watch terminals, and the reason for the first of them. */
export const TerminalWarning = ({ icon: Icon, title, text, reasons, names }: TerminalWarningProps) => {
  if (reasons.size === 0) return null;
  const shown = [...reasons].slice(0, MAX_NAMES);
  return (
    <div className="banner" data-kind="warning" role="alert">
      <Icon aria-hidden="true" />
      <div className="banner-text">
        <p>
          <b>{title(reasons.size)}</b>{' '}
          {shown.map(([id, reason]) => words.one(isolate(names.get(id) ?? '…'), reason)).join(' ')}
        </p>
        <p>{text}</p>
      </div>
    </div>
  );
};
