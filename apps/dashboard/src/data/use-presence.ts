import { useSyncExternalStore } from 'react';
import { getPresence, watchPresence } from './presence.ts';

export const usePresence = () => useSyncExternalStore(watchPresence, getPresence);
