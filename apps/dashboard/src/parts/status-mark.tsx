export type Tone = 'good' | 'wait' | 'bad' | 'cut' | 'rest';

/** The shape alone, next to a word. */
export const Shape = ({ tone }: { tone: Tone }) => <i className="shape" data-tone={tone} aria-hidden="true" />;

/** A status: a shape, a word and a colour, so that none of them is needed to read it. */
export const StatusMark = ({ tone, children }: { tone: Tone; children: string }) => (
  <span className="status" data-tone={tone}>
    <Shape tone={tone} />
    {children}
  </span>
);
