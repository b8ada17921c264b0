import type { FastifyReply } from 'fastify';

/** `{ok, msg, data}`, the usual answer. */
export const toEnvelope = <Data>(msg: string, data: Data): { ok: true; msg: string; data: Data } => ({
  ok: true,
  msg,
  data,
});

/** The same with warnings, both at the end of `msg` and as a list. */
export const toWarningEnvelope = <Data>(msg: string, data: Data, warnings: readonly string[]) => ({
  ...toEnvelope([msg, ...warnings].join(' '), data),
  warnings: [...warnings],
});

/** The list of warnings is included only on request. */
export const showWarnings = <Answer extends object>(answer: Answer, include: 'warnings' | undefined): Answer => {
  if (include !== undefined || !('warnings' in answer)) return answer;
  const { warnings: _, ...rest } = answer;
  return rest as Answer;
};

/** HTTP 200 `{ok:false, msg}`: the request is valid, but the current state does not allow it. */
export const toRefusal = (msg: string): { ok: false; msg: string } => ({ ok: false, msg });

/** The same with its code in a header, for programs. */
export const refuse = (reply: FastifyReply, code: string, msg: string): { ok: false; msg: string } => {
  reply.header('x-error-code', code);
  return toRefusal(msg);
};
