import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * Checks that no process listens on a port. Sockets that share a port (`SO_REUSEPORT`) would also share it with another
 * process of the same user, and each process would get a part of the requests without any error.
 * @param setting the name of the setting, for the error.
 * @returns the port; for port 0, the port that the system chose.
 * @throws Error if a process listens there, or if this process may not.
 */
export async function probePort(host: string, port: number, setting: string): Promise<number> {
  const server = createServer();
  server.listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'another process listens there' : message;
    throw new Error(`cannot listen on ${host}:${port} (${setting}): ${reason}`, { cause: error });
  }
  const { port: bound } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return bound;
}
