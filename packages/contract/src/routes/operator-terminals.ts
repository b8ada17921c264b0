import { AnyBoundedPagination, notEmpty, pageQuery, Type } from '../schema.ts';
import { OperatorTerminal } from '../terminals/why.ts';
import { defineRoute } from './route.ts';

const id = { ...notEmpty, maxLength: 255 };

export const operatorTerminalRoutes = {
  listAllTerminals: defineRoute({
    tag: 'Terminals (operator)',
    auth: 'operator',
    ability: 'read',
    method: 'GET',
    url: '/v1/operator/terminals',
    summary: 'List the terminals of all users, newest first',
    query: Type.Object({
      ...pageQuery(),
      search: Type.Optional(
        Type.String({
          ...notEmpty,
          maxLength: 255,
          description: "In its name, login and trading server, and in its user's name and e-mail address",
        }),
      ),
      user_id: Type.Optional(Type.String({ ...id, description: 'Of this user' })),
      host_id: Type.Optional(Type.String({ ...id, description: 'On this host' })),
      status: Type.Optional(
        Type.String({
          ...notEmpty,
          terminalStatusList: true,
          description: 'Statuses or their names, comma-separated: `3` or `failed,login_failed`',
        }),
      ),
    }),
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(OperatorTerminal),
      pagination: AnyBoundedPagination,
    }),
  }),
};
