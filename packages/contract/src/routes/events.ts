import { Type } from '../schema.ts';
import { defineRoute } from './route.ts';

export const eventRoutes = {
  watchEvents: defineRoute({
    method: 'GET',
    url: '/v1/my/events',
    summary: 'Watch what changes (server-sent events)',
    tag: 'Events',
    auth: 'user',
    ability: 'read',
    response: Type.Unsafe<string>({ type: 'string', format: 'event-stream' }),
  }),
};
