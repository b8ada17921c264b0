import { Download, ScrollText, SearchX } from 'lucide-react';
import { useCallback } from 'react';
import { pageTexts } from '../../texts/page-texts.ts';
import { Button } from '../button.tsx';
import { CursorPager } from '../cursor-pager.tsx';
import { Listing } from '../listing.tsx';
import { Menu, MenuItem } from '../menu.tsx';
import { SearchField } from '../search-field.tsx';
import { Sheet } from '../surfaces.tsx';
import { ZoneNote } from '../zone.tsx';
import { toDays, useAuditLog, useExport, type AuditScope } from './audit-data.ts';
import { AuditTable } from './audit-table.tsx';
import { isFiltered, toAuditSearch, type AuditSearch } from './search.ts';

const words = pageTexts.audit;

export interface AuditLogProps {
  scope: AuditScope;
  search: AuditSearch;
  onSearch: (search: AuditSearch, isTyped?: boolean) => void;
}

const DayField = ({ label, value, onDay }: { label: string; value: string; onDay: (day: string) => void }) => (
  <label className="flex items-center gap-2">
    <span className="text-ink-2">{label}</span>
    <input className="input" data-compact="" type="date" value={value} onChange={({ target }) => onDay(target.value)} />
  </label>
);

const Filters = ({ scope, search, onSearch }: AuditLogProps) => {
  const save = useExport(scope, search);
  const { action, target, actor, from = '', to = '' } = search;
  const onText = useCallback(
    (text: string) => {
      const { action: _action, target: _target, after: _after, ...rest } = search;
      // Actions have a dot, ids have none.
      onSearch(toAuditSearch({ ...rest, [text.includes('.') ? 'action' : 'target']: text.trim() }), true);
    },
    [search, onSearch],
  );
  const onDay = (name: 'from' | 'to') => (day: string) => {
    const { after: _after, ...rest } = search;
    onSearch(toAuditSearch({ ...rest, [name]: day }));
  };
  return (
    <div className="mb-3 flex flex-wrap items-center gap-3">
      <SearchField label={words.search} hint={words.searchHint} value={action ?? target ?? ''} onSearch={onText} />
      <DayField label={words.from} value={from} onDay={onDay('from')} />
      <DayField label={words.to} value={to} onDay={onDay('to')} />
      {actor === undefined ? null : <span className="badge">{words.onlyOne}</span>}
      {isFiltered(search) ? (
        <Button kind="bare" onClick={() => onSearch({})}>
          {words.clear}
        </Button>
      ) : null}
      <div className="ml-auto">
        <Menu
          trigger={
            <Button icon={<Download />} isBusy={save.isRunning}>
              {words.download}
            </Button>
          }
        >
          <MenuItem onSelect={() => save.run('csv')}>{words.csv}</MenuItem>
          <MenuItem onSelect={() => save.run('jsonl')}>{words.jsonl}</MenuItem>
        </Menu>
      </div>
    </div>
  );
};

const nothing = { icon: <ScrollText aria-hidden="true" />, title: words.none, children: words.noneText };
const noMatch = { icon: <SearchX aria-hidden="true" />, title: words.noMatch, children: words.noMatchText };

/** Who did what, by day, newest first. */
export const AuditLog = (props: AuditLogProps) => {
  const { scope, search, onSearch } = props;
  const log = useAuditLog(scope, search);
  const { after: _after, ...filters } = search;
  const rows = {
    onActor: scope === 'all' ? (actor: string) => onSearch({ ...filters, actor }) : undefined,
    onNarrow: (more: AuditSearch) => onSearch({ ...filters, ...more }),
  };
  return (
    <>
      <Listing
        reading={log}
        isBare
        filters={<Filters {...props} />}
        empty={
          isFiltered(search)
            ? { ...noMatch, action: <Button onClick={() => onSearch({})}>{words.clear}</Button> }
            : nothing
        }
      >
        {(log.data === undefined ? [undefined] : toDays(log.data.data)).map((day) => (
          <section key={day?.name ?? ''} className="mb-4">
            {day && <h2 className="mb-2">{day.name}</h2>}
            <Sheet>
              <AuditTable day={day} {...rows} />
            </Sheet>
          </section>
        ))}
      </Listing>
      <ZoneNote />
      <CursorPager
        isFirst={search.after === undefined}
        next={log.data?.pagination.next_cursor ?? null}
        onGo={(next) => onSearch({ ...filters, ...(next === undefined ? {} : { after: next }) })}
      />
    </>
  );
};
