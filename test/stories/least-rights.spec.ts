import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { RequestMethod, type Type } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditorRole, maintenanceRole, serviceRole, withClient } from '#libs/database';
import { SERVICES } from '../../apps/services.js';
import { type RunningSolo, startSolo } from '../../apps/solo/src/solo.js';
import { preparedFolder } from './deployment.js';

const METHOD = 'method';
const PATH = 'path';

function routesOf(controller: Type): { method: string; path: string }[] {
  const base = String(Reflect.getMetadata(PATH, controller));
  const members = Object.getOwnPropertyDescriptors(controller.prototype as object);
  return Object.values(members).flatMap(({ value: handler }: { value?: object }) => {
    const method = handler && (Reflect.getMetadata(METHOD, handler) as RequestMethod | undefined);
    if (handler === undefined || method === undefined) return [];
    const path = `/${base}/${String(Reflect.getMetadata(PATH, handler))}`.replace(/\/+/g, '/');
    return [{ method: RequestMethod[method], path: path.replace(/:\w+/g, '1').replace(/\/$/, '') }];
  });
}

describe('the rights of strangers and of services in a running installation', () => {
  let folder: string;
  let solo: RunningSolo;

  beforeAll(async () => {
    folder = await preparedFolder();
    const log = { path: join(folder, 'story.log'), write: () => {} };
    const ports = { apiPort: 0, dashboardPort: 0 };
    solo = await startSolo({ dataFolder: folder, ...ports, offline: true, durable: false, log });
  });
  afterAll(async () => {
    await solo?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(SERVICES.filter(({ urlSetting }) => urlSetting).map((one) => [one.name, one] as const))(
    'S86: no route of %s answers a caller without a token',
    async (_name, { load, urlSetting }) => {
      const { controllers } = await load();
      const routes = controllers.flatMap(routesOf);
      expect(routes.length).toBeGreaterThan(0);
      const open: unknown[] = [];
      for (const { method, path } of routes) {
        const { status } = await fetch(solo.settings[urlSetting!]! + path, { method });
        if (status !== 403) open.push([method, path, status]);
      }
      expect(open).toEqual([]);
    },
  );

  it('S114: no running service is connected as the owner of its tables or as a superuser', async () => {
    const names = SERVICES.filter(({ migrations }) => migrations).map(({ name }) => name);
    const allowed = names.flatMap((name) => [
      serviceRole(name),
      maintenanceRole(name),
      auditorRole(name),
    ]);
    const roles = await withClient(solo.database.superuserUrl, async (client) => {
      const { rows } = await client.query<{ role: string }>(
        `select distinct usename as role from pg_stat_activity
         where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      return rows.map(({ role }) => role);
    });
    expect(roles).toEqual(expect.arrayContaining(names.map(serviceRole)));
    expect(roles.filter((role) => !allowed.includes(role))).toEqual([]);
  });
});
