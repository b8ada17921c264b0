/** The static types of the API: what a client reads without a cast. The compiler checks them; a wrong one fails the types. */
import { expectTypeOf, it } from 'vitest';
import type { TaskStatus, TerminalStatus } from '../src/values.ts';
import { TaskType } from '../src/values.ts';
import type { CreatedTask, StoredFile, Task, Terminal, TerminalItem, UserNotification } from '../src/index.ts';
import type {
  LiveEvent,
  Refusal,
  Static,
  TaskOf,
  TaskRequest,
  taskRoutes,
  terminalRoutes,
  Host,
} from '../src/index.ts';

it('a status or a type is one of the numbers of its table, a name one of its names', () => {
  expectTypeOf<Task['status']>().toEqualTypeOf<TaskStatus>();
  expectTypeOf<Task['type']>().toEqualTypeOf<TaskType>();
  expectTypeOf<CreatedTask['type']>().toEqualTypeOf<TaskType>();
  expectTypeOf<Terminal['status']>().toEqualTypeOf<TerminalStatus>();
  expectTypeOf<TerminalItem['status']>().toEqualTypeOf<TerminalStatus>();
  expectTypeOf<Terminal['status_name']>().toEqualTypeOf<keyof typeof TerminalStatus>();
  expectTypeOf<Terminal['platform']>().toEqualTypeOf<'mt5' | 'mt4' | 'sandbox'>();
  expectTypeOf<Host['status']>().toEqualTypeOf<0 | 1 | 2 | 3>();
  expectTypeOf<'App\\Notifications\\TaskFailed'>().toExtend<UserNotification['type']>();
  expectTypeOf<string>().not.toExtend<UserNotification['type']>();
  expectTypeOf<StoredFile['size']>().toBeNumber();
});

it('a task has the payload and the result of its type', () => {
  const check = (task: Task) => {
    if (task.type !== TaskType.ACCOUNT_LOGIN) return;
    expectTypeOf(task).toEqualTypeOf<TaskOf<typeof TaskType.ACCOUNT_LOGIN>>();
    expectTypeOf(task.payload.login).toEqualTypeOf<string | undefined>();
    const facts = task.result.runner_result[0]!.data;
    expectTypeOf(facts.ping_ms).toEqualTypeOf<number | null | undefined>();
    // @ts-expect-error: a login takes no screenshot
    void facts.file;
  };
  expectTypeOf(check).toBeFunction();
});

it('a task that takes a screenshot has its URL', () => {
  type Facts = TaskOf<typeof TaskType.SCREENSHOT>['result']['runner_result'][number]['data'];
  expectTypeOf<NonNullable<Facts['file']>['url']>().toBeString();
});

it('a task is ordered with the payload of its type, and without one only where nothing is required', () => {
  const switching: TaskRequest = { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 1 } };
  const screenshot: TaskRequest = { type: TaskType.SCREENSHOT };
  // @ts-expect-error: the switch is required
  const half: TaskRequest = { type: TaskType.OPTIONS_AUTO_TRADE };
  // @ts-expect-error: nobody but the service installs
  const install: TaskRequest = { type: TaskType.TERMINAL_INSTALL };
  void [switching, screenshot, half, install];
});

it('an answer that may be a refusal is distinguished from a success by ok', () => {
  type Answer = Static<(typeof taskRoutes)['createTask']['response']>;
  expectTypeOf<Extract<Answer, { ok: false }>>().toEqualTypeOf<Refusal>();
  expectTypeOf<Extract<Answer, { ok: true }>['data']>().toEqualTypeOf<CreatedTask>();
  type Profile = Static<(typeof terminalRoutes)['getTerminal']['response']>;
  expectTypeOf<Profile['ok']>().toEqualTypeOf<true>();
});

it('a live event has the data of its name', () => {
  type OfTask = Extract<LiveEvent, { event: 'task' }>['data'];
  expectTypeOf<OfTask>().toEqualTypeOf<{ id: string; terminal_id: string; type: TaskType; status: TaskStatus }>();
  expectTypeOf<Extract<LiveEvent, { event: 'reset' }>['data']>().toEqualTypeOf<object>();
});
