import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { toLogLine } from './log-lines.ts';

const words = pageTexts.terminalLogs;
const ROW = 22;
/** This close to the end counts as the end. */
const END = 40;

const Line = ({ line }: { line: string }) => {
  const { time, source, text, cut, tone } = toLogLine(line);
  return (
    <>
      <span className="log-time">{time}</span>
      <bdi className="log-source">{source}</bdi>
      <span className="log-text" data-tone={tone === 'bad' ? 'bad' : undefined}>
        <bdi>{text}</bdi>
        {cut > 0 ? <small>{words.cut(cut)}</small> : null}
      </span>
    </>
  );
};

export interface LogRowsProps {
  lines: readonly string[];
  /** Called when the reader reaches the end or leaves it. */
  onEnd: (isAtEnd: boolean) => void;
}

/** The lines, of which only the visible ones are rendered. It stays at the end as long as the reader is there. */
export const LogRows = ({ lines, onEnd }: LogRowsProps) => {
  const place = useRef<HTMLDivElement>(null);
  const top = useRef(0);
  const [isAtEnd, setAtEnd] = useState(true);
  // The library's own object changes by itself; nothing here is memoised by it.
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW,
    overscan: 20,
  });
  const toEnd = (): void => {
    if (lines.length > 0) rows.scrollToIndex(lines.length - 1, { align: 'end' });
  };
  const height = rows.getTotalSize();
  useEffect(() => {
    if (isAtEnd) toEnd();
    // New lines move it, and lines that turn out taller than estimated; but only when at the end.
    // eslint-disable-next-line react-hooks/exhaustive-deps -- see above
  }, [lines, height]);
  const onScroll = (): void => {
    const element = place.current;
    if (!element) return;
    const now = element.scrollHeight - element.scrollTop - element.clientHeight < END;
    // Scrolling up leaves the end, growing content does not.
    const isLower = element.scrollTop >= top.current;
    top.current = element.scrollTop;
    if (now === isAtEnd || (isAtEnd && isLower)) return;
    setAtEnd(now);
    onEnd(now);
  };
  return (
    <div className="log">
      <div
        className="log-view"
        ref={place}
        onScroll={onScroll}
        tabIndex={0}
        role="log"
        aria-label={words.label}
        aria-live="off"
      >
        <div className="log-all" style={{ height }}>
          {rows.getVirtualItems().map(({ key, index, start }) => (
            <div
              key={key}
              className="log-row"
              data-index={index}
              ref={rows.measureElement}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Line line={lines[index] ?? ''} />
            </div>
          ))}
        </div>
      </div>
      {isAtEnd ? null : (
        <Button className="log-end" onClick={toEnd}>
          {words.toEnd}
        </Button>
      )}
    </div>
  );
};
