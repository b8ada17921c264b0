import type { BasedPlatform } from '../../bases/places.ts';
import type { ProbeAccount } from './account.ts';

/** The text of a start file. MetaTrader 4 has no sections. Pure. */
export const toStartText = (platform: BasedPlatform, account: Partial<ProbeAccount>): string => {
  const { login, password, server } = account;
  const lines = [
    ...(login === undefined ? [] : [`Login=${login}`]),
    ...(password === undefined ? [] : [`Password=${password}`]),
    ...(server === undefined ? [] : [`Server=${server}`]),
  ];
  if (platform === 'mt4') return [...lines, 'ExpertsEnable=true', ''].join('\r\n');
  const experts = ['[Experts]', 'AllowLiveTrading=1', 'Enabled=1', 'Account=0', 'Profile=0'];
  return ['[Common]', ...lines, 'KeepPrivate=1', ...experts, ''].join('\r\n');
};

/** Anything but ASCII needs a UTF-16 byte order mark. Pure. */
export const encodeStartText = (text: string, isWide = Buffer.byteLength(text) !== text.length): Buffer =>
  isWide ? Buffer.from(`\ufeff${text}`, 'utf16le') : Buffer.from(text, 'utf8');
