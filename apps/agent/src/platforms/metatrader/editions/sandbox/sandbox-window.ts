import { LauncherError, ScreenRefusal, type Screen } from '../../../../launchers/launcher.ts';
import type { DemoForm, DemoResult, OpenDialog, MainWindow, ScreenshotRequest } from '../../edition.ts';

/** Opening a demo account ends with a login. */
const DEMO_TIMEOUT_MS = 60_000;

const isDemoError = (reason: string) =>
  reason === 'no_connection' || reason === 'unknown_server' || reason === 'refused';

/** Windows for choosing an account show passwords. */
const toDialog = (dialog: unknown): OpenDialog => {
  const { title, text } = dialog as Record<string, unknown>;
  return { title: String(title), text: String(text), isSecret: /account/i.test(String(title)) };
};

/** Operates the sandbox's window with its own commands: `docs/platforms/sandbox.md` lists them. */
export class SandboxWindow implements MainWindow {
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  async capture({ chart, ...size }: ScreenshotRequest): Promise<Buffer> {
    if (chart === null) return this.#screen.capture(size);
    const { png } = await this.#screen.ask({ op: 'screenshot', ...size, chart: chart.file });
    return Buffer.from(String(png), 'base64');
  }

  async openDemo(form: DemoForm): Promise<DemoResult> {
    try {
      const { login, password } = await this.#screen.ask({ op: 'open_demo', ...form }, { timeoutMs: DEMO_TIMEOUT_MS });
      return { ok: true, login: String(login), password: String(password) };
    } catch (error) {
      if (error instanceof ScreenRefusal && isDemoError(error.reason)) return { ok: false, error: error.reason };
      throw error;
    }
  }

  async listWebRequestUrls(): Promise<string[]> {
    const { urls } = await this.#screen.ask({ op: 'web_request_list' });
    return Array.isArray(urls) ? urls.map(String) : [];
  }

  async setWebRequestUrls(urls: readonly string[]): Promise<void> {
    await this.#screen.ask({ op: 'web_request', urls });
  }

  async toggleAlgoTrading(): Promise<boolean> {
    await this.#screen.ask({ op: 'keys', keys: 'ctrl+e' });
    return true;
  }

  async assertAnswers(): Promise<void> {
    const dialogs = await this.listDialogs();
    if (dialogs.length > 0) throw new LauncherError('screen', "A dialog stands in front of the terminal's window.");
  }

  async listDialogs(): Promise<OpenDialog[]> {
    const { dialogs } = await this.#screen.ask({ op: 'dialogs' });
    return Array.isArray(dialogs) ? dialogs.map(toDialog) : [];
  }
}
