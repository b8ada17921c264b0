import type { ReactNode } from 'react';

export type MarkKind = 'buy' | 'sell' | 'gain' | 'loss';

const shapes: Record<MarkKind, ReactNode> = {
  buy: <path d="M6 1.5 11 10H1z" />,
  sell: <path d="M6 10.5 1 2h10z" />,
  gain: (
    <>
      <circle cx="6" cy="6" r="5.5" />
      <path className="cut" d="M3.2 6h5.6M6 3.2v5.6" />
    </>
  ),
  loss: (
    <>
      <circle cx="6" cy="6" r="5.5" />
      <path className="cut" d="M3.2 6h5.6" />
    </>
  ),
};

export interface DealMarkProps {
  kind: MarkKind;
  /** In a chart: what it stands for, and where it is. */
  title?: string;
  left?: string;
  /** Drawn as an outline. */
  isOpening?: boolean;
}

/** The shape of a deal: a triangle that points where its buyer wants to go; a plus or a minus for a result. */
export const DealMark = ({ kind, ...chart }: DealMarkProps) => (
  <svg
    className="deal-mark"
    data-kind={kind}
    data-open={chart.isOpening ? '' : undefined}
    viewBox="0 0 12 12"
    style={chart.left === undefined ? undefined : { left: chart.left }}
    aria-hidden="true"
  >
    {chart.title === undefined ? null : <title>{chart.title}</title>}
    {shapes[kind]}
  </svg>
);

/** Buy or sell, with its shape and a word. */
export const Side = ({ side, children }: { side: 'buy' | 'sell'; children: string }) => (
  <span className="side">
    <DealMark kind={side} />
    {children}
  </span>
);
