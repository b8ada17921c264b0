/** What each statement of the evidence of breaches does when it alone stands between two owners, or two hosts. */
import { withRules } from './risk-statements.ts';
import type { Look } from './single-statements.ts';

/** Evidence of the owner's breach, of its host, with a line. */
const withEvidence =
  (look: Parameters<typeof withRules>[0], writtenAt = 'now()'): Look =>
  (tx, scene) =>
    withRules(async (...input) => {
      const [, , { breachId }] = input;
      await tx.plant(
        `insert into risk_evidence_heads (breach_id, user_id, host_id, written_at, lines, bytes) values ($1, $2, $3, ${writtenAt}, 1, 7)`,
        [breachId, scene.owner.user.id, scene.host.id],
      );
      await tx.plant(`insert into risk_evidence (breach_id, n, line) values ($1, 1, 'x')`, [breachId]);
      return look(...input);
    })(tx, scene);

export const anothersEvidence: Look[] = [
  withRules(async ({ run, plant }, { otherHost }, { breachId }) => {
    await run('begin_risk_evidence', [breachId, otherHost.id]);
    return plant('select count(*) as total from risk_evidence_heads', []);
  }),
  withEvidence(
    async ({ run }, { otherHost }, { breachId }) => (await run('lock_risk_evidence', [breachId, otherHost.id])).length,
  ),
  withEvidence(({ run }, { owner, otherHost }) => run('count_risk_evidence', [otherHost.id, owner.user.id])),
  withEvidence(({ run }, { stranger, host }) => run('count_risk_evidence', [host.id, stranger.user.id])),
  withEvidence(
    ({ run }, { owner, host }) => run('count_risk_evidence', [host.id, owner.user.id]),
    `now() - interval '2 days'`,
  ),
  withEvidence(
    async ({ run }, { stranger }, { breachId }) =>
      (await run('find_risk_evidence', [breachId, stranger.user.id])).length,
  ),
  withEvidence(
    async ({ run }, { stranger }, { breachId }) =>
      (await run('list_risk_evidence', [breachId, stranger.user.id, 10])).length,
  ),
  withEvidence(
    async ({ run }, { stranger }, { breachId }) =>
      (await run('find_breach_facts', [breachId, stranger.user.id])).length,
  ),
  withRules(async ({ run, plant }, { owner, stranger, terminalId }, { breachId }) => {
    await plant(
      `with account as (
         insert into trading_accounts (terminal_id, login, server_name) values ($1, 'evidence', 'x') returning id
       )
       insert into deals (account_id, ticket, user_id, at, order_ticket, position_id, symbol, side, entry, volume, price,
         commission, swap, profit, magic, comment)
       select id, 1, $2, now(), 0, 0, '', 'balance', 'in', 0, 0, 0, 0, 1, '0', '' from account`,
      [terminalId, owner.user.id],
    );
    const values = [breachId, stranger.user.id, '2000-01-01', '3000-01-01'];
    return (await run('list_breach_deals', values)).length;
  }),
];
