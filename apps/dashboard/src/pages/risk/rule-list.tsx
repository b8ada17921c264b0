import type { RiskRule, RiskState } from '@berth/client';
import { Bell, Lock, PowerOff, X, type LucideIcon } from 'lucide-react';
import { Fragment, type CSSProperties } from 'react';
import { toPercentText } from '../../parts/figure.tsx';
import { useAllProjects } from '../../data/projects.ts';
import { Button } from '../../parts/button.tsx';
import { toTone, toUsedPercent, toWarnPercent } from '../../parts/money/headroom.tsx';
import { Switch } from '../../parts/switch.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { RuleTerminals } from './rule-terminals.tsx';
import { toSentence } from './rule-words.ts';
import { useSwitchRule } from './risk-data.ts';

const words = pageTexts.risk;

const icons: Record<RiskRule['actions'][number], LucideIcon> = {
  close_all: X,
  trading_off: PowerOff,
  lock: Lock,
  notify: Bell,
};

/** What a breach does, in its order. */
const Actions = ({ actions }: Pick<RiskRule, 'actions'>) => (
  <span className="acts">
    {actions.map((action, index) => {
      const Icon = icons[action];
      return (
        <Fragment key={action}>
          {index === 0 ? null : <span aria-hidden="true">›</span>}
          <span className="badge">
            <Icon aria-hidden="true" />
            {words.actions[action]}
          </span>
        </Fragment>
      );
    })}
  </span>
);

const toPlace = (percent: number): CSSProperties => ({ '--at': `${percent}%` }) as CSSProperties;

const Summary = ({ rule, states, names }: Omit<RuleRowProps, 'onEdit'>) => {
  const tones = states.map((state) => toTone(state, rule.kind));
  const count = (tone: string): number => tones.filter((one) => one === tone).length;
  const [breached, near, blind] = [count('bad'), count('wait'), count('blind')];
  const nearest = states.toSorted((a, b) => toUsedPercent(b) - toUsedPercent(a))[0];
  const others = [near > 0 ? words.dots.near(near) : '', blind > 0 ? words.dots.blind(blind) : ''].filter(Boolean);
  if (states.length === 0) return <span className="text-ink-3">{words.noStates}</span>;
  if (breached > 0 || others.length > 0) {
    return (
      <span>
        {breached > 0 ? <span className="bad-word">{words.dots.breached(breached)}</span> : null}
        {breached > 0 && others.length > 0 ? ', ' : ''}
        {others.join(', ')}
      </span>
    );
  }
  return (
    <span className="text-ink-2">
      {nearest ? words.dots.nearest(names.get(nearest.terminal_id) ?? '…', toPercentText(toUsedPercent(nearest))) : ''}
    </span>
  );
};

/** The terminals of a rule on one scale, from nothing used to the limit. */
const Dots = ({ rule, states, names }: Omit<RuleRowProps, 'onEdit'>) => {
  const isGoal = rule.kind === 'profit_target';
  const warns = states.map(toWarnPercent).find((percent) => percent > 0) ?? rule.warn_percent;
  return (
    <div className="dots" role="img" aria-label={words.dots.label(states.length)}>
      {isGoal ? null : <u style={toPlace(warns)} />}
      <u data-wall="" data-goal={isGoal ? '' : undefined} style={toPlace(100)} />
      {states.map((state) => (
        <i
          key={state.terminal_id}
          data-tone={toTone(state, rule.kind)}
          title={`${names.get(state.terminal_id) ?? '…'}: ${toPercentText(toUsedPercent(state))}`}
          style={toPlace(toUsedPercent(state))}
        />
      ))}
      <small data-first="" style={toPlace(0)}>
        {words.dots.start}
      </small>
      {isGoal ? null : <small style={toPlace(warns)}>{words.dots.warns}</small>}
      <small style={toPlace(100)}>{isGoal ? words.dots.target : words.dots.limit}</small>
    </div>
  );
};

export const useScopeText = (): ((rule: RiskRule) => string) => {
  const { data: projects = [] } = useAllProjects();
  return ({ terminal_ids: ids, project_id: projectId }) => {
    if (ids) return words.scope.terminals(ids.length);
    if (projectId === null) return words.scope.all;
    return words.scope.project(projects.find(({ id }) => id === projectId)?.name ?? '…');
  };
};

const RuleSwitch = ({ rule }: { rule: RiskRule }) => {
  const { run, isRunning } = useSwitchRule();
  return (
    <Switch
      label={words.switch(rule.name)}
      isOn={rule.enabled}
      isBusy={isRunning}
      onChange={(enabled) => run({ rule, enabled })}
    >
      {rule.enabled ? words.on : words.off}
    </Switch>
  );
};

export interface RuleRowProps {
  rule: RiskRule;
  states: readonly RiskState[];
  names: ReadonlyMap<string, string>;
  onEdit: (rule: RiskRule) => void;
}

/** A rule: what it does in a sentence, and where its terminals are on the way to the limit. */
export const RuleRow = ({ rule, states, names, onEdit }: RuleRowProps) => {
  const toScope = useScopeText();
  return (
    <li className="rule" data-off={rule.enabled ? undefined : ''}>
      <div>
        <div className="rule-title">
          <h2>
            <bdi>{rule.name}</bdi>
          </h2>
          <small>
            <bdi>{toScope(rule)}</bdi>
          </small>
        </div>
        <p>{toSentence(rule)}</p>
        <div className="rule-tools">
          <Actions actions={rule.actions} />
        </div>
      </div>
      <div className="rule-now">
        <div className="rule-now-head">
          {rule.enabled ? (
            <Summary rule={rule} states={states} names={names} />
          ) : (
            <span className="text-ink-3">{words.notWatched}</span>
          )}
          <span className="flex items-center gap-3">
            <RuleSwitch rule={rule} />
            <Button aria-label={words.editOf(rule.name)} onClick={() => onEdit(rule)}>
              {words.edit}
            </Button>
          </span>
        </div>
        {rule.enabled && states.length > 0 ? <Dots rule={rule} states={states} names={names} /> : null}
      </div>
      {rule.enabled && states.length > 0 ? <RuleTerminals rule={rule} states={states} names={names} /> : null}
    </li>
  );
};
