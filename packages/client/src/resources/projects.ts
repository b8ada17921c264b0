import type { ApiPromise } from '../http/api-promise.ts';
import { toPath } from '../http/call.ts';
import { List, type Page } from '../list.ts';
import type { CallOptions, CreateOptions } from '../options.ts';
import type { NewProject, Project, ProjectChanges, ProjectQuery, Region, RegionQuery } from '../types.ts';
import { Group } from './group.ts';

const PROJECTS = '/v1/my/projects';

/**
 * What terminals belong to.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const { id } = await berth.projects.create({ name: 'Metals' });
 * await berth.projects.update(id, { description: 'Gold and silver' });
 * await berth.projects.delete(id);
 */
export class Projects extends Group {
  /** All projects, newest first; `search` looks into their names. */
  list(query: ProjectQuery = {}, options?: CallOptions): List<Project> {
    return new List((page) => this.page({ ...query, ...page }, options));
  }

  /** One page of them. */
  page(query: ProjectQuery = {}, options?: CallOptions): ApiPromise<Page<Project>> {
    return this.transport.json({ method: 'GET', path: PROJECTS, query, options }, 'page');
  }

  /** Creates a project. */
  create(body: NewProject, options?: CreateOptions): ApiPromise<Project> {
    return this.transport.data({ method: 'POST', post: 'keyed', path: PROJECTS, body, options });
  }

  /** Renames or describes a project; `description: null` takes the description away. */
  update(id: string, body: ProjectChanges, options?: CallOptions): ApiPromise<Project> {
    return this.transport.data(() => ({ method: 'PATCH', path: toPath`/v1/my/projects/${id}`, body, options }));
  }

  /** Deletes a project that has no terminal and is not the default. @throws RefusedError otherwise */
  delete(id: string, options?: CallOptions): ApiPromise<void> {
    return this.transport.done(() => ({ method: 'DELETE', path: toPath`/v1/my/projects/${id}`, options }));
  }
}

/**
 * Where terminals can run.
 * @example
 * import { Berth } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const [first] = await berth.regions.list().toArray();
 * console.log(first?.label);
 */
export class Regions extends Group {
  /** All regions; `include: 'capacity'` adds how many terminals each takes at the moment, and of which platforms. */
  list(query: RegionQuery = {}, options?: CallOptions): List<Region> {
    return new List(() =>
      this.transport.json({ method: 'GET', path: '/v1/my/trading/terminals/regions', query, options }, 'list'),
    );
  }
}
