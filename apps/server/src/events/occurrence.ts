import type { EventData, EventType } from '@berth/contract';

/** An event that was not written yet. */
export type Occurrence = {
  [Kind in EventType]: {
    type: Kind;
    userId: string;
    /** The terminal that it is about; null: none. */
    terminalId: string | null;
    data: EventData<Kind>;
    /** Nothing is notified: the owner was told before, learns it by another event, or did it. */
    isQuiet?: boolean;
  };
}[EventType];
