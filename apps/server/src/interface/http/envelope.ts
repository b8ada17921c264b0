/** `{ok, msg, data}`, the usual answer. */
export const toEnvelope = <Data>(msg: string, data: Data): { ok: true; msg: string; data: Data } => ({
  ok: true,
  msg,
  data,
});

/** HTTP 200 `{ok:false, msg}`: the request is right, but the state of things forbids it. */
export const toRefusal = (msg: string): { ok: false; msg: string } => ({ ok: false, msg });
