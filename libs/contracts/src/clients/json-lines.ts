import type { Readable } from 'node:stream';
import { type ServiceName, ServiceUnavailable } from '#libs/platform';

/**
 * Yields the objects of a service's JSON lines as they arrive. `node:readline` is not used, because it ends the process
 * if its input is abandoned before the end.
 * @returns the closing object, which shows that nothing is missing.
 * @throws ServiceUnavailable if the lines end before that object or cannot be read.
 */
export async function* jsonLines<Line extends object, End extends { isLast: true }>(
  stream: Readable,
  service: ServiceName,
): AsyncGenerator<Line, End> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const read = JSON.parse(line) as Line | End;
        if ('isLast' in read) return read;
        yield read;
      }
    }
  } catch (error) {
    throw new ServiceUnavailable(service, error);
  } finally {
    stream.destroy();
  }
  throw new ServiceUnavailable(service, new Error('the lines ended early'));
}
