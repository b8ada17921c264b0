export type Environment = Record<string, string | undefined>;

/** Every mistake in the environment at once, each with the name of its variable. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(`Invalid configuration:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`);
    this.name = 'ConfigError';
    this.mistakes = mistakes;
  }
}

/**
 * Reads variables, collecting mistakes; `finish` throws a ConfigError when there were any. An empty value counts as unset.
 * @example
 * import { EnvReader } from '@berth/kit';
 * const env = new EnvReader({ BERTH_PORT: '4000' });
 * const port = env.integer('BERTH_PORT', { fallback: 80, min: 1, max: 65_535 }); // => 4000
 * env.finish();
 */
export class EnvReader {
  readonly #env: Environment;
  readonly #mistakes: string[] = [];

  constructor(env: Environment) {
    this.#env = env;
  }

  text(name: string): string | undefined {
    const value = this.#env[name]?.trim();
    return value === '' ? undefined : value;
  }

  integer(name: string, { fallback, min, max }: { fallback: number; min: number; max: number }): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    this.reject(name, `must be an integer from ${min} to ${max}, not "${text}"`);
    return fallback;
  }

  choice<const Choice extends string, const Fallback>(
    name: string,
    choices: readonly Choice[],
    fallback: Fallback,
  ): Choice | Fallback {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const found = choices.find((choice) => choice === text);
    if (found === undefined) this.reject(name, `must be one of ${choices.join(', ')}, not "${text}"`);
    return found ?? fallback;
  }

  url(name: string, protocols: readonly string[]): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
    this.reject(name, `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
    return undefined;
  }

  reject(name: string, mistake: string): void {
    this.#mistakes.push(`${name} ${mistake}`);
  }

  finish(): void {
    if (this.#mistakes.length > 0) throw new ConfigError(this.#mistakes);
  }
}
