/** Windows' own programs that the agent runs: with arguments, never as lines for a shell. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { toXmlText } from './command-line.ts';

export interface WindowsCommand {
  file: string;
  args: readonly string[];
}

/** Runs a command. Rejects when it fails, or takes longer than 30 s. */
export type RunCommand = (command: WindowsCommand) => Promise<void>;

const COMMAND_MS = 30_000;

export const runCommand: RunCommand = async ({ file, args }) => {
  await promisify(execFile)(file, args, { timeout: COMMAND_MS, windowsHide: true });
};

/** What `reg.exe` prints of the code page. */
export const toCodePage = (printed: string): number | undefined => {
  const number = /^\s*ACP\s+REG_SZ\s+(\d{1,5})\s*$/m.exec(printed)?.[1];
  return number === undefined ? undefined : Number(number);
};

/** The code page of this machine for programs without Unicode; null where Windows does not say. */
export const findMachineCodePage = async (): Promise<number | null | undefined> => {
  const args = ['query', 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Nls\\CodePage', '/v', 'ACP'];
  const asking = promisify(execFile)('reg.exe', args, { timeout: COMMAND_MS, windowsHide: true });
  return asking.then(
    ({ stdout }) => toCodePage(stdout) ?? null,
    () => undefined,
  );
};

/** The scheduled task that runs the session helper in its user's session. */
export const SESSION_TASK = '\\Berth\\session';

/** Starts the session helper in its user's session, if that user is signed in. Does nothing where it runs already. */
export const toStartSessionHelper = (): WindowsCommand => ({
  file: 'schtasks.exe',
  args: ['/Run', '/TN', SESSION_TASK],
});

/** Creates the task, or replaces it. */
export const toCreateSessionTask = (definition: string): WindowsCommand => ({
  file: 'schtasks.exe',
  args: ['/Create', '/TN', SESSION_TASK, '/XML', definition, '/F'],
});

/** Ends a process by force, and what it has started. */
export const toKill = (pid: number): WindowsCommand => ({
  file: 'taskkill.exe',
  args: ['/F', '/T', '/PID', String(pid)],
});

export interface SessionTask {
  /** The session helper, as a Windows path. */
  program: string;
  /** The folder of its requests. */
  folder: string;
  /** Whose session it runs in: `MACHINE\name`. */
  user: string;
  /** Who else may start it, as Windows numbers accounts (`S-1-5-80-…`): that of the agent. */
  starter: string;
}

/**
 * The session helper's task. It runs with the user's own rights in the user's session, from each logon and whenever the
 * agent starts it, for as long as the session lasts; a failed one is restarted after a minute. Its priority is that of
 * programs started by a person: tasks have a lower one by default, which all terminals would inherit.
 */
export const toSessionTaskXml = ({ program, folder, user, starter }: SessionTask): string => {
  const [userText, programText] = [toXmlText(user), toXmlText(program)];
  const rights = toXmlText(`D:(A;;FA;;;SY)(A;;FA;;;BA)(A;;FRFX;;;${starter})`);
  const lines = [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    '  <RegistrationInfo>',
    '    <Description>Runs the terminals of this Berth host in the session of its user.</Description>',
    `    <SecurityDescriptor>${rights}</SecurityDescriptor>`,
    '  </RegistrationInfo>',
    '  <Triggers>',
    `    <LogonTrigger><Enabled>true</Enabled><UserId>${userText}</UserId></LogonTrigger>`,
    '  </Triggers>',
    '  <Principals>',
    '    <Principal id="Author">',
    `      <UserId>${userText}</UserId>`,
    '      <LogonType>InteractiveToken</LogonType>',
    '      <RunLevel>LeastPrivilege</RunLevel>',
    '    </Principal>',
    '  </Principals>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    '    <AllowStartOnDemand>true</AllowStartOnDemand>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '    <Priority>5</Priority>',
    '    <RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>',
    '  </Settings>',
    '  <Actions Context="Author">',
    '    <Exec>',
    `      <Command>${programText}</Command>`,
    `      <Arguments>serve ${toXmlText(folder)}</Arguments>`,
    '    </Exec>',
    '  </Actions>',
    '</Task>',
  ];
  return `${lines.join('\r\n')}\r\n`;
};

/** As schtasks.exe reads it: UTF-16 with a byte order mark. */
export const toTaskFile = (xml: string): Buffer => Buffer.from(`\ufeff${xml}`, 'utf16le');
