import { Envelope } from '../schema.ts';
import { TerminalWhy } from '../terminals/why.ts';
import { defineRoute } from './route.ts';

export const whyRoutes = {
  explainTerminal: defineRoute({
    tag: 'Terminals',
    auth: 'user',
    ability: 'read',
    method: 'GET',
    url: '/v1/my/trading/terminals/:terminal_id/why',
    summary: 'Explain why a terminal is not running: what is wrong first, and what to do about it',
    response: Envelope(TerminalWhy),
  }),
  explainAnyTerminal: defineRoute({
    tag: 'Terminals (operator)',
    auth: 'operator',
    ability: 'read',
    method: 'GET',
    url: '/v1/operator/terminals/:terminal_id/why',
    summary: 'Explain why a terminal is not running, with what an operator can do about it',
    response: Envelope(TerminalWhy),
  }),
};
