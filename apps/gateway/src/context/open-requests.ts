import type { Socket } from 'node:net';
import type { RequestContext } from './request-context.js';

/** The newest context on a socket; a client that pipelines has earlier ones behind it. */
const NEWEST = Symbol('newest context');

interface ApiSocket extends Socket {
  /** Null when all are over: what was answered is not kept until the next question. */
  [NEWEST]?: RequestContext | null;
}

/** Whether a request on this socket has no answer yet. */
export function isAsking(socket: Socket): boolean {
  for (let one = (socket as ApiSocket)[NEWEST]; one; one = one.earlier) {
    if (!one.isOver) return true;
  }
  return false;
}

/** One close listener for a socket's whole life, not one for each of its requests. */
export function watchClient(
  context: RequestContext,
  onGone: (context: RequestContext) => void,
): void {
  const socket = context.request.socket as ApiSocket;
  const newest = socket[NEWEST];
  socket[NEWEST] = context;
  if (newest === null) return;
  if (newest !== undefined) {
    context.earlier = newest;
    // What has been answered is let go, wherever it stands in the row.
    for (let last = context; last.earlier !== undefined;) {
      if (last.earlier.isOver) last.earlier = last.earlier.earlier;
      else last = last.earlier;
    }
    return;
  }
  socket.once('close', () => {
    for (let left = socket[NEWEST] ?? undefined; left !== undefined; left = left.earlier) {
      if (!left.isOver) onGone(left);
    }
  });
}

/**
 * An idle connection holds nothing of what it asked: with many of them, every collection of young
 * garbage would have to copy the last context of each.
 */
export function forgetContext(context: RequestContext): void {
  const socket = context.request.socket as ApiSocket;
  if (socket[NEWEST] === context) socket[NEWEST] = context.earlier ?? null;
}
