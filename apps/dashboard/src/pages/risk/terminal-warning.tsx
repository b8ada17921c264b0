import { Link } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.riskState;
const MAX_NAMES = 3;

const toAddress = (id: string): string => `/terminals/${id}?tab=trading`;

export interface TerminalWarningProps {
  icon: LucideIcon;
  title: (count: number) => string;
  text: string;
  /** By terminal; a warning about none is not shown. */
  reasons: ReadonlyMap<string, string>;
  names: ReadonlyMap<string, string>;
}

/** What is wrong with how rules watch terminals; for the first of them why, and what to do. */
export const TerminalWarning = ({ icon: Icon, title, text, reasons, names }: TerminalWarningProps) => {
  if (reasons.size === 0) return null;
  const shown = [...reasons].slice(0, MAX_NAMES);
  return (
    <div className="banner" data-kind="warning" role="alert">
      <Icon aria-hidden="true" />
      <div className="banner-text">
        <p>
          <b>{title(reasons.size)}</b> {text}
        </p>
        <ul>
          {shown.map(([id, reason]) => (
            <li key={id}>
              <Link to={toAddress(id)} className="link">
                <bdi>{names.get(id) ?? '…'}</bdi>
              </Link>
              : {reason}
            </li>
          ))}
          {reasons.size > MAX_NAMES ? <li>{words.moreTerminals(reasons.size - MAX_NAMES)}</li> : null}
        </ul>
      </div>
    </div>
  );
};
