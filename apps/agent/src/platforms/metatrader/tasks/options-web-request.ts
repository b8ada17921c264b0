import { StepFailure } from '../step-failure.ts';
import { assertRunning, type TaskHandler } from './task-run.ts';

/** OPTIONS_WEB_REQUEST. The list is remembered, because a killed terminal loses it. */
export const optionsWebRequest: TaskHandler<'OPTIONS_WEB_REQUEST'> = async ({ payload, terminal, steps }) => {
  const { operator, record } = terminal;
  await steps.run('change_list', async () => {
    assertRunning(terminal);
    const url = new URL(payload.url).origin;
    const others = (await operator.listWebRequestUrls()).filter((each) => each !== url);
    const wanted = payload.remove === 1 ? others : [...others, url];
    await operator.setWebRequestUrls(wanted);
    const urls = await operator.listWebRequestUrls();
    if (urls.length !== wanted.length || !wanted.every((each) => urls.includes(each))) {
      throw new StepFailure('E_UNSUPPORTED', 'The terminal did not take the list. Enter it by hand on its screen.');
    }
    await record.update({ webRequestUrls: urls });
    const count = urls.length === 1 ? '1 address' : `${urls.length} addresses`;
    return { message: `Experts may call ${count}.`, data: { urls } };
  });
};
