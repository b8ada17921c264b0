import type { Project } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { Pencil, Star, Trash2 } from 'lucide-react';
import { MenuItem, MenuLine } from '../../parts/menu.tsx';
import { MoreMenu } from '../../parts/more-menu.tsx';
import { NameCell } from '../../parts/name-cell.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { ZoneNote } from '../../parts/zone.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { toWhyNotDelete, useMakeDefault } from './projects-data.ts';

const words = pageTexts.projects;
const { columns } = words;

export interface ProjectTableProps {
  /** Undefined while loading: skeleton rows reserve the space. */
  projects: readonly Project[] | undefined;
  defaultId: string | undefined;
  onEdit: (project: Project) => void;
  onDelete: (project: Project) => void;
}

type RowProps = Omit<ProjectTableProps, 'projects'> & { project: Project };

const RowMenu = ({ project, defaultId, onEdit, onDelete }: RowProps) => {
  const makeDefault = useMakeDefault();
  return (
    <MoreMenu label={words.more(project.name)} isBusy={makeDefault.isRunning}>
      <MenuItem icon={<Pencil />} onSelect={() => onEdit(project)}>
        {words.edit}
      </MenuItem>
      <MenuItem
        icon={<Star />}
        onSelect={() => makeDefault.run(project)}
        isBusy={makeDefault.isRunning}
        whyNot={project.id === defaultId ? words.alreadyDefault : undefined}
      >
        {words.makeDefault}
      </MenuItem>
      <MenuLine />
      <MenuItem
        icon={<Trash2 />}
        isDangerous
        onSelect={() => onDelete(project)}
        whyNot={toWhyNotDelete(project, defaultId)}
      >
        {words.delete}
      </MenuItem>
    </MoreMenu>
  );
};

const Row = (props: RowProps) => {
  const { project, defaultId } = props;
  const { id, name, description, resources_count: count, used_at: usedAt, created_at: createdAt } = project;
  const ofProject = { project: id, search: '' };
  return (
    <tr>
      <NameCell badge={id === defaultId && words.isDefault} note={description}>
        {name}
      </NameCell>
      <td data-card="below" className="num">
        <Link to="/terminals" search={ofProject} className="link">
          {words.terminals(count)}
        </Link>
      </td>
      <td className="num">{usedAt === null ? <span className="none">{words.never}</span> : <Time at={usedAt} />}</td>
      <td className="num">
        <Time at={createdAt} as="moment" />
      </td>
      <td data-card="end" className="num">
        <RowMenu {...props} />
      </td>
    </tr>
  );
};

export const ProjectTable = ({ projects, ...others }: ProjectTableProps) => (
  <>
    <Table
      caption={words.caption}
      columns={[columns.project, { number: columns.terminals }, { number: columns.used }, { number: columns.created }]}
      actions={columns.actions}
      items={projects}
      expected={4}
    >
      {(project) => <Row key={project.id} project={project} {...others} />}
    </Table>
    <ZoneNote />
  </>
);
