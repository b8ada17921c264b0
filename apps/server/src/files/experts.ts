/** Experts of a user: the files that were uploaded, and what hosts saw on the charts of the user's terminals. */
import { MAX_EXPERT_TERMINALS, MAX_LISTED_EXPERTS, MAX_RUN_TERMINALS, type LibraryExpert } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

const listFilesStatement = sql(
  'list_expert_files',
  `select id, name, size, sha256, created_at from (
     select distinct on (sha256) id, name, size, sha256, created_at from files
     where user_id = $1 and task_id is null and (expires_at is null or expires_at > now()) and name ~* '\\.ex[45]$'
       and ($2::text is null or sha256 = $2)
     order by sha256, created_at desc
   ) newest order by created_at desc, id desc limit ${MAX_LISTED_EXPERTS}`,
);

type FileRow = NonNullable<LibraryExpert['file']> & { sha256: string };

/** Charts are read terminal by terminal, by their key: of as many terminals as a run may have. */
const listRunningStatement = sql(
  'list_running_experts',
  `with seen as materialized (
     select t.id, (select c.charts from terminal_charts c where c.terminal_id = t.id and c.host_id = t.host_id) as charts
     from terminals t where t.user_id = $1 and t.deleted_at is null limit ${MAX_RUN_TERMINALS}
   ), used as (
     select distinct s.id, e.chart #>> '{expert,name}' as name, e.chart #>> '{expert,sha256}' as sha256
     from seen s cross join lateral json_array_elements(s.charts) as e (chart)
   )
   select name, sha256, count(*) as terminals, (array_agg(id order by id))[1:${MAX_EXPERT_TERMINALS}] as terminal_ids
   from used where name is not null and ($2::text is null or sha256 = $2)
   group by name, sha256 order by count(*) desc, name, sha256 limit ${MAX_LISTED_EXPERTS}`,
);

type RunningRow = Required<Pick<LibraryExpert, 'name' | 'sha256' | 'terminals' | 'terminal_ids'>>;

const toShown = ({ id, name, size, created_at }: FileRow) => ({ id, name, size, created_at });

/**
 * What runs, the most used first, and then the files that run nowhere. Pass it the owner's slow connections.
 * @param sha256 only this program, with its terminals; undefined: all
 */
export const listExperts = async (
  db: Queryable,
  userId: string,
  sha256: string | undefined,
): Promise<LibraryExpert[]> => {
  const values = [userId, sha256 ?? null];
  const [files, running] = [
    await db.query<FileRow>(listFilesStatement, values),
    await db.query<RunningRow>(listRunningStatement, values),
  ];
  const uploaded = new Map(files.map((file) => [file.sha256, file]));
  const used = new Set(running.map((row) => row.sha256));
  const named = sha256 === undefined ? undefined : [];
  return [
    ...running.map(({ terminal_ids: ids, ...row }) => {
      const file = row.sha256 === null ? undefined : uploaded.get(row.sha256);
      return { ...row, file: file ? toShown(file) : null, ...(named && { terminal_ids: ids }) };
    }),
    ...files
      .filter((file) => !used.has(file.sha256))
      .map((file) => ({
        name: file.name.replace(/\.[^.]*$/, ''),
        sha256: file.sha256,
        file: toShown(file),
        terminals: 0,
        ...(named && { terminal_ids: named }),
      })),
  ].slice(0, MAX_LISTED_EXPERTS);
};
