import { TaskType } from '@berth/contract';
import { expect, test } from 'vitest';
import { LauncherError } from '../src/launchers/launcher.ts';
import { optionsWebRequest } from '../src/platforms/metatrader/tasks/options-web-request.ts';
import { StepRecorder } from '../src/platforms/metatrader/tasks/step-recorder.ts';
import type { TerminalParts, TaskRun } from '../src/platforms/metatrader/tasks/task-run.ts';

type Run = TaskRun<'OPTIONS_WEB_REQUEST'>;

/** A terminal whose dialog keeps what `keep` makes of the addresses that are entered. */
const change = async (keep: (urls: readonly string[]) => string[], payload: Run['payload']) => {
  let list = ['https://a.example'];
  let remembered: string[] = [];
  const terminal = {
    window: {
      listWebRequestUrls: async () => [...list],
      setWebRequestUrls: async (urls: readonly string[]) => {
        list = keep(urls);
        if (list.includes('https://gone.example')) throw new LauncherError('screen', 'The dialog is gone.');
      },
    },
    record: {
      get: () => ({ isInstalled: true }),
      update: async ({ webRequestUrls }: { webRequestUrls: string[] }) => void (remembered = webRequestUrls),
    },
    live: { isAlive: () => true },
  } as unknown as TerminalParts;
  const steps = new StepRecorder(new AbortController().signal);
  const run = { payload, terminal, steps, task: { type: TaskType.OPTIONS_WEB_REQUEST } } as unknown as Run;
  await optionsWebRequest(run).catch(() => undefined);
  return { list, remembered, step: steps.steps.at(-1)! };
};

test.each<[string, string, (urls: readonly string[]) => string[]]>([
  [
    'that keeps another address than the one entered',
    'E_UNSUPPORTED',
    (urls) => urls.map((url) => url.replace('b.', 'c.')),
  ],
  ['that keeps the address twice', 'E_UNSUPPORTED', (urls) => [...urls, ...urls.slice(1)]],
])('a list %s is as it was before the task', async (_, code, keep) => {
  const { list, remembered, step } = await change(keep, { url: 'https://b.example' });
  expect([list, remembered, step.code]).toEqual([['https://a.example'], [], code]);
});

test('a list is as it was before a task whose dialog went away after it was changed', async () => {
  const { list, step } = await change((urls) => [...urls], { url: 'https://gone.example' });
  expect([list, step.ok]).toEqual([['https://a.example'], false]);
});

test('the message is about the address of the task, and the data about the whole list', async () => {
  const added = await change((urls) => [...urls], { url: 'https://b.example' });
  const both = ['https://a.example', 'https://b.example'];
  expect([added.step.message, added.step.data, added.remembered]).toEqual([
    'Experts may call https://b.example.',
    { urls: both },
    both,
  ]);
  const removed = await change((urls) => [...urls], { url: 'https://a.example', remove: 1 });
  expect([removed.step.message, removed.list]).toEqual(['Experts may not call https://a.example.', []]);
});
