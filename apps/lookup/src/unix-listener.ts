import { lstat, rm } from 'node:fs/promises';
import { type FurtherListener, type RunningService, listenFurther } from '#libs/platform';

/**
 * Also serves a started service's routes on a Unix socket, which costs a gateway on the same machine less than loopback
 * TCP. A socket at the path is removed first, because a killed process leaves its socket behind.
 * @throws Error if it cannot listen at the path, or if the path is another kind of file.
 */
export async function listenOnUnixSocket(
  service: RunningService,
  path: string,
): Promise<FurtherListener> {
  const there = await lstat(path).catch(() => undefined);
  if (there?.isSocket()) await rm(path);
  return listenFurther(service.app, { path });
}
