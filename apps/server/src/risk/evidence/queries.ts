/** What is kept of the evidence of breaches. */
import { isWithin } from '../../db/clock.ts';
import { sql, type Queryable } from '../../db/database.ts';

/** How far the evidence of a breach goes. */
export interface EvidenceHead {
  breach_id: string;
  user_id: string;
  lines: number;
  hash: string;
  host_line: number;
  bytes: number;
  left_out: number;
  is_complete: boolean;
}

const headColumns = `breach_id, user_id, lines, hash, host_line, bytes, left_out, is_complete`;

const beginStatement = sql(
  'begin_risk_evidence',
  `insert into risk_evidence_heads (breach_id, user_id, host_id)
   select id, user_id, host_id from risk_breaches where id = $1 and host_id = $2 on conflict (breach_id) do nothing`,
);
const lockStatement = sql(
  'lock_risk_evidence',
  `select ${headColumns} from risk_evidence_heads where breach_id = $1 and host_id = $2 for update`,
);

/** Nobody else adds to it until the transaction ends. @returns undefined where the host has no such breach */
export const lockEvidence = async (
  tx: Queryable,
  hostId: string,
  breachId: string,
): Promise<EvidenceHead | undefined> => {
  const [known] = await tx.query<EvidenceHead>(lockStatement, [breachId, hostId]);
  if (known) return known;
  await tx.query(beginStatement, [breachId, hostId]);
  return (await tx.query<EvidenceHead>(lockStatement, [breachId, hostId]))[0];
};

const usedStatement = sql(
  'count_risk_evidence',
  `select coalesce(sum(bytes), 0)::double precision as bytes from risk_evidence_heads
   where host_id = $1 and user_id = $2 and ${isWithin('written_at', `interval '24 hours'`)}`,
);

/** What a host has said of one user's breaches to which it added something within a day, in bytes. */
export const countEvidence = async (tx: Queryable, hostId: string, userId: string): Promise<number> =>
  (await tx.query<{ bytes: number }>(usedStatement, [hostId, userId]))[0]?.bytes ?? 0;

const addStatement = sql(
  'add_risk_evidence',
  `insert into risk_evidence (breach_id, n, host_line, line)
   select $1, * from unnest($2::integer[], $3::integer[], $4::text[])`,
);
const writeStatement = sql(
  'write_risk_evidence',
  `update risk_evidence_heads set lines = $2, hash = $3, host_line = $4, bytes = $5, left_out = $6, is_complete = $7,
     written_at = now()
   where breach_id = $1`,
);

export interface StoredLine {
  /** Null: the server's own. */
  hostLine: number | null;
  text: string;
}

/** Adds lines, behind those that a head had before. @param head as it is from now on; the caller has locked it */
export const writeEvidence = async (tx: Queryable, head: EvidenceHead, added: readonly StoredLine[]): Promise<void> => {
  const { breach_id, lines, hash, host_line, bytes, left_out, is_complete } = head;
  if (added.length > 0) {
    const first = lines - added.length + 1;
    const places = added.map((_, index) => first + index);
    const hostLines = added.map(({ hostLine }) => hostLine);
    await tx.query(addStatement, [breach_id, places, hostLines, added.map(({ text }) => text)]);
  }
  await tx.query(writeStatement, [breach_id, lines, hash, host_line, bytes, left_out, is_complete]);
};

const findHeadStatement = sql(
  'find_risk_evidence',
  `select ${headColumns} from risk_evidence_heads where breach_id = $1 and user_id = $2`,
);
const listStatement = sql(
  'list_risk_evidence',
  `select e.line from risk_evidence e join risk_breaches b on b.id = e.breach_id
   where e.breach_id = $1 and b.user_id = $2 and e.n <= $3 order by e.n`,
);

/** What is kept of the user's breach: how far it goes, and its lines; undefined where nothing is. */
export const findEvidence = async (
  db: Queryable,
  userId: string,
  breachId: string,
): Promise<{ head: EvidenceHead; texts: string[] } | undefined> => {
  const [head] = await db.query<EvidenceHead>(findHeadStatement, [breachId, userId]);
  if (!head) return undefined;
  const rows = await db.query<{ line: string }>(listStatement, [breachId, userId, head.lines]);
  return { head, texts: rows.map(({ line }) => line) };
};
