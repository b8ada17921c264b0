/** Accounts that somebody pastes: which lines are read as what, and what is wrong with them. */
import { describe, expect, test } from 'vitest';
import { findTextError, MAX_TEXT_CHARACTERS, readAccounts } from '../src/pages/import/accounts.ts';
import { findSeparator, toCells } from '../src/pages/import/csv.ts';

const choices = {
  regions: [
    { id: 0, label: 'Nuremberg' },
    { id: 3, label: 'London' },
  ],
  projects: [{ id: '01a20354-4ca9-7546-9443-a73e2c923feb', name: 'Prop desk' }],
};

const read = (text: string) => readAccounts(text, choices);
const errorsOf = (text: string) => read(text).accounts.map(({ line, errors }) => [line, ...errors]);

describe('importing accounts', () => {
  test('cells are read with their quotation marks, and a stray one spoils no other line', () => {
    expect(toCells('a; "b;""c""" ;;d"e;', ';')).toEqual(['a', 'b;"c"', '', 'd"e', '']);
    expect(toCells('"open,b', ',')).toEqual(['"open', 'b']);
    expect(toCells('', ',')).toEqual(['']);
    expect(findSeparator('a,b;c;d')).toBe(';');
    expect(findSeparator('a\tb\tc,d')).toBe('\t');
    expect(findSeparator('5001')).toBe('\t');
  });

  test('a line that names the columns is recognised by other names, too, and in any order', () => {
    const text = '\ufeffAccount Number;Trading server;Password;Note;Region;Tags;Project;Platform;External ID\r\n\r\n';
    const { accounts, ignored, header } = read(
      `${text}5001;Harbour-Demo;" a;b ";x;london;eu|=1+1;prop desk;Sandbox (simulated);A-1\r\n`,
    );
    expect(header).toContain('Account Number');
    expect(ignored).toEqual(['Note']);
    expect(accounts).toEqual([
      {
        line: 3,
        raw: expect.any(String),
        errors: [],
        item: {
          server_name: 'Harbour-Demo',
          login: '5001',
          password: ' a;b ',
          region: 3,
          platform: 'sandbox',
          project_id: choices.projects[0]?.id,
          tags: ['eu', '=1+1'],
          external_id: 'A-1',
        },
      },
    ]);
  });

  test('without such a line the order is the one that the page shows', () => {
    const [account] = read('Morning desk,Harbour-Demo,5001,trade-me,0').accounts;
    expect(account?.item).toEqual({
      name: 'Morning desk',
      server_name: 'Harbour-Demo',
      login: '5001',
      password: 'trade-me',
      region: 0,
    });
  });

  test('each line says what is wrong with it, without its password', () => {
    const long = 'p'.repeat(129);
    const text = [
      'server,login,password,region,platform',
      'Harbour-Demo,5001,secret',
      'harbour-demo,005001,secret',
      'Harbour-Demo,,secret',
      `Harbour-Demo,5002,${long}`,
      'Harbour-Demo,5003,secret,Atlantis',
      'Harbour-Demo,50x,secret,,mt5',
      'Harbour-Demo,5004,se,cr,et,0,1',
    ].join('\n');
    expect(errorsOf(text)).toEqual([
      [2],
      [3, 'Same account as line 2.'],
      [4, 'Login is missing.'],
      [5, 'Password must not be longer than 128 characters.'],
      [6, 'Region is unknown.'],
      [7, 'On MetaTrader, a login has only digits.'],
      [8, 'Too many columns. Put cells that contain the separator in quotation marks.'],
    ]);
  });

  test('a text of more than 500 lines, or of many characters, is refused before it is read', () => {
    const row = 'a,Harbour-Demo,5001,secret\n';
    expect(findTextError(`${row.repeat(501)}\n \n`)).toBeUndefined();
    expect(findTextError(row.repeat(502))).toMatch(/up to 500 accounts/);
    expect(findTextError('x'.repeat(MAX_TEXT_CHARACTERS + 1))).toMatch(/too large/);
    expect(read(row.repeat(501)).accounts).toHaveLength(501);
  });
});
