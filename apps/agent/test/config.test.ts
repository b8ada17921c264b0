import { expect, test } from 'vitest';
import { ConfigError } from '@berth/kit';
import { readConfig } from '../src/config.ts';

const defaults = { directory: '/data/agent', sandboxDist: '/dist', windowsDist: '/windows' };
const enough = { BERTH_SERVER_URL: 'http://127.0.0.1:4000', BERTH_SANDBOX_NETWORK: '/network' };

const listMistakes = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(env, defaults);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
};

test('the configuration needs little and fills in the rest', () => {
  expect(readConfig(enough, defaults)).toMatchObject({
    serverUrl: 'http://127.0.0.1:4000',
    directory: '/data/agent',
    hosts: ['host'],
    joinToken: undefined,
    offers: [{ platform: 'sandbox', launcher: 'process' }],
    sandbox: { networkFile: '/network', programFolder: '/dist' },
    slots: 64,
    logLevel: 'info',
  });
});

test('the configuration names every mistake at once', () => {
  const mistakes = listMistakes({
    BERTH_AGENT_HOSTS: '[{"name":"../etc"}]',
    BERTH_AGENT_PLATFORMS: 'mt9',
    BERTH_AGENT_SLOTS: '0',
    BERTH_LOG_LEVEL: 'loud',
  });
  expect(mistakes.map((mistake) => mistake.split(' ')[0]).sort()).toEqual([
    'BERTH_AGENT_HOSTS',
    'BERTH_AGENT_PLATFORMS',
    'BERTH_AGENT_SLOTS',
    'BERTH_LOG_LEVEL',
    'BERTH_SERVER_URL',
  ]);
});

test.each(['sandbox', ' sandbox:process '])(
  'the configuration knows %j as a platform and its launcher',
  (platforms) => {
    const { offers } = readConfig({ ...enough, BERTH_AGENT_PLATFORMS: platforms }, defaults);
    expect(offers).toEqual([{ platform: 'sandbox', launcher: 'process' }]);
  },
);

test('the configuration offers real terminals through Wine, in boxes by default', () => {
  const config = readConfig({ ...enough, BERTH_AGENT_PLATFORMS: 'sandbox,mt5' }, defaults);
  expect(config.offers).toEqual([
    { platform: 'sandbox', launcher: 'process' },
    { platform: 'mt5', launcher: 'wine' },
  ]);
  expect(config.basesFolder).toBe('/data/agent/bases');
  expect(config.wine).toMatchObject({ isolation: 'full', programFolder: '/windows' });
});

test.each([
  'sandbox:wine',
  'mt5:windows',
  'sandbox:',
  'sandbox:process:2',
  ':process',
  'toString',
  'sandbox,sandbox:process',
])('the configuration refuses %j as platforms, and names those that it knows', (platforms) => {
  const mistakes = listMistakes({ ...enough, BERTH_AGENT_PLATFORMS: platforms });
  expect(mistakes).toEqual([
    'BERTH_AGENT_PLATFORMS must list some of sandbox:process, mt5:wine, mt4:wine, each platform once',
  ]);
});

test.each(['{', '[]', '"a"', '[1]', '[{"name":""}]', '[{"name":"a/b"}]', '[{"name":"a"},{"name":"a"}]', 'null'])(
  'the configuration refuses %s as hosts',
  (hosts) => {
    expect(listMistakes({ ...enough, BERTH_AGENT_HOSTS: hosts })).toHaveLength(1);
  },
);

test('the configuration takes a join token for one host only, and never repeats it in a mistake', () => {
  const hosts = '[{"name":"a"},{"name":"b"}]';
  const mistakes = listMistakes({ ...enough, BERTH_AGENT_HOSTS: hosts, BERTH_JOIN_TOKEN: 'secret-token' });
  expect(mistakes).toHaveLength(1);
  expect(mistakes[0]).not.toContain('secret-token');
});
