// @module-tag wine
/** `script/agent prepare-base` under real Wine: bases of a terminal's folder, and none of what is no terminal. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@berth/testing/wait-for';
import { beforeAll, describe, expect } from 'vitest';
import { runCommand, startCommand } from './support/host-command.ts';
import { buildLinkProgram, buildWindowsPrograms, linkProgram } from './support/windows-programs.ts';
import { test } from './support/workshop.ts';

beforeAll(() => {
  buildWindowsPrograms('window', 'stand-in', 'editor');
  buildLinkProgram();
});

/** Of an agent whose server cannot be reached: what it does before it asks. */
const AGENT = { BERTH_SERVER_URL: 'http://127.0.0.1:1', BERTH_JOIN_TOKEN: 'none', BERTH_AGENT_PLATFORMS: 'mt5:wine' };

describe.concurrent('a base', () => {
  test('a base is made of the folder of a terminal, without its accounts, journals and links', async ({ workshop }) => {
    writeFileSync(join(workshop.terminal, 'config/accounts.dat'), 'sealed');
    mkdirSync(join(workshop.terminal, 'logs'));
    writeFileSync(join(workshop.terminal, 'logs/20200101.log'), 'old');
    writeFileSync(join(workshop.terminal, 'config/common.ini'), '[Common]\r\nLogin=5001\r\nServer=Harbour-Live\r\n');
    writeFileSync(join(workshop.terminal, 'config/assistant.ini'), '[MCP.MetaTrader]\r\nEnable=1\r\nApiKey=77\r\n');
    writeFileSync(join(workshop.terminal, 'readme.txt'), 'mine');
    workshop.addEditor();
    symlinkSync('/etc/passwd', join(workshop.terminal, 'link'));
    const made = await runCommand(workshop.folder, workshop.fromFolder('--name', 'spring'));
    expect(made.code).toBe(0);
    const root = workshop.installation('spring');
    expect(readdirSync(root)).toContain('readme.txt');
    expect(readdirSync(root)).not.toContain('link');
    // MetaEditor compiled the link program where it is needed, and left neither sources nor logs.
    expect(made.stderr).not.toContain('no account data');
    expect(readFileSync(join(root, 'MQL5/Services/Berth/BerthLink.ex5'))).toEqual(readFileSync(linkProgram));
    expect(readFileSync(join(root, 'MQL5/Experts/Berth/BerthLinkOrders.ex5'), 'utf8')).toBe('simulated program');
    expect(readdirSync(root)).not.toContain('berth-link');
    expect(JSON.parse(readFileSync(join(root, '../../../base.json'), 'utf8'))).toMatchObject({
      link: { version: '1.2.0' },
    });
    expect(readdirSync(root).map((name) => name.toLowerCase())).not.toContain('logs');
    expect(readdirSync(join(root, 'config'))).not.toContain('accounts.dat');
    const read = (file: string) =>
      readFileSync(join(root, 'config', file))
        .toString('latin1')
        .replaceAll('\0', '');
    expect(read('common.ini')).not.toMatch(/5001|Harbour|^(Login|Server)=./m);
    expect(read('assistant.ini')).toContain('Enable=0');
    expect(read('assistant.ini')).not.toContain('ApiKey');
    expect(lstatSync(join(root, 'terminal64.exe')).uid).toBe(process.geteuid?.());
    expect(readdirSync(join(root, '../../dosdevices'))).toEqual(['c:']);
    const again = await runCommand(workshop.folder, workshop.fromFolder('--name', 'spring'));
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('--name');
  });

  test('a base is not made of anything else', async ({ workshop }) => {
    const nothing = join(workshop.folder, 'nothing');
    writeFileSync(nothing, '#!/bin/sh\n');
    const cases: [string[], number, string][] = [
      [['--platform', 'mt5', '--installer', nothing], 1, 'no Windows program'],
      [['--platform', 'mt5', '--installer', join(workshop.folder, 'none')], 1, 'There is no file'],
      [['--platform', 'mt5', '--folder', workshop.folder], 1, 'holds no terminal64.exe'],
      [['--platform', 'mt5'], 2, '--installer FILE or --folder DIR'],
      [['--folder', workshop.terminal], 2, '--platform'],
      [['--platform', 'mt5', '--folder', workshop.terminal, '--name', '../x'], 2, '--name'],
      [['--platform', 'mt5', '--folder', workshop.terminal, '--pin', 'new'], 2, '--pin'],
    ];
    for (const [args, expected, text] of cases) {
      const { code, stderr } = await runCommand(workshop.folder, ['prepare-base', ...args]);
      expect({ args, code }).toEqual({ args, code: expected });
      expect(stderr).toContain(text);
    }
    expect(workshop.listBases()).toEqual([]);
  });
});

describe.concurrent('a preparation', () => {
  test('a preparation that is killed is cleared up by the next start of the agent, with the box that still runs', async ({
    workshop,
  }) => {
    const { child, ended, stderr } = startCommand(workshop.folder, workshop.fromFolder());
    await waitFor(() => stderr().includes('Setting up') && workshop.listBoxes().length > 1, { what: 'the box' });
    child.kill('SIGKILL');
    await ended;
    expect(workshop.listBases()).toEqual([expect.stringMatching(/^\.default\..+\.partial$/)]);
    const agent = startCommand(workshop.folder, [], { environment: AGENT });
    await waitFor(() => workshop.listBases().length === 0, { what: 'the end of the draft' });
    agent.child.kill('SIGTERM');
    await agent.ended;
    expect(workshop.listBoxes()).toEqual([]);
  });

  test('a preparation that is interrupted clears up after itself', async ({ workshop }) => {
    const { child, ended, stderr } = startCommand(workshop.folder, workshop.fromFolder());
    await waitFor(() => stderr().includes('Setting up'), { what: 'the beginning' });
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(stderr()).toContain('no half base was left');
    expect(workshop.listBases()).toEqual([]);
    expect(workshop.listBoxes()).toEqual([]);
  });
});
