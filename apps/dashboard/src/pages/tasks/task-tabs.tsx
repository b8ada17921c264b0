import { Link } from '@tanstack/react-router';
import { Tabs } from '../../parts/tabs.tsx';
import { pageTexts } from '../../texts/page-texts.ts';

/** Tasks, and what creates them again and again. */
export const TaskTabs = () => (
  <div className="pb-4">
    <Tabs label={pageTexts.schedules.tabs}>
      <Link to="/tasks" className="tab" activeOptions={{ exact: true, includeSearch: false }}>
        {pageTexts.tasks.title}
      </Link>
      <Link to="/tasks/schedules" className="tab">
        {pageTexts.schedules.title}
      </Link>
    </Tabs>
  </div>
);
