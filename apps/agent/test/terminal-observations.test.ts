import { agentRoutes, isSingleLine, TerminalStatus } from '@berth/contract';
import { systemClock, systemTiming } from '@berth/kit';
import { expect, test } from 'vitest';
import { ReportOutbox } from '../src/server/report-outbox.ts';
import { TerminalObservations } from '../src/terminals/terminal-observations.ts';

const report = (observation: { reason: string | null; path?: string }) => {
  const outbox = new ReportOutbox(systemTiming);
  new TerminalObservations(outbox, systemClock).report('t', { status: TerminalStatus.DISCONNECTED, ...observation });
  return outbox.peek(1)[0];
};

test('a reason is reported as one line, whatever a broker put into it', () => {
  for (const ending of ['\n', '\0', '\u0085', '\u2028', '\u2029', '\u202e']) {
    const { reason = '' } = report({ reason: `Refused.${ending}Ask${ending}` }) ?? {};
    expect(reason).toBe('Refused. Ask');
    expect(isSingleLine(reason)).toBe(true);
  }
});

test('a path that the protocol cannot carry is left out, so that the status arrives', () => {
  const { path } = agentRoutes.report.body.properties.events.items.properties;
  expect(path).toMatchObject({ singleLine: true, maxLength: 1024 });
  expect(report({ reason: null, path: '/srv/a b' })).toMatchObject({
    status: TerminalStatus.DISCONNECTED,
    path: '/srv/a b',
  });
  for (const bad of ['/srv/a\nb', '/srv/\u2028', `/${'x'.repeat(1024)}`]) {
    expect(report({ reason: null, path: bad })).not.toHaveProperty('path');
  }
});
