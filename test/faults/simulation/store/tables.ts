/** The tables that tasks, hosts and terminals live in, as rows in memory: columns by their names, times in milliseconds. */
import {
  taskDoubleTransitions,
  taskTransitions,
  type TaskResult,
  type TaskStatus,
  type TaskType,
} from '@berth/contract';

export interface TaskRow {
  id: string;
  seq: number;
  lane: number;
  user_id: string;
  host_id: string | null;
  terminal_id: string;
  type: TaskType;
  payload: Record<string, unknown>;
  sealed: string | null;
  result: TaskResult | null;
  status: TaskStatus;
  attempts: number;
  actor: string;
  planned_at: number | null;
  available_at: number | null;
  state_since: number;
  delivered_at: number | null;
  started_at: number | null;
  finished_at: number | null;
}

export interface TerminalRow {
  id: string;
  user_id: string;
  host_id: string | null;
  region_id: number;
  platform: string;
  name: string;
  server_name: string;
  login: string;
  path: string | null;
  locked_reason: string | null;
  trading_allowed: boolean | null;
  trading_reason: string | null;
  status: number;
  status_reason: string | null;
  announced_status: number | null;
  synced_at: number | null;
  waiting_since: number | null;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

export interface HostRow {
  id: string;
  name: string;
  region_id: number;
  platforms: string[];
  capacity: number;
  memory_capacity: number | null;
  terminal_count: number;
  status: number;
  session_id: string | null;
  last_seen_at: number | null;
}

export interface LeaseRow {
  terminal_id: string;
  task_id: string;
  host_id: string;
  session_id: string;
  fence: number;
  expires_at: number;
  deadline_at: number;
}

export interface SchedulerRow {
  last_run_at: number;
  completed_at: number;
  downtime_ended_at: number;
  queue_downtime: number;
  set_back: number;
  time_lost: number;
}

export interface NotificationRow {
  user_id: string;
  type: string;
  resource_id: string;
  count: number;
  created_at: number;
}

export interface Move {
  from: TaskStatus;
  to: TaskStatus;
}

const direct = new Map(taskTransitions.map(([from, to]) => [from * 8 + to, [{ from, to }]]));
const double = new Map(
  taskDoubleTransitions.map(([from, via, to]) => [
    from * 8 + to,
    [
      { from, to: via },
      { from: via, to },
    ],
  ]),
);

export class Tables {
  readonly tasks = new Map<string, TaskRow>();
  /** Those of `tasks` that have not ended, by terminal, in the order of their queue. */
  readonly #openTasks = new Map<string, TaskRow[]>();
  readonly terminals = new Map<string, TerminalRow>();
  readonly hosts = new Map<string, HostRow>();
  /** By terminal. */
  readonly leases = new Map<string, LeaseRow>();
  /** By terminal. */
  readonly passwords = new Map<string, string>();
  readonly notifications: NotificationRow[] = [];
  /** By region and platform: whose turn was the last. */
  readonly placementTurns = new Map<string, { user_id: string }>();
  /** The one row of its table; its intervals in milliseconds. */
  readonly scheduler: SchedulerRow;
  /** Grows with every change. */
  version = 0;
  /** Called for every move of a task, like the history table. */
  onMove: (task: TaskRow, moves: Move[] | undefined) => void = () => undefined;
  /** Undoes the running transaction, last change first; undefined outside of one. */
  undo: (() => void)[] | undefined;
  #seq = 0;

  constructor(now: number) {
    this.scheduler = {
      last_run_at: now,
      completed_at: now,
      downtime_ended_at: 0,
      queue_downtime: 0,
      set_back: 0,
      time_lost: 0,
    };
  }

  /** Changes columns of a row. */
  set<Row extends object>(row: Row, changes: Partial<Row>): void {
    this.version += 1;
    const columns = Object.keys(changes) as (keyof Row)[];
    if (this.undo) {
      const before = columns.map((column) => row[column]);
      this.undo.push(() => columns.forEach((column, index) => (row[column] = before[index]!)));
    }
    for (const column of columns) row[column] = changes[column]!;
  }

  /** As `set`, for a task: what the trigger `tasks_updated` does comes with it. */
  setTask(task: TaskRow, changes: Partial<TaskRow>): void {
    const { status: from, finished_at: finishedAt } = task;
    this.set(task, changes);
    if (finishedAt === null && task.finished_at !== null) {
      this.#close(task);
      this.undo?.push(() => this.#open(task));
    }
    if (task.status === from) return;
    const key = from * 8 + task.status;
    const moves = direct.get(key) ?? double.get(key);
    this.onMove(task, moves);
    if (!moves) throw new Error(`a task cannot move from status ${from} to ${task.status}`);
  }

  put<Row>(table: Map<string, Row>, key: string, row: Row): void {
    this.version += 1;
    const before = table.get(key);
    this.undo?.push(() => {
      if (before === undefined) table.delete(key);
      else table.set(key, before);
    });
    table.set(key, row);
  }

  remove<Row>(table: Map<string, Row>, key: string): void {
    const before = table.get(key);
    if (before === undefined) return;
    this.version += 1;
    this.undo?.push(() => table.set(key, before));
    table.delete(key);
  }

  insertTask(task: TaskRow): void {
    this.#seq += 1;
    task.seq = this.#seq;
    this.put(this.tasks, task.id, task);
    this.#open(task);
    this.undo?.push(() => this.#close(task));
  }

  /** As nothing but a defect does. */
  changeLane(task: TaskRow, lane: number): void {
    if (task.lane === lane) return;
    this.set(task, { lane });
    this.#close(task);
    this.#open(task);
  }

  /** As nothing but a defect does. */
  removeTask(id: string): void {
    const task = this.tasks.get(id);
    if (!task) return;
    this.remove(this.tasks, id);
    this.#close(task);
    this.undo?.push(() => this.#open(task));
  }

  #open(task: TaskRow): void {
    const open = this.#openTasks.get(task.terminal_id) ?? [];
    this.#openTasks.set(task.terminal_id, open);
    const place = open.findIndex(({ lane, seq }) => lane > task.lane || (lane === task.lane && seq > task.seq));
    open.splice(place === -1 ? open.length : place, 0, task);
  }

  #close(task: TaskRow): void {
    const open = this.#openTasks.get(task.terminal_id) ?? [];
    const place = open.indexOf(task);
    if (place !== -1) open.splice(place, 1);
  }

  /** Tasks of one terminal that have not ended, stops first and then oldest first, wherever they are to run. */
  listOpen(terminalId: string): readonly TaskRow[] {
    return this.#openTasks.get(terminalId) ?? [];
  }

  /** As `listOpen`, by terminals. */
  listAllOpen(): Iterable<readonly TaskRow[]> {
    return this.#openTasks.values();
  }

  /** The head of the terminal's queue on a host: the first open task that is due. */
  findHead(hostId: string, terminalId: string, now: number): TaskRow | undefined {
    return this.listOpen(terminalId).find(
      (task) => task.host_id === hostId && (task.planned_at === null || task.planned_at <= now),
    );
  }
}
