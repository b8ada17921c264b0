import type { Ability } from '../abilities.ts';
import { Project } from '../resources.ts';
import { AnyPagination, Envelope, EnvelopeOrRefusal, Null, Nullable, pageQuery, Type } from '../schema.ts';
import { defineRoute } from './route.ts';

const project = <const Needed extends Ability>(ability: Needed) => ({ tag: 'Account', auth: 'user', ability }) as const;

const PROJECTS = '/v1/my/projects';

export const projectRoutes = {
  listProjects: defineRoute({
    ...project('read'),
    method: 'GET',
    url: PROJECTS,
    summary: 'List projects, newest first',
    query: Type.Object({ ...pageQuery(), search: Type.Optional(Type.String({ maxLength: 255 })) }),
    response: Type.Object({
      ok: Type.Literal(true),
      msg: Type.String(),
      data: Type.Array(Project),
      pagination: AnyPagination,
    }),
  }),
  createProject: defineRoute({
    ...project('write'),
    method: 'POST',
    audit: 'project.create',
    url: PROJECTS,
    summary: 'Create a project',
    isIdempotent: true,
    body: Type.Object({
      name: Type.String({ maxLength: 255 }),
      description: Type.Optional(Type.String({ maxLength: 1000 })),
    }),
    response: EnvelopeOrRefusal(Project),
  }),
  deleteProject: defineRoute({
    ...project('delete'),
    method: 'DELETE',
    audit: 'project.delete',
    url: `${PROJECTS}/:project_id`,
    summary: 'Delete a project that has no terminal and is not the default',
    response: EnvelopeOrRefusal(Null),
  }),
  updateProject: defineRoute({
    ...project('write'),
    method: 'PATCH',
    audit: 'project.update',
    url: `${PROJECTS}/:project_id`,
    summary: 'Rename or describe a project',
    input: 'patch',
    isStrict: true,
    body: Type.Object({
      name: Type.Optional(Type.String({ maxLength: 255 })),
      description: Type.Optional(Nullable('string', { maxLength: 1000, description: 'null: none' })),
    }),
    response: Envelope(Project),
  }),
};
