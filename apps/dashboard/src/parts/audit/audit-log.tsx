import { Download, ScrollText, SearchX } from 'lucide-react';
import { useCallback } from 'react';
import { pageTexts } from '../../texts/page-texts.ts';
import { Button } from '../button.tsx';
import { Choices } from './choices.tsx';
import { CursorPager } from '../cursor-pager.tsx';
import { Listing } from '../listing.tsx';
import { Menu, MenuItem } from '../menu.tsx';
import { SearchField } from '../search-field.tsx';
import { Sheet } from '../surfaces.tsx';
import { ZoneNote } from '../zone.tsx';
import { toDays, useAuditLog, useExport, type AuditScope } from './audit-data.ts';
import { AuditTable } from './audit-table.tsx';
import { isFiltered, toAuditSearch, toTyped, type AuditSearch } from './search.ts';

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

const ActionField = ({ action, onAction }: { action: string; onAction: (action: string) => void }) => (
  <select
    className="input"
    data-compact=""
    aria-label={words.action}
    value={action}
    onChange={({ target }) => onAction(target.value)}
  >
    <option value="">{words.anyAction}</option>
    {action === '' || action in words.actions ? null : <option>{action}</option>}
    {Object.entries(words.actions).map(([name, label]) => (
      <option key={name} value={name}>
        {label}
      </option>
    ))}
  </select>
);

const Filters = ({ scope, search, onSearch }: AuditLogProps) => {
  const save = useExport(scope, search);
  const { action = '', target, text: typed, actor, from = '', to = '' } = search;
  const onText = useCallback(
    (text: string) => {
      const { action: _action, target: _target, text: _text, after: _after, ...rest } = search;
      onSearch({ ...rest, ...toTyped(text) }, true);
    },
    [search, onSearch],
  );
  const onOne = (name: 'action' | 'from' | 'to') => (value: string) => {
    const { after: _after, ...rest } = search;
    onSearch(toAuditSearch({ ...rest, [name]: value }));
  };
  return (
    <div className="mb-3 flex flex-wrap items-center gap-3">
      <SearchField label={words.search} hint={words.searchHint} value={target ?? typed ?? action} onSearch={onText} />
      <ActionField action={action} onAction={onOne('action')} />
      <DayField label={words.from} value={from} onDay={onOne('from')} />
      <DayField label={words.to} value={to} onDay={onOne('to')} />
      {actor === undefined ? null : <span className="badge">{words.onlyOne}</span>}
      {isFiltered(search) ? (
        <Button kind="bare" onClick={() => onSearch({})}>
          {words.clear}
        </Button>
      ) : null}
      <div className="ml-auto">
        <Menu
          trigger={
            <Button
              icon={<Download />}
              isBusy={save.isRunning}
              whyNot={typed === undefined ? undefined : words.notFiltered}
            >
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
  const { text, ...filters } = props.search;
  return (
    <>
      <Filters {...props} />
      {text === undefined ? (
        <Rows {...props} />
      ) : (
        <Choices scope={props.scope} text={text} onChoose={(chosen) => props.onSearch({ ...filters, ...chosen })} />
      )}
    </>
  );
};

const Rows = ({ scope, search, onSearch }: AuditLogProps) => {
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
