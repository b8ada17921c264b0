/** A list of row addresses, so that a plan starts from the rows that go. Each says how many it removed. */
export const toRemoval = (table: string, condition: string): string =>
  `with gone as (
     delete from ${table} where ctid = any(array(select ctid from ${table} where ${condition} limit $1 for update skip locked))
     returning 1
   )
   select count(*) as total from gone`;
