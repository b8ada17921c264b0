/**
 * What the API takes and returns, derived from the contract. This is the one file that names the contract: the build
 * writes its types out in full, so that who installs the client needs nothing else (docs/decisions/0025-client.md).
 */
import type {
  accountRoutes,
  alertRoutes,
  auditRoutes,
  authRoutes,
  bulkRunRoutes,
  CreatableTaskType,
  eventRoutes,
  fileRoutes,
  hostRoutes,
  invitationRoutes,
  LiveEvent,
  LiveEventName,
  moveRoutes,
  operatorTerminalRoutes,
  Pagination as ExactPagination,
  projectRoutes,
  scheduleRoutes,
  viewRoutes,
  Static,
  TaskOf,
  TaskPayload,
  TaskResultOf,
  TaskStep as Step,
  taskRoutes,
  tradingRoutes,
  tradingStopRoutes,
  regionRoutes,
  riskRoutes,
  TaskType,
  TaskTypeName,
  TerminalStatus,
  TerminalStatusName,
  terminalRoutes,
  TaskStatus,
  TaskStatusName,
  TSchema,
  userRoutes,
  webhookRoutes,
} from '@berth/contract';

export { AccountStatus, HostStatus, ResultStatus, TaskStatus, TaskType, TerminalStatus } from '@berth/contract/values';
/** One step of a task's `result.runner_result`. */
export type TaskStep = Step;
export type {
  Ability,
  AccountDeal,
  AccountOverview,
  AccountPoint,
  AccountTotals,
  Alert,
  AlertChannel,
  AlertChannelKind,
  AlertChannelSettings,
  AlertChannelTest,
  AlertCondition,
  AlertMessage,
  AlertRule,
  AuditActor,
  AuditEntry,
  AuditTarget,
  BackupState,
  BrowserSession,
  ConfirmedSession,
  Invitation,
  BulkCreation,
  BulkRun,
  BulkRunItem,
  BulkRunState,
  CreatedTask,
  CursorPagination,
  Deal,
  ErrorCode,
  HostDetails as Host,
  HostSamples,
  HostTerminal,
  JoinTokenRecord,
  InitialBalance,
  ManagedUser,
  NotificationSettings,
  OperatorOverview,
  OperatorTerminal,
  OperatorRegion,
  PasswordLink,
  PendingOrder,
  Platform,
  Position,
  Profile,
  Project,
  RegionDetails as Region,
  Samples,
  Schedule,
  ScheduleRun,
  SavedView,
  Snapshot,
  StepCode,
  LibraryExpert,
  StoredFile,
  Task,
  TaskMove,
  TerminalChart,
  TerminalCounts,
  TerminalCreation,
  TerminalOverview,
  TerminalWhy,
  TaskStatusName,
  TaskTypeName,
  TerminalDetails as Terminal,
  TerminalItem as CreatedTerminal,
  TerminalListItem as TerminalItem,
  TerminalMove,
  TerminalStatusName,
  Token,
  TradingAccount,
  RiskRule,
  RiskState,
  RiskBreach,
  EvidenceLine,
  RiskTrial,
  UserEvent,
  UserNotification,
  Webhook,
  WebhookAttempt,
  WebhookDay,
  WebhookDelivery,
} from '@berth/contract';

/** Optional fields may also be given as undefined. */
type Loose<Fields> = {
  [Name in keyof Fields]: Fields[Name] | (Record<never, never> extends Pick<Fields, Name> ? undefined : never);
};
type Body<Route extends { body: TSchema }> = Loose<Static<Route['body']>>;
/** Cursors are for lists, which see to them. */
type Query<Route extends { query: TSchema }> = Loose<Omit<Static<Route['query']>, 'after'>>;
type Data<Route extends { response: TSchema }> = Extract<Static<Route['response']>, { data: unknown }>['data'];

/** Statuses and types of the API, by name or by number. */
type NamesOrNumbers<Name, Value> = readonly (Name | Value)[];

/** What a new account needs. */
export type Registration = Body<typeof authRoutes.register>;
/** A new account, and its token. */
export type Registered = Data<typeof authRoutes.register>;
/** What signing in needs. */
export type Credentials = Body<typeof authRoutes.login>;
/** Who signed in, with a token unless a session was asked for. */
export type SignedIn = Data<typeof authRoutes.login>;
/** Who is signed in. */
export type CurrentSession = Data<typeof authRoutes.getSession>;
/** What a sign-in page may offer. */
export type SignInOptions = Data<typeof authRoutes.getSignInOptions>;
/** What resetting a password needs. */
export type PasswordReset = Body<typeof authRoutes.resetPassword>;

/** Changes to the profile. */
export type ProfileChanges = Body<typeof accountRoutes.updateProfile>;
/** The old password and the new one. */
export type PasswordChange = Body<typeof accountRoutes.changePassword>;
/** What the account is offered. */
export type Offers = Data<typeof accountRoutes.getOffers>;
/** What the account stores, and may store. */
export type StorageUsage = Data<typeof accountRoutes.getUsage>;
/** Name, abilities and expiry of a new token. */
export type NewToken = Body<typeof accountRoutes.createToken>;
/** A new token, with its secret. */
export type CreatedToken = Data<typeof accountRoutes.createToken>;
/** Which notifications, and which page of them. */
export type NotificationQuery = Query<typeof accountRoutes.listNotifications>;
/** Of which kinds of notification to turn on or off. */
export type NotificationSettingsChanges = Body<typeof accountRoutes.updateNotificationSettings>;
/** Which projects, and which page of them. */
export type ProjectQuery = Query<typeof projectRoutes.listProjects>;
/** What a new project needs. */
export type NewProject = Body<typeof projectRoutes.createProject>;
/** Changes to a project. */
export type ProjectChanges = Body<typeof projectRoutes.updateProject>;
/** Which page, and how many items on it. */
export type PageQuery = Query<typeof accountRoutes.listTokens>;

type Statuses = {
  /** One status or several. */
  status?: NamesOrNumbers<TerminalStatusName, TerminalStatus> | undefined;
};
/** Which terminals, in which order, and which page of them. */
export type TerminalQuery = Omit<Query<typeof terminalRoutes.listTerminals>, 'status'> & Statuses;
/** Which terminals are meant by a call for many: `{}` is all of them. */
export type TerminalFilter = Omit<
  Loose<NonNullable<Static<(typeof taskRoutes.createTasks)['body']>['filter']>>,
  'status'
> &
  Statuses;
/** Which terminals are counted, and what is said of them. */
export type TerminalCountQuery = TerminalFilter & Pick<Query<typeof terminalRoutes.countTerminals>, 'include'>;
/** Charts of a terminal in `data`, and when its host saw them. */
export type TerminalCharts = Static<typeof terminalRoutes.listCharts.response>;
/** What to include with each region. */
export type RegionQuery = Query<typeof terminalRoutes.listRegions>;
/** What a new terminal needs. */
export type NewTerminal = Body<typeof terminalRoutes.createTerminal>;
/** What many new terminals need. */
export type NewTerminals = Body<typeof terminalRoutes.createTerminals>;
/** Tags that many terminals get, or lose. */
export type TagChanges = Body<typeof terminalRoutes.tagTerminals>;
/** What became of tags that were added to many terminals, or removed. */
export type TaggedTerminals = Static<typeof terminalRoutes.tagTerminals.response>['data'];
/** Why a terminal is unlocked. */
export type UnlockReason = Body<typeof terminalRoutes.unlockTerminal>;
/** Where a terminal is moved to: exactly one of the two. */
export type MoveDestination = Body<typeof moveRoutes.moveTerminal>;
/** What to include with a terminal. */
export type TerminalInclude = Query<typeof terminalRoutes.getTerminal>;
/** Which experts are listed. */
export type ExpertQuery = Query<typeof fileRoutes.listExperts>;
/** Changes to a terminal. */
export type TerminalChanges = Body<typeof terminalRoutes.updateTerminal>;
/** Period and step of the samples. */
export type SamplesQuery = Query<typeof terminalRoutes.getSamples>;

/** Tasks of one terminal that a list shows: the API takes one status and one type here. */
export type TaskQuery = Omit<Query<typeof taskRoutes.listTasks>, 'status' | 'type'> & {
  /** Only tasks with this status. */
  status?: TaskStatusName | TaskStatus | undefined;
  /** Only tasks of this type. */
  type?: TaskTypeName | TaskType | undefined;
};
/** The same for all terminals of the account. */
export type AllTasksQuery = Omit<Query<typeof taskRoutes.listAllTasks>, 'status' | 'type'> & {
  /** Only tasks with one of these statuses. */
  status?: NamesOrNumbers<TaskStatusName, TaskStatus> | undefined;
  /** Only tasks of one of these types. */
  type?: NamesOrNumbers<TaskTypeName, TaskType> | undefined;
};

/** Which page of the items of a run, and of which state. */
export type BulkRunItemsQuery = Query<typeof bulkRunRoutes.listBulkRunItems>;

/** A stop of all algo trading. */
export type TradingStop = Data<typeof tradingStopRoutes.startTradingStop>;
/** The stop, if there is one, and which terminals one would reach. */
export type TradingStopState = Data<typeof tradingStopRoutes.getTradingStop>;
/** What became of it. */
export type TradingStopEnd = Data<typeof tradingStopRoutes.endTradingStop>;

/** Which events, and from where on. */
export type EventQuery = Loose<Static<typeof eventRoutes.listEvents.query>>;
/** A page of events. The `id` of its last one is where to go on from. */
export type EventPage = Static<typeof eventRoutes.listEvents.response>;

/** Filters and columns to save. */
export type NewView = Body<typeof viewRoutes.saveView>;
/** What a new schedule needs. */
export type NewSchedule = Body<typeof scheduleRoutes.createSchedule>;
/** Changes to a schedule. */
export type ScheduleChanges = Body<typeof scheduleRoutes.updateSchedule>;
/** Which page of schedules. */
export type ScheduleQuery = Loose<Static<typeof scheduleRoutes.listSchedules.query>>;
/** A page of schedules. */
export type SchedulePage = Static<typeof scheduleRoutes.listSchedules.response>;

/** Period and step of an account's history. */
export type AccountHistoryQuery = Query<typeof tradingRoutes.getAccountHistory>;
/** What an owner says of an account. */
export type AccountChanges = Body<typeof tradingRoutes.updateAccount>;
/** Balance and equity over time. */
export type AccountHistory = Data<typeof tradingRoutes.getAccountHistory>;
/** Which deals, and from where on. */
export type DealQuery = Loose<Static<typeof tradingRoutes.listDeals.query>>;
/** A page of the deals of one terminal. `complete_until`: until then there is no gap. */
export type DealPage = Static<typeof tradingRoutes.listDeals.response>;
/** Which deals of all terminals, and which page of them. */
export type AllDealsQuery = Loose<Static<typeof tradingRoutes.listAllDeals.query>>;
/** A page of the deals of all terminals. `complete_until`: until then there is no gap. */
export type AllDealsPage = Static<typeof tradingRoutes.listAllDeals.response>;
/** Which terminals, and which page of them. */
export type AccountsQuery = Omit<Loose<Static<typeof tradingRoutes.getAccountsOverview.query>>, 'ids'> & {
  /** Only these terminals, up to 100. */
  ids?: readonly string[] | undefined;
};
/** A page of accounts, and the totals of all that match. */
export type AccountsPage = Static<typeof tradingRoutes.getAccountsOverview.response>;

/** What a new rule needs. */
export type NewRiskRule = Body<typeof riskRoutes.createRiskRule>;
/** Changes to a rule. */
export type RiskRuleChanges = Body<typeof riskRoutes.updateRiskRule>;
/** Which page of rules. */
export type RiskRuleQuery = Loose<Static<typeof riskRoutes.listRiskRules.query>>;
/** A page of rules. */
export type RiskRulePage = Static<typeof riskRoutes.listRiskRules.response>;
/** Which page of the states of a rule. */
export type RiskStateQuery = Loose<Static<typeof riskRoutes.readRiskState.query>>;
/** A page of the states of a rule. */
export type RiskStatePage = Static<typeof riskRoutes.readRiskState.response>;
/** A rule, and the past that it is tried on. */
export interface RiskTrialRequest {
  /** As one that would be created. */
  rule: NewRiskRule;
  /** ISO 8601. */
  from: string;
  /** ISO 8601. */
  to: string;
}
/** Which breaches, and which page of them. */
export type RiskBreachQuery = Loose<Static<typeof riskRoutes.listRiskBreaches.query>>;
/** A page of breaches. */
export type RiskBreachPage = Static<typeof riskRoutes.listRiskBreaches.response>;

/** Which rows of your audit log, and which page of them. */
export type AuditQuery = Loose<Static<typeof auditRoutes.listOwnAuditLog.query>>;
/** The same for operators. */
export type OperatorAuditQuery = Loose<Static<typeof auditRoutes.listAuditLog.query>>;
/** A page of the audit log. */
export type AuditPage = Static<typeof auditRoutes.listAuditLog.response>;

/** What a new webhook needs. */
export type NewWebhook = Body<typeof webhookRoutes.createWebhook>;
/** A new webhook, or one with a new secret. */
export type CreatedWebhook = Data<typeof webhookRoutes.createWebhook>;
/** Changes to a webhook. */
export type WebhookChanges = Body<typeof webhookRoutes.updateWebhook>;
/** Which page of webhooks. */
export type WebhookQuery = Loose<Static<typeof webhookRoutes.listWebhooks.query>>;
/** A page of webhooks. */
export type WebhookPage = Static<typeof webhookRoutes.listWebhooks.response>;
/** Which deliveries, and which page of them. */
export type DeliveryQuery = Loose<Static<typeof webhookRoutes.listDeliveries.query>>;
/** How many deliveries are sent again. */
export type ResentDeliveries = Data<typeof webhookRoutes.resendFailed>;
/** A page of deliveries. */
export type DeliveryPage = Static<typeof webhookRoutes.listDeliveries.response>;

/** What a new channel of alerts needs. */
export type NewAlertChannel = Body<typeof alertRoutes.createAlertChannel>;
/** Changes to a channel of alerts. */
export type AlertChannelChanges = Body<typeof alertRoutes.updateAlertChannel>;
/** Which page of channels. */
export type AlertChannelQuery = Loose<Static<typeof alertRoutes.listAlertChannels.query>>;
/** A page of channels. */
export type AlertChannelPage = Static<typeof alertRoutes.listAlertChannels.response>;
/** What a new rule of alerts needs. */
export type NewAlertRule = Body<typeof alertRoutes.createAlertRule>;
/** Changes to a rule of alerts. */
export type AlertRuleChanges = Body<typeof alertRoutes.updateAlertRule>;
/** Which page of rules. */
export type AlertRuleQuery = Loose<Static<typeof alertRoutes.listAlertRules.query>>;
/** A page of rules. */
export type AlertRulePage = Static<typeof alertRoutes.listAlertRules.response>;
/** Which alerts, and which page of them. */
export type AlertQuery = Loose<Static<typeof alertRoutes.listAlerts.query>>;
/** A page of alerts. */
export type AlertPage = Static<typeof alertRoutes.listAlerts.response>;

type NumberOf<Name extends TaskTypeName> = (typeof TaskType)[Name];
type NameOf<Type extends TaskType> = {
  [Name in TaskTypeName]: NumberOf<Name> extends Type ? Name : never;
}[TaskTypeName];
/** Types of task that a user can create. */
export type CreatableTaskName = NameOf<CreatableTaskType>;
/** Types of task that one call can give to many terminals. */
export type BulkTaskName = Exclude<CreatableTaskName, 'TERMINAL_DESTROY'>;
/** What each type of task takes. */
export type TaskPayloads = { [Name in TaskTypeName]: TaskPayload<NumberOf<Name>> };
/** A task of each type, with its payload and its result. */
export type Tasks = { [Name in TaskTypeName]: TaskOf<NumberOf<Name>> };
/** A step of a task of each type. */
export type TaskSteps = { [Name in TaskTypeName]: TaskResultOf<NumberOf<Name>>['runner_result'][number] };
/** What the last step of a task of each type states. */
export type TaskAnswers = { [Name in TaskTypeName]: TaskSteps[Name]['data'] };

/** Where a page is in its list. */
export type Pagination = ExactPagination & {
  /** false: the list has more items than `total` says, which is as far as they were counted; absent where all were. */
  is_total_exact?: boolean;
};
/** A page of files, and how much storage all of them use. */
export type StoredFiles = Omit<Static<(typeof fileRoutes.listFiles)['response']>, 'pagination'> & {
  pagination: Pagination;
};
/** Which page of hosts, and what to include. */
export type HostQuery = Query<typeof hostRoutes.listHosts>;
/** What changes of a host; what is not given stays. */
export type HostChanges = Body<typeof hostRoutes.updateHost>;
/** Whether terminals are stopped, and by when. */
export type NewDrain = Body<typeof hostRoutes.drainHost>;
/** Whether the host takes new terminals again. */
export type DrainEnd = Query<typeof hostRoutes.endDrain>;
/** Which samples of a host. */
export type HostSampleQuery = Query<typeof hostRoutes.getHostSamples>;
/** Name and region of the host to enrol. */
export type NewJoinToken = Body<typeof hostRoutes.createJoinToken>;
/** A join token. */
export type JoinToken = Data<typeof hostRoutes.createJoinToken>;

/** Which terminals of all users, and which page of them. */
export type AllTerminalsQuery = Omit<Query<typeof operatorTerminalRoutes.listAllTerminals>, 'status'> & Statuses;
/** Which page of users, and which of them. */
export type UserQuery = Query<typeof userRoutes.listUsers>;
/** What somebody accepts an invitation with. */
export type InvitationAcceptance = Body<typeof authRoutes.acceptInvitation>;
/** Who accepted an invitation, and signs in with this address. */
export type AcceptedInvitation = Data<typeof authRoutes.acceptInvitation>;
/** What somebody is invited with. */
export type NewInvitation = Body<typeof invitationRoutes.createInvitation>;
/** An invitation, and the link with which it is accepted. */
export type CreatedInvitation = Data<typeof invitationRoutes.createInvitation>;
/** A new user, and the link to set the first password. */
export type CreatedUser = Data<typeof userRoutes.createUser>;
/** What a user is created with. */
export type NewUser = Body<typeof userRoutes.createUser>;
/** What changes of a user; what is not given stays. */
export type UserChanges = Body<typeof userRoutes.updateUser>;
/** Why an account is closed. */
export type UserClosing = Body<typeof userRoutes.closeUser>;
/** What a region is added with. */
export type NewRegion = Body<typeof regionRoutes.createRegion>;
/** What changes of a region; what is not given stays. */
export type RegionChanges = Body<typeof regionRoutes.updateRegion>;
export type { LiveEvent, LiveEventName };
