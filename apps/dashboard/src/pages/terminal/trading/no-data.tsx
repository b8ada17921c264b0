import type { Terminal } from '@berth/client';
import { Button } from '../../../parts/button.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useAddress } from '../address.ts';
import { ask } from '../../../data/lead.ts';

const words = pageTexts.terminalTrading.noData;

/** Says how to get account data, and what there will be to see. */
export const NoAccountData = ({ terminal }: { terminal: Terminal }) => {
  const { change } = useAddress();
  const isOut = terminal.status_name === 'STOPPED' || terminal.status_name === 'LOGIN_FAILED';
  return (
    <div className="card no-data">
      <div>
        <h2>{words.title}</h2>
        <p className="say">{words.lead}</p>
        <ol className="chain">
          {words.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <p className="say">{words.wait}</p>
        {isOut ? (
          <Button className="mt-3" kind="primary" onClick={() => [change({ tab: 'account' }), ask('login')]}>
            {words.account}
          </Button>
        ) : null}
      </div>
      <aside className="no-data-note">
        <h2>{words.next}</h2>
        <ul className="ticks">
          {words.list.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </aside>
    </div>
  );
};
