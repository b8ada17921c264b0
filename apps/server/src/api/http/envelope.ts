/** `{ok, msg, data}`, the usual answer. */
export const toEnvelope = <Data>(msg: string, data: Data): { ok: true; msg: string; data: Data } => ({
  ok: true,
  msg,
  data,
});

/** The same with what to mind, at the end of its text and by itself. */
export const toWarningEnvelope = <Data>(msg: string, data: Data, warnings: readonly string[]) => ({
  ...toEnvelope([msg, ...warnings].join(' '), data),
  warnings: [...warnings],
});

/** Warnings by themselves are shown to those who ask for them. */
export const showWarnings = <Answer extends object>(answer: Answer, include: 'warnings' | undefined): Answer => {
  if (include !== undefined || !('warnings' in answer)) return answer;
  const { warnings: _, ...rest } = answer;
  return rest as Answer;
};

/** HTTP 200 `{ok:false, msg}`: the request is right, but the state of things forbids it. */
export const toRefusal = (msg: string): { ok: false; msg: string } => ({ ok: false, msg });
