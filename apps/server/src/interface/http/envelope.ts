/** `{ok, msg, data}`, the usual answer. */
export const toEnvelope = <Data>(msg: string, data: Data): { ok: true; msg: string; data: Data } => ({
  ok: true,
  msg,
  data,
});

/** The same with what to mind, at the end of its text and by itself; without it nothing is different. */
export const toWarningEnvelope = <Data>(msg: string, data: Data, warnings: readonly string[]) => ({
  ...toEnvelope([msg, ...warnings].join(' '), data),
  ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
});

/** HTTP 200 `{ok:false, msg}`: the request is right, but the state of things forbids it. */
export const toRefusal = (msg: string): { ok: false; msg: string } => ({ ok: false, msg });
