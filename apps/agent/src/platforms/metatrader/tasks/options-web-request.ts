import { StepFailure } from '../step-failure.ts';
import { assertRunning, type TaskHandler } from './task-run.ts';

/** OPTIONS_WEB_REQUEST. The list is remembered, because a killed terminal loses it. A failure leaves it as it was. */
export const optionsWebRequest: TaskHandler<'OPTIONS_WEB_REQUEST'> = async ({ payload, terminal, steps }) => {
  const { window, record } = terminal;
  await steps.run('change_list', async () => {
    assertRunning(terminal);
    const url = new URL(payload.url).origin;
    const before = await window.listWebRequestUrls();
    const others = before.filter((each) => each !== url);
    const isRemoval = payload.remove === 1;
    const wanted = isRemoval ? others : [...others, url];
    try {
      await window.setWebRequestUrls(wanted);
      const urls = await window.listWebRequestUrls();
      if (urls.length !== wanted.length || !wanted.every((each) => urls.includes(each))) {
        throw new StepFailure('E_UNSUPPORTED', 'The terminal did not take the list. Enter it by hand on its screen.');
      }
      await record.update({ webRequestUrls: urls });
      return { message: isRemoval ? `Experts may not call ${url}.` : `Experts may call ${url}.`, data: { urls } };
    } catch (error) {
      await window.setWebRequestUrls(before).catch(() => undefined);
      throw error;
    }
  });
};
