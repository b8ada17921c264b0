import { MAX_PROJECTS, projectRoutes, type Project } from '@berth/contract';
import { recordAudit } from '../../../audit/record.ts';
import { createId } from '../../../db/ids.ts';
import { readPage } from '../../../db/page.ts';
import {
  countOwnProjectsLocked,
  countProjects,
  findProject,
  insertProject,
  listProjects,
  updateProject,
} from '../../../projects/queries.ts';
import { AppError } from '../../../errors.ts';
import { deleteProject, lockProject } from '../../../projects/delete-project.ts';
import { refuse, toEnvelope } from '../../http/envelope.ts';
import { newestFirst, readPageInput } from '../../http/cursor.ts';
import { toPagination } from '../../http/pagination.ts';
import { toPublicUrl } from '../../http/public-url.ts';
import { registerRoute, type RouteContext } from '../../http/route.ts';

const refusals = {
  project_in_use:
    'The project has terminals, webhooks, alert rules or risk rules. Move them to another project or delete them first.',
  default_project: 'This is your default project. Choose another default first.',
} as const;

export const registerProjectRoutes = (context: RouteContext): void => {
  const { config, db } = context.services;
  registerRoute(context, projectRoutes.listProjects, {
    handle: async (input) => {
      const { caller, request } = input;
      const page = readPageInput<Project>(projectRoutes.listProjects, input, newestFirst);
      const { search = null } = input.query;
      const { id: userId } = caller.user;
      const { data, total } = await readPage(db, userId, page, {
        list: () => listProjects(db.slowFor(userId), userId, search, page),
        count: (on, atMost) => countProjects(on, userId, search, atMost),
        counted: null,
      });
      const pagination = toPagination(page, total, data, toPublicUrl(request, config));
      return { ...toEnvelope('Projects retrieved successfully.', data), pagination };
    },
  });
  registerRoute(context, projectRoutes.createProject, {
    handle: async ({ caller, actor, creation, reply, body: { name, description = null } }) => {
      const newProject = { id: createId(), userId: caller.user.id, name, description };
      const project = await creation.within(async (tx) => {
        if ((await countOwnProjectsLocked(tx, newProject.userId)) >= MAX_PROJECTS) return undefined;
        const target = { type: 'project', id: newProject.id };
        await recordAudit(tx, actor, { action: 'project.create', target, after: { name, description } });
        return insertProject(tx, newProject);
      });
      if (!project) {
        return refuse(reply, 'project_limit', `An account has at most ${MAX_PROJECTS} projects.`);
      }
      return toEnvelope('Project created successfully.', project);
    },
  });
  registerRoute(context, projectRoutes.deleteProject, {
    handle: async ({ params, caller, actor, reply }) => {
      const outcome = await deleteProject(db, actor, caller.user.id, params.project_id);
      if (outcome === 'not_found') throw AppError.notFound('Project');
      if (outcome === 'deleted') return toEnvelope('Project deleted successfully.', null);
      return refuse(reply, outcome, refusals[outcome]);
    },
  });
  registerRoute(context, projectRoutes.updateProject, {
    assertFound: async ({ params, caller }) => {
      if (!(await findProject(db, caller.user.id, params.project_id))) throw AppError.notFound('Project');
    },
    handle: async ({ params: { project_id: projectId }, caller, actor, body: { name, description } }) => {
      const { id } = caller.user;
      const update = { name, description };
      const project = await db.transactionFor(id, async (tx) => {
        const before = await lockProject(tx, id, projectId);
        const after = before && (await updateProject(tx, id, projectId, update));
        if (!after) return undefined;
        const { resources_count: _count, used_at: _used, ...fields } = after;
        const target = { type: 'project', id: projectId };
        await recordAudit(tx, actor, {
          action: 'project.update',
          target,
          before: { ...fields, ...before },
          after: fields,
        });
        return after;
      });
      if (!project) throw AppError.notFound('Project');
      return toEnvelope('Project updated successfully.', project);
    },
  });
};
